//! The database server's own log: no value of a slow or a refused statement stands in it.

use std::path::Path;

use anyhow::Result;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};
use testkit::wait::until;

use super::database;

/// The server logs beside its data, as `sukoon test-services` starts it.
async fn server_log(admin: &mut PgConnection) -> Result<String> {
    let data: String = sqlx::query_scalar("show data_directory").fetch_one(&mut *admin).await?;
    Ok(std::fs::read_to_string(Path::new(&data).with_extension("log"))?)
}

#[tokio::test]
async fn the_servers_log_has_no_values_of_slow_or_refused_statements() -> Result<()> {
    let (database, _) = database().await?;
    let mut owner = PgConnection::connect(&database.owner_url).await?;
    let mark = format!("log_{}", eventstore::new_uuid().simple());
    // The log may be older than this run, so that what must not stand in it is new each time.
    let canary = format!("panic attacks since {}", eventstore::new_uuid());
    // Every statement counts as slow, as one that waits for a lock does.
    owner.execute("set log_min_duration_statement = 0").await?;
    let table = format!("create temporary table {mark} (notes text check (notes = ''))");
    owner.execute(AssertSqlSafe(table)).await?;
    let slow = format!("select $1::text as {mark}_slow");
    sqlx::query(AssertSqlSafe(slow)).bind(&canary).execute(&mut owner).await?;
    let refused = format!("insert into {mark} values ($1)");
    sqlx::query(AssertSqlSafe(refused)).bind(&canary).execute(&mut owner).await.unwrap_err();
    let said = until("the log has both statements", async || {
        let said = server_log(&mut owner).await?;
        let has_both = said.contains(&format!("{mark}_slow")) && said.contains("violates check");
        Ok(has_both.then_some(said))
    })
    .await?;
    assert!(!said.contains(&canary), "the log has what a client wrote");
    Ok(())
}
