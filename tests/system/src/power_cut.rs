//! A power cut of hours: all our processes die at once and start again with the clocks ahead.

use std::sync::atomic::Ordering;

use anyhow::Result;
use sqlx::{AssertSqlSafe, Executor as _};

use crate::practice::{KILLABLE_PARTS, Practice, STORES};

impl Practice {
    /// Kills every service, NATS and PostgreSQL. Clocks that are read after the restart are ahead
    /// by so many minutes.
    ///
    /// When a database refuses, or a part does not start again.
    pub async fn power_cut(&self, minutes: i64) -> Result<()> {
        let _moving = self.clock_lock.write().await;
        for service in STORES {
            let mut database = self.database(service).await?;
            let sql = "select clock_timestamp()::text";
            let now: String = sqlx::query_scalar(sql).fetch_one(&mut database).await?;
            // No process reads a time in between: the jump takes effect with the database server's
            // start.
            let jump = format!(
                "+ case when pg_postmaster_start_time() > timestamptz '{now}'
                        then interval '{minutes} minutes' else interval '0' end"
            );
            database.execute(AssertSqlSafe(clock(&jump))).await?;
        }
        self.kill(&KILLABLE_PARTS)?;
        self.wait_until_healthy().await?;
        let ahead = self.ahead.fetch_add(minutes, Ordering::SeqCst) + minutes;
        for service in STORES {
            let mut database = self.database(service).await?;
            let moved = format!("update clock set offset_by = make_interval(mins => {ahead})");
            // In one transaction, so that no reader gets a time without these minutes or with them
            // twice.
            let all = format!("begin; {moved}; {}; commit", clock(""));
            database.execute(AssertSqlSafe(all)).await?;
        }
        Ok(())
    }
}

/// The function for the databases' clock, with an expression added to it.
fn clock(more: &str) -> String {
    format!(
        "create or replace function clock_now() returns timestamptz language sql volatile as
         $$ select clock_timestamp() + offset_by {more} from clock $$"
    )
}
