//! Timers: deadlines, and jobs in the outside world that have to be done at least once.
//!
//! A timer is claimed by a lease. Its handler may run again, because the process may die before the
//! transaction that ends the timer and records the outcome.

mod claim;
pub(crate) mod clock;

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use kernel::Timestamp;
use runtime::failpoint;
use runtime::metrics::Label;
use runtime::metrics::catalogue::TIMER_DURATION;
use runtime::scope::carried;
use runtime::status::chain;
use runtime::telemetry::job_span;
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::time::Instant;
use tracing::Instrument as _;

pub use self::claim::Timer;
use self::claim::{Lanes, NextDue, claim};
use self::clock::Found;
use crate::batch::NewTimer;
use crate::error::StoreError;
use crate::store::Store;
use crate::transaction::Tx;
use crate::wakeups::{LOOK_EVERY, Signal};

/// The timeout of a handler; after it the timer counts as failed.
const HANDLER_TIMEOUT: Duration = Duration::from_secs(20);
/// How often while the database's clock is not the machine's. Only tests set it, and they move it.
const LOOK_EVERY_IN_TESTS: Duration = Duration::from_millis(200);
/// How many timers of a process run at the same time.
const PARALLEL_MAX: usize = 8;
/// How long a process that stops waits for running handlers; a third party may hang for longer. An
/// abandoned timer runs again when its lease has ended.
const STOP_PATIENCE: Duration = Duration::from_secs(5);
/// The longest pause between two tries of a failing timer.
const BACKOFF_SECONDS_MAX: u64 = 60;

/// Handles the timers of a service.
pub trait TimerHandler: Send + Sync + 'static {
    /// Does the work, and ends or moves the timer in the transaction that records the outcome.
    /// After an error the timer is tried again, with growing pauses.
    fn fire(
        &self,
        timer: Timer,
    ) -> BoxFuture<'_, Result<(), Box<dyn std::error::Error + Send + Sync>>>;

    /// Groups of kinds that wait for the same third party, and so share places. A kind in no group
    /// has places of its own.
    fn share_a_third_party(&self) -> &'static [&'static [&'static str]] {
        &[]
    }
}

impl Tx {
    /// Sets the timer of this kind and subject, or moves the existing one. It is written when the
    /// transaction ends at the latest.
    pub async fn set_timer(
        &mut self,
        kind: &str,
        subject: &str,
        due_at: Timestamp,
        payload: Value,
    ) -> Result<(), StoreError> {
        self.set_any_timer(NewTimer::new(kind, subject, due_at, payload)).await
    }

    /// Sets a timer that gives way to other timers of its lane: no person waits for it, and many
    /// such timers may fall due at once.
    pub async fn set_bulk_timer(
        &mut self,
        kind: &str,
        subject: &str,
        due_at: Timestamp,
        payload: Value,
    ) -> Result<(), StoreError> {
        let timer = NewTimer::new(kind, subject, due_at, payload);
        self.set_any_timer(NewTimer { is_bulk: true, ..timer }).await
    }

    async fn set_any_timer(&mut self, timer: NewTimer) -> Result<(), StoreError> {
        let metadata = serde_json::to_value(self.metadata()).unwrap_or_default();
        let within = self.until(timer.due_at);
        self.batch.set_timer(NewTimer { metadata, ..timer }, within);
        self.flush_when_full().await
    }

    /// Whether there is a timer of this kind and subject, due or running.
    pub async fn has_timer(&mut self, kind: &str, subject: &str) -> Result<bool, StoreError> {
        Ok(sqlx::query_scalar(
            "select exists (select from timers where kind = $1 and subject = $2)",
        )
        .bind(kind)
        .bind(subject)
        .fetch_one(self.connection())
        .await?)
    }

    /// Ends the timer of this kind and subject, if there is one.
    pub async fn end_timer(&mut self, kind: &str, subject: &str) -> Result<(), StoreError> {
        self.batch.end_timer(kind, subject);
        sqlx::query("delete from timers where kind = $1 and subject = $2")
            .bind(kind)
            .bind(subject)
            .execute(self.connection())
            .await?;
        Ok(())
    }

    /// Ends a timer that its handler has claimed, unless another transaction has set it again
    /// since. Make it the last statement: what was read before may have changed with that.
    pub async fn end_claimed_timer(&mut self, timer: &Timer) -> Result<(), StoreError> {
        // A timer that was set again and claimed by another handler has the same number of tries.
        sqlx::query("delete from timers where timer_id = $1 and attempts = $2 and due_at = $3")
            .bind(timer.timer_id)
            .bind(timer.attempts)
            .bind(timer.due_at)
            .execute(self.connection())
            .await?;
        Ok(())
    }
}

/// Releases a failed timer for a later try. If its handler has moved it, it keeps the new time.
async fn retry_later(store: &Store, timer: &Timer) -> Result<(), StoreError> {
    let exponent = u32::try_from(timer.attempts.clamp(1, 7) - 1).unwrap_or(0);
    let most = 2_u64.saturating_pow(exponent).min(BACKOFF_SECONDS_MAX).saturating_mul(1000);
    let pause = Duration::from_millis(rand::random_range(most / 2..=most));
    sqlx::query(
        "update timers set lease_until_at = clock_timestamp() + make_interval(secs => $3)
         where timer_id = $1 and attempts = $2 and due_at = $4",
    )
    .bind(timer.timer_id)
    .bind(timer.attempts)
    .bind(pause.as_secs_f64())
    .bind(timer.due_at)
    .execute(store.pool())
    .await?;
    store.expect_timer(pause);
    Ok(())
}

/// Fires timers as they fall due until `stop` ends; then waits some seconds for running handlers.
pub async fn run_timers(
    store: Store,
    handler: Arc<dyn TimerHandler>,
    stop: impl Future<Output = ()> + Send,
) {
    let places = Arc::new(Semaphore::new(PARALLEL_MAX));
    let lanes = Lanes::new(handler.share_a_third_party());
    let mut stop = std::pin::pin!(stop);
    let mut poll_at = Instant::now();
    loop {
        let mut is_due = true;
        if Instant::now() >= poll_at {
            (is_due, poll_at) = next_look(&store).await;
        }
        if is_due && let Err(error) = look(&store, &handler, (&places, &lanes)).await {
            tracing::warn!(%error, "timers could not be read");
        }
        let until = store.next_timer().map_or(poll_at, |at| at.min(poll_at));
        let waits = until.saturating_duration_since(Instant::now());
        tokio::select! {
            () = &mut stop => break,
            () = store.wait_for(Signal::TimersDue, waits) => {}
        }
    }
    let everything = u32::try_from(PARALLEL_MAX).unwrap_or(u32::MAX);
    if tokio::time::timeout(STOP_PATIENCE, places.acquire_many(everything)).await.is_err() {
        tracing::warn!("timers were still running when the time to finish them was over");
    }
}

/// Whether a timer can be claimed, and when to ask again if nothing is committed here: when the
/// next one falls due.
async fn next_look(store: &Store) -> (bool, Instant) {
    let (is_due, waits) = match claim::next_due(store.pool()).await {
        Ok(NextDue { is_due, clock_is_moved: true, .. }) => (is_due, LOOK_EVERY_IN_TESTS),
        Ok(NextDue { is_due, within, .. }) => {
            (is_due, within.map_or(LOOK_EVERY, |within| within.min(LOOK_EVERY)))
        }
        // The look meets the same error, and logs it.
        Err(_unreachable) => (true, LOOK_EVERY),
    };
    (is_due, Instant::now() + waits)
}

/// Claims as many timers as there are free places, and fires them; none while the database's clock
/// has stepped.
async fn look(
    store: &Store,
    handler: &Arc<dyn TimerHandler>,
    (places, lanes): (&Arc<Semaphore>, &Lanes),
) -> Result<(), StoreError> {
    // Also of one that ends while this looks.
    lanes.note_waiting(true);
    let free = places.available_permits();
    if free == 0 {
        return Ok(());
    }
    look_at_the_clock(store).await?;
    let expected = store.clock().expected(Instant::now());
    let Some(expected) = expected else { return Ok(()) };
    let timers = claim(store.pool(), lanes, (free, expected)).await?;
    let has_all_places = timers.len() == free;
    for timer in timers {
        let entered = lanes.enter(&timer.kind);
        // Only this loop takes places, so all that were free are still free.
        let place = Arc::clone(places).try_acquire_owned();
        let (store, handler, waiting) = (store.clone(), Arc::clone(handler), lanes.clone());
        let span = job_span(&timer.kind, timer.metadata.traceparent.as_deref());
        let task = async move {
            fire(&store, handler.as_ref(), timer).await;
            drop((entered, place));
            if waiting.is_waiting() {
                // A place is free again.
                store.notify(Signal::TimersDue);
            }
        };
        tokio::spawn(carried(task.instrument(span)));
    }
    lanes.note_waiting(has_all_places || lanes.has_a_full_one());
    Ok(())
}

/// Compares the database's clock with ours from time to time, and logs a step.
async fn look_at_the_clock(store: &Store) -> Result<(), StoreError> {
    if !store.clock().is_due(Instant::now()) {
        return Ok(());
    }
    let theirs = sqlx::query_scalar("select clock_timestamp()").fetch_one(store.pool()).await?;
    let found = store.clock().look(theirs, Instant::now());
    if let Found::Stepped(seconds) = found {
        tracing::error!(seconds, "the database's clock has stepped, and timers wait");
    }
    Ok(())
}

async fn fire(store: &Store, handler: &dyn TimerHandler, timer: Timer) {
    failpoint::pass(&format_args!("{}.claimed", timer.kind));
    let began = Instant::now();
    let firing = failpoint::under(&timer.kind, handler.fire(timer.clone()));
    let fired = tokio::time::timeout(HANDLER_TIMEOUT, firing).await;
    let outcome = if matches!(fired, Ok(Ok(()))) { "done" } else { "failed" };
    let labels = [Label::Kind.of(timer.kind.clone()), Label::Outcome.of(outcome)];
    TIMER_DURATION.record(began.elapsed(), &labels);
    let error = match fired {
        Ok(Ok(())) => return,
        Ok(Err(error)) => chain(error.as_ref()),
        Err(_elapsed) => "it took too long".to_owned(),
    };
    tracing::warn!(error, attempts = timer.attempts, "a timer will be tried again");
    if let Err(error) = retry_later(store, &timer).await {
        // The lease ends by itself.
        tracing::warn!(%error, "a failed timer could not be freed");
    }
}
