//! Waiting on a condition instead of sleeping for a time.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result};
use contract::events::{is_read, is_read_by};
use eventstore::{Store, checkpoint, feed};
use tokio::time::Instant;

/// The pauses between two probes grow with the time that was waited, because each probe takes
/// processor time from what it waits for.
const PAUSE_MIN: Duration = Duration::from_millis(20);
const PAUSE_MAX: Duration = Duration::from_millis(200);

/// How many seconds a condition may take on a busy machine before the test fails.
static PATIENCE_S: AtomicU64 = AtomicU64::new(120);

/// Lets each condition of this test program take as long as `patience`, because a call may have to
/// wait for hundreds of restarts.
pub fn be_patient(patience: Duration) {
    PATIENCE_S.store(patience.as_secs(), Ordering::Relaxed);
}

/// Asks again and again until `probe` gives something, and returns that.
///
/// # Errors
/// When it gives nothing for two minutes or what [`be_patient`] has set, or fails.
pub async fn until<T, F>(what: &str, probe: F) -> Result<T>
where
    F: AsyncFnMut() -> Result<Option<T>>,
{
    until_within(Duration::from_secs(PATIENCE_S.load(Ordering::Relaxed)), what, probe).await
}

/// Like [`until`], with a patience of its own.
///
/// # Errors
/// When it gives nothing for as long as `patience`, or fails.
pub async fn until_within<T, F>(patience: Duration, what: &str, mut probe: F) -> Result<T>
where
    F: AsyncFnMut() -> Result<Option<T>>,
{
    let begun = Instant::now();
    let asking = async {
        loop {
            if let Some(found) = probe().await? {
                return Ok(found);
            }
            let pause = begun.elapsed() / 8;
            tokio::time::sleep(pause.clamp(PAUSE_MIN, PAUSE_MAX)).await;
        }
    };
    tokio::time::timeout(patience, asking)
        .await
        .with_context(|| format!("waited in vain until {what}"))?
}

/// Gives positions to all committed events, for a test without a relay. Another process may do this
/// with an older view of the log; then it is tried again.
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

/// Waits until no timer is claimed. If the clock moved while a handler runs, the handler would
/// begin at one time and end at another.
///
/// # Errors
/// When a handler hangs, or the database does not answer.
pub async fn until_no_timer_runs(store: &Store) -> Result<()> {
    // A lease lasts 25 seconds and its handler 20 at most. A shorter rest can only be the pause of
    // a timer that has failed.
    const RUNNING: &str = "select exists (
        select from timers where lease_until_at > clock_timestamp() + interval '5 seconds')";
    until_not(store, "no timer runs", RUNNING).await
}

/// Waits until a service that runs is at rest: no timer is claimed, none is due that was not tried,
/// and every event from which something follows is in the feed.
///
/// # Errors
/// When it comes to no rest, or the database does not answer.
pub async fn until_at_rest(store: &Store) -> Result<()> {
    const DUE: &str = "select exists (
        select from timers where attempts = 0 and due_at <= clock_now())";
    until("every event that a service reads is in the feed", async || {
        let waiting: Vec<String> =
            sqlx::query_scalar("select event_type from outbox join events using (seq)")
                .fetch_all(store.pool())
                .await?;
        Ok((!waiting.iter().any(|event_type| is_read(event_type))).then_some(()))
    })
    .await?;
    until_not(store, "all that is due was taken up", DUE).await?;
    until_no_timer_runs(store).await
}

/// Whether a consumer has taken in all events of its source from which something follows at it.
/// Others may wait for a second.
///
/// # Errors
/// When a database does not answer.
pub async fn has_taken_in(reader: &Store, consumer: &str, source: &Store) -> Result<bool> {
    let Some((service, name)) = consumer.split_once("-on-") else { return Ok(false) };
    let position = checkpoint::position(reader, consumer, name).await?;
    let ahead: Vec<String> = sqlx::query_scalar(
        "select event_type from events left join feed using (seq)
         where position is null or position > $1",
    )
    .bind(position)
    .fetch_all(source.pool())
    .await?;
    Ok(!ahead.iter().any(|event_type| is_read_by(service, event_type)))
}

async fn until_not(store: &Store, what: &str, asked: &'static str) -> Result<()> {
    until(what, async || {
        let holds: bool = sqlx::query_scalar(asked).fetch_one(store.pool()).await?;
        Ok((!holds).then_some(()))
    })
    .await
}
