//! Work for later: deadlines, and jobs in the outside world that have to be done at least once.
//!
//! A timer is claimed by a lease. Its handler must bear being run again, because the process may
//! die before the transaction that ends the timer; that transaction also records what came of it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;
use kernel::Timestamp;
use runtime::failpoint;
use runtime::status::chain;
use runtime::telemetry::job_span;
use serde_json::Value;
use sqlx::postgres::PgRow;
use sqlx::{PgExecutor, Row};
use tokio::sync::Semaphore;
use tracing::Instrument as _;
use uuid::Uuid;

use crate::error::StoreError;
use crate::event::Metadata;
use crate::store::{News, Store};
use crate::transaction::Tx;

/// How long a claimed timer is left alone. A handler has a little less.
const LEASE_SECONDS: f64 = 25.0;
/// How long a handler may take; then it counts as failed.
const HANDLER_TIMEOUT: Duration = Duration::from_secs(20);
/// How often the table is looked at when nothing was committed here.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// How many timers of a process run at the same time.
const PARALLEL_MAX: usize = 8;
/// How many of these are of one kind, so that a third party that hangs holds up nothing else.
const PARALLEL_OF_A_KIND_MAX: usize = 4;
/// The longest wait between two tries of a timer that fails.
const BACKOFF_SECONDS_MAX: i32 = 60;

/// A timer that has fallen due and was claimed.
#[derive(Debug, Clone)]
pub struct Timer {
    /// Its own id.
    pub timer_id: Uuid,
    /// What is to be done.
    pub kind: String,
    /// What it is to be done with, for example a booking's id.
    pub subject: String,
    /// When it fell due.
    pub due_at: Timestamp,
    /// What else the handler needs.
    pub payload: Value,
    /// What led to it: the metadata of the transaction that set it.
    pub metadata: Metadata,
    /// Which try this is, from 1.
    pub attempts: i32,
}

/// Does what timers of a service ask for.
pub trait TimerHandler: Send + Sync + 'static {
    /// Does it, and ends or moves the timer in the transaction that records the outcome. After an
    /// error the timer is tried again, later each time.
    fn fire(
        &self,
        timer: Timer,
    ) -> BoxFuture<'_, Result<(), Box<dyn std::error::Error + Send + Sync>>>;
}

impl Tx {
    /// Sets the timer of this kind and subject; one that exists is moved. It is written at the
    /// latest when the transaction ends.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn set_timer(
        &mut self,
        kind: &str,
        subject: &str,
        due_at: Timestamp,
        payload: Value,
    ) -> Result<(), StoreError> {
        let metadata = serde_json::to_value(self.metadata()).unwrap_or_default();
        let is_soon = self.is_due_soon(due_at);
        self.batch.set_timer((kind, subject), (due_at, is_soon), (payload, metadata));
        self.flush_when_full().await
    }

    /// Ends the timer of this kind and subject, if there is one.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn end_timer(&mut self, kind: &str, subject: &str) -> Result<(), StoreError> {
        self.batch.end_timer(kind, subject);
        sqlx::query("delete from timers where kind = $1 and subject = $2")
            .bind(kind)
            .bind(subject)
            .execute(self.connection())
            .await?;
        Ok(())
    }
}

/// Claims the timer that is due, unless it is of one of the kinds in `full`.
async fn claim(
    executor: impl PgExecutor<'_>,
    full: &[String],
) -> Result<Option<Timer>, StoreError> {
    let row = sqlx::query(
        "update timers
         set lease_until_at = clock_timestamp() + make_interval(secs => $1),
             attempts = attempts + 1
         where timer_id = (
             select timer_id from timers
             where due_at <= (select clock_now()) and lease_until_at <= clock_timestamp()
               and kind <> all ($2)
             order by attempts, due_at limit 1
             for update skip locked)
         returning timer_id, kind, subject, due_at, payload, metadata, attempts",
    )
    .bind(LEASE_SECONDS)
    .bind(full)
    .fetch_optional(executor)
    .await?;
    let read = |row: PgRow| {
        Ok::<Timer, sqlx::Error>(Timer {
            timer_id: row.try_get("timer_id")?,
            kind: row.try_get("kind")?,
            subject: row.try_get("subject")?,
            due_at: row.try_get("due_at")?,
            payload: row.try_get("payload")?,
            metadata: serde_json::from_value(row.try_get("metadata")?).unwrap_or_default(),
            attempts: row.try_get("attempts")?,
        })
    };
    Ok(row.map(read).transpose()?)
}

/// Frees a timer that failed, for a later try. One that its handler has moved keeps its new time.
async fn retry_later(executor: impl PgExecutor<'_>, timer: &Timer) -> Result<(), StoreError> {
    let exponent = u32::try_from(timer.attempts.clamp(1, 7) - 1).unwrap_or(0);
    let seconds = 2_i32.saturating_pow(exponent).min(BACKOFF_SECONDS_MAX);
    sqlx::query(
        "update timers
         set lease_until_at = clock_timestamp() + make_interval(secs => $3) * (0.5 + random() / 2)
         where timer_id = $1 and attempts = $2",
    )
    .bind(timer.timer_id)
    .bind(timer.attempts)
    .bind(f64::from(seconds))
    .execute(executor)
    .await?;
    Ok(())
}

/// Fires timers as they fall due until `stop` is done; then waits for those that are running.
pub async fn run_timers(
    store: Store,
    handler: Arc<dyn TimerHandler>,
    stop: impl Future<Output = ()> + Send,
) {
    let places = Arc::new(Semaphore::new(PARALLEL_MAX));
    let running = Running::default();
    let mut stop = std::pin::pin!(stop);
    loop {
        let looked = look(&store, &handler, &places, &running).await;
        let waits = match looked {
            Ok(0) => LOOK_EVERY,
            Ok(_) => Duration::from_millis(5),
            Err(error) => {
                tracing::warn!(%error, "timers could not be read");
                Duration::from_secs(1)
            }
        };
        tokio::select! {
            () = &mut stop => break,
            () = store.heard(News::TimersDue, waits) => {}
        }
    }
    let everything = u32::try_from(PARALLEL_MAX).unwrap_or(u32::MAX);
    // Only a closed semaphore fails here, and nobody closes it.
    drop(places.acquire_many(everything).await);
}

/// The timers that run in this process, by kind.
#[derive(Debug, Default, Clone)]
struct Running(Arc<Mutex<BTreeMap<String, usize>>>);

impl Running {
    /// Counts one more of a kind until the value that is returned is dropped.
    fn enter(&self, kind: &str) -> Entered {
        *self.counts().entry(kind.to_owned()).or_default() += 1;
        Entered { running: self.clone(), kind: kind.to_owned() }
    }

    /// The kinds of which no more may run.
    fn full(&self) -> Vec<String> {
        let full = |(kind, count): (&String, &usize)| {
            (*count >= PARALLEL_OF_A_KIND_MAX).then(|| kind.clone())
        };
        self.counts().iter().filter_map(full).collect()
    }

    fn counts(&self) -> MutexGuard<'_, BTreeMap<String, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One timer that runs.
struct Entered {
    running: Running,
    kind: String,
}

impl Drop for Entered {
    fn drop(&mut self) {
        if let Some(count) = self.running.counts().get_mut(&self.kind) {
            *count = count.saturating_sub(1);
        }
    }
}

async fn look(
    store: &Store,
    handler: &Arc<dyn TimerHandler>,
    places: &Arc<Semaphore>,
    running: &Running,
) -> Result<usize, StoreError> {
    let mut claimed = 0;
    while let Ok(place) = Arc::clone(places).try_acquire_owned() {
        let Some(timer) = claim(store.pool(), &running.full()).await? else { break };
        claimed += 1;
        let entered = running.enter(&timer.kind);
        let (store, handler) = (store.clone(), Arc::clone(handler));
        let span = job_span(&timer.kind, timer.metadata.traceparent.as_deref());
        let task = async move {
            fire(&store, handler.as_ref(), timer).await;
            drop((entered, place));
            // There is room for another one.
            store.announce(News::TimersDue);
        };
        tokio::spawn(task.instrument(span));
    }
    Ok(claimed)
}

async fn fire(store: &Store, handler: &dyn TimerHandler, timer: Timer) {
    failpoint::pass(&format_args!("{}.claimed", timer.kind));
    let firing = failpoint::under(&timer.kind, handler.fire(timer.clone()));
    let fired = tokio::time::timeout(HANDLER_TIMEOUT, firing).await;
    let error = match fired {
        Ok(Ok(())) => return,
        Ok(Err(error)) => chain(error.as_ref()),
        Err(_elapsed) => "it took too long".to_owned(),
    };
    tracing::warn!(error, attempts = timer.attempts, "a timer will be tried again");
    if let Err(error) = retry_later(store.pool(), &timer).await {
        // Its lease runs out by itself.
        tracing::warn!(%error, "a failed timer could not be freed");
    }
}
