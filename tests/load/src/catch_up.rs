//! Waits until the consumers have caught up: every event is numbered and handled by all consumers
//! of booking's feed. Otherwise the next measurement would compete with that work.

use std::time::Duration;

use anyhow::Result;
use sqlx::PgConnection;
use system::Practice;
use testkit::until_within;
use tokio::time::Instant;

/// The consumers of booking's feed.
pub(crate) const READERS: [&str; 3] = ["payments", "notifications", "reviews"];
/// How long catching up may take.
const TIMEOUT: Duration = Duration::from_secs(180);

/// Waits until all consumers have caught up, and returns how long that took.
///
/// # Errors
/// When it takes too long, or an event was parked.
pub(crate) async fn until_caught_up(practice: &Practice) -> Result<Duration> {
    let began = Instant::now();
    let mut readers = Vec::new();
    for name in READERS {
        readers.push(practice.database(name).await?);
    }
    until_taken_in(practice.database("booking").await?, readers).await?;
    Ok(began.elapsed())
}

/// Waits until the readers' databases have taken in every event of booking's.
///
/// # Errors
/// When it takes too long, or an event was parked.
pub(crate) async fn until_taken_in(
    mut booking: PgConnection,
    mut readers: Vec<PgConnection>,
) -> Result<()> {
    until_within(TIMEOUT, "every event is taken in", async || {
        let sql = "select case when exists (select from outbox) then null
                          else (select coalesce(max(position), 0) from feed) end";
        let head: Option<i64> = sqlx::query_scalar(sql).fetch_one(&mut booking).await?;
        let Some(head) = head else { return Ok(None) };
        for reader in &mut readers {
            if position(reader).await? < head {
                return Ok(None);
            }
        }
        Ok(Some(()))
    })
    .await?;
    for reader in &mut readers {
        let parked: i64 =
            sqlx::query_scalar("select count(*) from parked_events").fetch_one(reader).await?;
        anyhow::ensure!(parked == 0, "{parked} events were parked");
    }
    Ok(())
}

async fn position(reader: &mut PgConnection) -> Result<i64> {
    let sql = "select coalesce(min(position), 0) from checkpoints where source = 'booking'";
    Ok(sqlx::query_scalar(sql).fetch_one(reader).await?)
}

/// How many bookings there are.
pub(crate) async fn bookings(practice: &Practice) -> Result<i64> {
    let mut database = practice.database("booking").await?;
    Ok(sqlx::query_scalar("select count(*) from bookings").fetch_one(&mut database).await?)
}
