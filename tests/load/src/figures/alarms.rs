//! What payments asks by itself with 1,000,000 settled bookings behind it: the list that raises
//! alarms, the balances of its accounts, and what a start looks through. The questions go to a
//! database made by `sql/million_bookings.sql`, each so often; the median counts.

use std::time::Duration;

use anyhow::{Result, ensure};
use eventstore::{Database, Store};
use payments::app::backfill_ledger::backfill_ledger;
use payments::read_model::{ledger, reconciliation_exceptions, settlement};
use sqlx::{Connection as _, Executor as _, PgConnection};
use system::Practice;
use tokio::time::Instant;

use crate::environment::{Environment, Hours};
use crate::figure::{Figure, Unit};
use crate::samples::{Samples, millis};
use crate::sql_baseline::database_of;

/// Its name on the practice's server.
pub(crate) const DATABASE: &str = "bench_money";
/// The name of one without a row.
pub(crate) const EMPTY: &str = "bench_no_money";
const SQL: &str = include_str!("../../sql/million_bookings.sql");
/// How many of the bookings are still to come.
const OPEN: i64 = 5_000;
/// How often each question is asked.
const TIMES: usize = 20;

pub(crate) async fn measure(environment: &mut Environment) -> Result<Vec<Figure>> {
    let running = environment.at(Hours::Dense).await?;
    let (url, empty) = databases(&running.practice).await?;
    let (store, fresh) = (store(url)?, store(empty)?);
    let mut lists = Samples::default();
    let (mut sums, mut oldest) = (Samples::default(), Samples::default());
    let (mut starts, mut fresh_starts) = (Samples::default(), Samples::default());
    for _ in 0..TIMES {
        let began = Instant::now();
        let found = reconciliation_exceptions::find(store.pool()).await?;
        lists.push(began.elapsed());
        ensure!(found.is_empty(), "{} rows of sound books are told", found.len());
        let began = Instant::now();
        let balances = ledger::balances(store.pool()).await?;
        sums.push(began.elapsed());
        let advance = balances.iter().find(|it| it.account == "customer_advance");
        let advance = advance.map(|it| it.balance.minor);
        ensure!(advance == Some(-60_000 * OPEN), "the advances are {advance:?}");
        let began = Instant::now();
        ensure!(settlement::oldest_unsettled(store.pool()).await?.is_some(), "nothing is open");
        oldest.push(began.elapsed());
        starts.push(opening(&store).await?);
        fresh_starts.push(opening(&fresh).await?);
    }
    let within = |title: &str, samples: &Samples| {
        let all = format!("{TIMES} times, slowest {:.1} ms", millis(samples.p99()));
        Figure::absolute(title, Unit::Millis, millis(samples.p50()), (100.0, 50.0)).noting(all)
    };
    Ok(vec![
        within("alarms of 1,000,000 bookings", &lists),
        within("balances of 1,000,000 bookings", &sums),
        within("oldest unsettled of 1,000,000 bookings", &oldest),
        Figure::absolute(
            "books at a start behind 1,000,000 bookings",
            Unit::Millis,
            millis(starts.p50()),
            (50.0, 10.0),
        )
        .noting(format!("an empty database: {:.2} ms", millis(fresh_starts.p50()))),
    ])
}

/// The URLs of the database behind 1,000,000 bookings and of one without any, both made unless they
/// are there.
pub(crate) async fn databases(practice: &Practice) -> Result<(String, String)> {
    let migrated = ("payments", &*payments::MIGRATIONS);
    let empty = database_of(practice, EMPTY, migrated).await?;
    let url = database_of(practice, DATABASE, migrated).await?;
    fill(&url).await?;
    Ok((url, empty))
}

fn store(url: String) -> Result<Store> {
    Ok(Store::new(Database::new(url).open()?))
}

async fn opening(store: &Store) -> Result<Duration> {
    let began = Instant::now();
    backfill_ledger(store).await?;
    Ok(began.elapsed())
}

async fn fill(url: &str) -> Result<()> {
    let mut connection = PgConnection::connect(url).await?;
    let is_filled: bool =
        sqlx::query_scalar("select exists (select from events)").fetch_one(&mut connection).await?;
    if !is_filled {
        sqlx::raw_sql(SQL).execute(&mut connection).await?;
        ledger::write_closing(&mut connection).await?;
        connection.execute("vacuum analyze").await?;
        connection.execute("checkpoint").await?;
    }
    Ok(())
}
