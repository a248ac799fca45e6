//! A power cut that lasts: everything of ours dies at once and comes back when hours have passed.

use std::sync::atomic::Ordering;

use anyhow::Result;
use sqlx::{AssertSqlSafe, Executor as _};

use crate::practice::{OURS, Practice, STORES};

impl Practice {
    /// Kills every service, NATS and PostgreSQL, and lets so many minutes pass until they come up
    /// again: whoever reads the clock afterwards reads it with these minutes.
    ///
    /// # Errors
    /// When a database refuses, or something does not come up again.
    pub async fn is_down_for(&self, minutes: i64) -> Result<()> {
        let _moving = self.calm.write().await;
        for service in STORES {
            let mut database = self.database(service).await?;
            let sql = "select clock_timestamp()::text";
            let now: String = sqlx::query_scalar(sql).fetch_one(&mut database).await?;
            // No process can see the time in between: it comes with the database server's start.
            let jump = format!(
                "+ case when pg_postmaster_start_time() > timestamptz '{now}'
                        then interval '{minutes} minutes' else interval '0' end"
            );
            database.execute(AssertSqlSafe(clock(&jump))).await?;
        }
        self.kill(&OURS)?;
        self.healthy().await?;
        let ahead = self.ahead.fetch_add(minutes, Ordering::SeqCst) + minutes;
        for service in STORES {
            let mut database = self.database(service).await?;
            let moved = format!("update clock set offset_by = make_interval(mins => {ahead})");
            // At once, so that nobody reads a time without these minutes or with them twice.
            let all = format!("begin; {moved}; {}; commit", clock(""));
            database.execute(AssertSqlSafe(all)).await?;
        }
        Ok(())
    }
}

/// The databases' clock, with something added to it.
fn clock(more: &str) -> String {
    format!(
        "create or replace function clock_now() returns timestamptz language sql volatile as
         $$ select clock_timestamp() + offset_by {more} from clock $$"
    )
}
