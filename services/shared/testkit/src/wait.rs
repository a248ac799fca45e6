//! Waiting on a condition instead of sleeping for a time.

use std::time::Duration;

use anyhow::{Context as _, Result};
use eventstore::{Store, feed};

/// How long a condition may take on a busy machine before the test fails.
const PATIENCE: Duration = Duration::from_secs(120);

/// Asks again and again until `probe` gives something, and returns that.
///
/// # Errors
/// When it gives nothing for two minutes, or fails.
pub async fn until<T, F>(what: &str, probe: F) -> Result<T>
where
    F: AsyncFnMut() -> Result<Option<T>>,
{
    until_within(PATIENCE, what, probe).await
}

/// Like [`until`], with a patience of its own.
///
/// # Errors
/// When it gives nothing for as long as `patience`, or fails.
pub async fn until_within<T, F>(patience: Duration, what: &str, mut probe: F) -> Result<T>
where
    F: AsyncFnMut() -> Result<Option<T>>,
{
    let asking = async {
        loop {
            if let Some(found) = probe().await? {
                return Ok(found);
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(patience, asking)
        .await
        .with_context(|| format!("waited in vain until {what}"))?
}

/// Gives positions to everything that was committed, where a test has no relay. Another process may
/// be at it with an older look at the log, and then it has to be asked again.
///
/// # Errors
/// When something stays behind for a minute, or the database does not answer.
pub async fn until_in_feed(store: &Store) -> Result<()> {
    until("every event is in the feed", async || {
        feed::number(store.pool(), 1000).await?;
        let behind: bool = sqlx::query_scalar("select exists (select 1 from outbox)")
            .fetch_one(store.pool())
            .await?;
        Ok((!behind).then_some(()))
    })
    .await
}
