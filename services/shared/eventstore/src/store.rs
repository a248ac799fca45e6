//! A service's database as its commands see it: one function writes, and cancelling its caller does
//! not stop it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;
use kernel::Timestamp;
use runtime::failpoint::Step;
use sqlx::PgPool;
use tokio::sync::{Semaphore, SemaphorePermit, broadcast};
use tokio::time::{Instant, timeout};

use crate::error::{Retry, StoreError};
use crate::event::{Metadata, Numbered, Recorded};
use crate::timer::clock::Clock;
use crate::transaction::{self, Tx};
use crate::wakeups::{LOOK_EVERY, Signal, Wakeups};

/// How often a conflicting write is repeated before the caller gets the conflict.
const TRIES: u32 = 4;

/// A service's event log and its own tables. Cloning it shares the connections.
#[derive(Debug, Clone)]
pub struct Store {
    pool: PgPool,
    wakeups: Arc<Wakeups>,
    /// Permits of writing transactions, fewer than the pool's connections, so that reads go on
    /// while commits wait for a standby.
    writers: Arc<Semaphore>,
    /// When a write last found no room, if none has succeeded since.
    refused_at: Arc<Mutex<Option<Instant>>>,
    /// The database's clock compared with ours, as the timers read it last.
    clock: Arc<Mutex<Clock>>,
}

impl Store {
    /// A store on this pool.
    #[must_use]
    pub fn new(pool: PgPool) -> Self {
        let connections = pool.options().get_max_connections();
        let writers = Arc::new(Semaphore::new(writers_max(connections)));
        Self {
            pool,
            wakeups: Arc::default(),
            writers,
            refused_at: Arc::default(),
            clock: Arc::default(),
        }
    }

    /// The pool, for reads. A request asks for one connection at a time and never holds two.
    #[must_use]
    pub fn pool(&self) -> &PgPool {
        &self.pool
    }

    /// The one clock.
    pub async fn now(&self) -> Result<Timestamp, StoreError> {
        let now = sqlx::query_scalar("select clock_now()").fetch_one(&self.pool).await?;
        Ok(now)
    }

    /// Whether the database's clock has stepped since the timers read it. Decisions that a time
    /// would make final wait then.
    pub async fn has_clock_stepped(&self, tx: &mut Tx) -> Result<bool, StoreError> {
        let theirs = "select clock_timestamp()";
        let theirs = sqlx::query_scalar(theirs).fetch_one(tx.connection()).await?;
        Ok(self.clock().has_stepped(theirs, Instant::now()))
    }

    pub(crate) fn clock(&self) -> MutexGuard<'_, Clock> {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the database answers and is migrated; for readiness.
    ///
    /// # Errors
    /// When it does not answer or lacks migrations.
    pub async fn check(&self) -> Result<(), StoreError> {
        self.now().await.map(|_now| ())
    }

    /// Runs `work` in one transaction and commits it when it succeeds.
    ///
    /// The transaction runs in a task of its own that the caller only awaits: sqlx 0.9 leaks an
    /// open transaction when a future is dropped during `BEGIN`, and a caller may be dropped at any
    /// await. When another transaction wrote first, `work` runs again, at most three times more, so
    /// it has to load through its `Tx` what it decides on.
    ///
    /// # Errors
    /// The error of `work`; nothing was written then. `Conflict` when other transactions wrote
    /// first each time, `Panicked` when `work` did.
    pub async fn write<T, E, F>(&self, metadata: Metadata, work: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Retry + Send + 'static,
        F: for<'t> Fn(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send + Sync + 'static,
    {
        self.write_step(Step::of::<F>(), metadata, work).await
    }

    /// The same as a step of another name: for a function that runs the work of others.
    ///
    /// # Errors
    /// As for [`Self::write`].
    pub async fn write_step<T, E, F>(&self, step: Step, metadata: Metadata, work: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Retry + Send + 'static,
        F: for<'t> Fn(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send + Sync + 'static,
    {
        let store = self.clone();
        let task = async move {
            let mut tries = 1;
            loop {
                match store.attempt(&metadata, &work, &step).await {
                    Err(error) if error.is_conflict() && tries < TRIES => {
                        tokio::time::sleep(jitter(tries)).await;
                        tries += 1;
                    }
                    result => return result,
                }
            }
        };
        match runtime::spawn(task).await {
            Ok(result) => result,
            Err(error) => Err(StoreError::from(error).into()),
        }
    }

    async fn attempt<T, E, F>(&self, metadata: &Metadata, work: &F, step: &Step) -> Result<T, E>
    where
        E: From<StoreError>,
        F: for<'t> Fn(&'t mut Tx) -> BoxFuture<'t, Result<T, E>>,
    {
        let _turn = self.turn().await?;
        let begun = self.pool.begin().await.map_err(StoreError::from)?;
        let mut tx = Tx::new(begun, metadata.clone());
        let result = match work(&mut tx).await {
            Ok(value) => tx.flush().await.map(|()| value).map_err(|error| {
                self.note_refusal(&error);
                E::from(error)
            }),
            Err(error) => Err(error),
        };
        match result {
            Ok(value) => {
                step.pass("before-commit");
                let (is_read, timer_in) = (tx.batch.is_read, tx.batch.timer_in);
                tx.commit().await.inspect_err(|error| self.note_refusal(error))?;
                *self.refused_at() = None;
                step.pass("after-commit");
                self.wakeups.committed.notify_waiters();
                if is_read {
                    self.notify(Signal::Appended);
                }
                if let Some(within) = timer_in {
                    self.expect_timer(within);
                }
                Ok(value)
            }
            Err(error) => {
                tx.rollback().await;
                Err(error)
            }
        }
    }

    /// Waits for a permit to write, as long as for a connection.
    async fn turn(&self) -> Result<SemaphorePermit<'_>, StoreError> {
        let limit = self.pool.options().get_acquire_timeout();
        match timeout(limit, self.writers.acquire()).await {
            Ok(Ok(turn)) => Ok(turn),
            Ok(Err(_closed)) => Err(sqlx::Error::PoolClosed.into()),
            Err(_elapsed) => Err(sqlx::Error::PoolTimedOut.into()),
        }
    }

    fn note_refusal(&self, error: &StoreError) {
        if error.is_without_room() {
            *self.refused_at() = Some(Instant::now());
        }
    }

    /// How long ago a write of this process last found no room; `None` if one has succeeded since.
    pub(crate) fn refused_since(&self) -> Option<Duration> {
        self.refused_at().map(|at| at.elapsed())
    }

    fn refused_at(&self) -> MutexGuard<'_, Option<Instant>> {
        // An instant cannot be half-written.
        self.refused_at.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes the loop of this process that waits for a signal.
    pub fn notify(&self, signal: Signal) {
        self.wakeups.of(signal).notify_one();
    }

    /// Lets the loop of timers look again after this time, if it would look later.
    pub(crate) fn expect_timer(&self, within: Duration) {
        if within < LOOK_EVERY {
            self.wakeups.expect_timer(Instant::now() + within);
        }
    }

    /// When the next timer falls due that this process has set.
    pub(crate) fn next_timer(&self) -> Option<Instant> {
        self.wakeups.next_timer(Instant::now())
    }

    /// Waits until this process has given the signal since the last wait, or until `at_most` has
    /// passed. Polling shows what other processes do.
    pub async fn wait_for(&self, signal: Signal, at_most: Duration) {
        // After the timeout the caller polls, as after a signal.
        drop(tokio::time::timeout(at_most, self.wakeups.of(signal).notified()).await);
    }

    /// Hands events that were given positions to the tasks of this process that follow them.
    pub fn announce(&self, events: Vec<Numbered>) {
        // Without a follower there is no one to tell.
        drop(self.wakeups.numbered.send(events.into()));
    }

    /// Events as this process gives them positions, from now on. What other processes number is
    /// not among them; a follower that falls behind reads the feed.
    #[must_use]
    pub fn announced(&self) -> broadcast::Receiver<Arc<[Numbered]>> {
        self.wakeups.numbered.subscribe()
    }

    /// Waits until this process commits anything, or until `at_most` has passed.
    pub async fn wait_for_commit(&self, at_most: Duration) {
        drop(tokio::time::timeout(at_most, self.wakeups.committed.notified()).await);
    }

    /// Reads a stream outside a transaction, for a read that decides nothing.
    pub async fn load(&self, stream_id: &str) -> Result<Vec<Recorded>, StoreError> {
        transaction::load(&self.pool, stream_id).await
    }
}

/// A short pause that differs between tasks, so that two conflicting ones do not conflict again.
fn jitter(tries: u32) -> Duration {
    Duration::from_millis(u64::from(rand::random_range(1..=10 * tries)))
}

/// How many transactions may write at a time: a quarter of the connections, and at least one of
/// several, is left for reads.
fn writers_max(connections: u32) -> usize {
    let writers = connections - connections.div_ceil(4);
    usize::try_from(writers).unwrap_or(usize::MAX).max(1)
}
