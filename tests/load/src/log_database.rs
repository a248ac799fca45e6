//! A database of booking with 1,000,000 events, made by `sql/million_events.sql`, and one with
//! none.

use anyhow::{Result, ensure};
use sqlx::{Connection as _, Executor as _, PgConnection};
use system::Practice;

use crate::sql_baseline::database;

/// Their names on the practice's server.
pub(crate) const FULL: &str = "bench_full";
/// See [`FULL`].
pub(crate) const EMPTY: &str = "bench_empty";
/// How many events the long log has.
pub(crate) const EVENTS: i64 = 1_000_000;
const SQL: &str = include_str!("../sql/million_events.sql");

/// The URL of the database with the long log, for its superuser; it is filled unless it is.
pub(crate) async fn full(practice: &Practice) -> Result<String> {
    let url = database(practice, FULL).await?;
    let mut connection = PgConnection::connect(&url).await?;
    let is_filled: bool =
        sqlx::query_scalar("select exists (select from events)").fetch_one(&mut connection).await?;
    if !is_filled {
        sqlx::raw_sql(SQL).execute(&mut connection).await?;
        // As a log that has grown: its statistics are known and its pages are on the disk, so that
        // nothing of the filling is left to do while others are measured.
        connection.execute("vacuum analyze").await?;
        connection.execute("checkpoint").await?;
    }
    let events: i64 =
        sqlx::query_scalar("select count(*) from events").fetch_one(&mut connection).await?;
    ensure!(events >= EVENTS, "the long log has {events} events");
    Ok(url)
}

/// The URL of the database without events.
pub(crate) async fn empty(practice: &Practice) -> Result<String> {
    database(practice, EMPTY).await
}
