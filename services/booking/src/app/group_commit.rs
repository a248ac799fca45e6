//! Group commit: requests that arrive while transactions are in flight are written together in the
//! next one (at most eight). With no transaction in flight a request is written at once.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use eventstore::StoreError;
use kernel::CommandError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tracing::Instrument as _;

use super::request_booking::{HeldBooking, PendingRequest, hold_batch};
use super::{App, Error};

/// The most requests in one batch. At this size each request's share of the round trips is small
/// already, and each batch size needs its own prepared statements.
const MAX_BATCH: usize = 8;
/// How many batches are in flight at once: while one waits for the database, the next is read.
const MAX_IN_FLIGHT: usize = 2;
/// How long a batch waits for more requests while another batch is in flight.
const LINGER: Duration = Duration::from_millis(1);
/// Lock timeout of a batch. On timeout the batch is rolled back and each request runs alone, so one
/// contended lock does not delay the others.
const LOCK_TIMEOUT: Duration = Duration::from_millis(100);
/// After this time a batch gives up its permit, so that the next batch can start, and is then
/// finished without one.
const PERMIT_TIMEOUT: Duration = Duration::from_millis(500);

/// The queue of requests, and a permit for each batch in flight.
pub struct GroupCommit {
    queue: Mutex<VecDeque<QueuedRequest>>,
    permits: Arc<Semaphore>,
}

struct QueuedRequest {
    request: Arc<PendingRequest>,
    reply_to: oneshot::Sender<Result<HeldBooking, Error>>,
}

impl Default for GroupCommit {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for GroupCommit {
    /// Omits the queue: its requests hold personal data.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Runs").finish_non_exhaustive()
    }
}

impl GroupCommit {
    /// An empty queue.
    #[must_use]
    pub fn new() -> Self {
        Self { queue: Mutex::default(), permits: Arc::new(Semaphore::new(MAX_IN_FLIGHT)) }
    }

    /// Holds a time, in one batch with other queued requests. A batch that was started is finished
    /// even if all of its callers have gone.
    ///
    /// # Errors
    /// The rejection, or that the outcome is unknown.
    pub(super) async fn submit(
        app: &Arc<App>,
        request: PendingRequest,
    ) -> Result<HeldBooking, Error> {
        let (reply_to, mut reply) = oneshot::channel();
        let request = Arc::new(request);
        app.group_commit
            .queue()
            .push_back(QueuedRequest { request: Arc::clone(&request), reply_to });
        loop {
            let permit = tokio::select! {
                biased;
                answer = &mut reply => return answer.unwrap_or_else(reply_lost),
                permit = Arc::clone(&app.group_commit.permits).acquire_owned() => permit,
            };
            let permit = permit.map_err(Error::unavailable)?;
            if app.group_commit.should_linger() {
                tokio::time::sleep(LINGER).await;
            }
            let batch = app.group_commit.next_batch();
            // Our request is in this batch, in an earlier one that gave up its permit, or in a
            // later one.
            let is_taken =
                batch.is_empty() || batch.iter().any(|one| Arc::ptr_eq(&one.request, &request));
            if !batch.is_empty() {
                tokio::spawn(commit(Arc::clone(app), batch, permit).in_current_span());
            }
            if is_taken {
                return reply.await.unwrap_or_else(reply_lost);
            }
        }
    }

    /// Whether other batches are in flight and this one still has room.
    fn should_linger(&self) -> bool {
        self.permits.available_permits() == 0 && self.queue().len() < MAX_BATCH
    }

    /// The oldest requests of the queue. A batch has at most one request per customer, because the
    /// live-hold limit is read once per batch.
    fn next_batch(&self) -> Vec<QueuedRequest> {
        let mut queue = self.queue();
        let (mut batch, mut rest) = (Vec::new(), VecDeque::with_capacity(queue.len()));
        let mut customers = HashSet::new();
        for queued in queue.drain(..).filter(|queued| !queued.reply_to.is_closed()) {
            if batch.len() < MAX_BATCH && customers.insert(queued.request.customer_id) {
                batch.push(queued);
            } else {
                rest.push_back(queued);
            }
        }
        *queue = rest;
        batch
    }

    fn queue(&self) -> MutexGuard<'_, VecDeque<QueuedRequest>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Commits a batch and keeps its permit for at most [`PERMIT_TIMEOUT`].
async fn commit(app: Arc<App>, batch: Vec<QueuedRequest>, permit: OwnedSemaphorePermit) {
    let mut committed = std::pin::pin!(commit_batch(&app, batch));
    let in_time = tokio::time::timeout(PERMIT_TIMEOUT, &mut committed).await;
    drop(permit);
    if in_time.is_err() {
        committed.await;
    }
}

async fn commit_batch(app: &Arc<App>, batch: Vec<QueuedRequest>) {
    let (requests, replies): (Vec<_>, Vec<_>) =
        batch.into_iter().map(|queued| (queued.request, queued.reply_to)).unzip();
    match hold_batch(app, requests.clone().into(), Some(LOCK_TIMEOUT)).await {
        Ok(outcomes) => {
            for (reply_to, outcome) in replies.into_iter().zip(outcomes) {
                reply(reply_to, outcome.map_err(CommandError::Rejected));
            }
        }
        Err(error) if single_may_succeed(&error, requests.len()) => {
            tracing::debug!(%error, requests = requests.len(), "each request of a run goes alone");
            for (request, reply_to) in requests.into_iter().zip(replies) {
                tokio::spawn(commit_single(Arc::clone(app), request, reply_to).in_current_span());
            }
        }
        Err(error) => {
            let times = replies.len();
            for (reply_to, error) in replies.into_iter().zip(replicate_error(error, times)) {
                reply(reply_to, Err(error));
            }
        }
    }
}

/// Runs one request of a failed batch in a transaction of its own, without a lock timeout. If the
/// batch was committed but the commit's result was lost, the idempotency key returns the first
/// answer.
async fn commit_single(
    app: Arc<App>,
    request: Arc<PendingRequest>,
    reply_to: oneshot::Sender<Result<HeldBooking, Error>>,
) {
    let outcome = match hold_batch(&app, Arc::new([request]), None).await {
        Ok(outcomes) => outcomes.into_iter().next().map(|one| one.map_err(CommandError::Rejected)),
        Err(error) => Some(Err(error)),
    };
    if let Some(outcome) = outcome {
        reply(reply_to, outcome);
    }
}

/// The caller may have gone; its hold stays committed.
fn reply(
    reply_to: oneshot::Sender<Result<HeldBooking, Error>>,
    outcome: Result<HeldBooking, Error>,
) {
    reply_to.send(outcome).ok();
}

/// One error per request of a batch that failed as a whole.
fn replicate_error(error: Error, times: usize) -> Vec<Error> {
    if times == 1 {
        return vec![error];
    }
    let error = Arc::new(error);
    (0..times).map(|_| Error::unavailable(Arc::clone(&error))).collect()
}

fn reply_lost(why: oneshot::error::RecvError) -> Result<HeldBooking, Error> {
    Err(Error::unavailable(why))
}

/// Whether the failure may be due to a single request or to one of its locks.
fn single_may_succeed(error: &Error, requests: usize) -> bool {
    match error {
        CommandError::Unavailable(source) => match source.downcast_ref::<StoreError>() {
            Some(StoreError::Held) => true,
            // An unavailable database fails a single request just the same.
            Some(why) => requests > 1 && !why.is_away(),
            // An error that isn't the store's is due to one request: a day that cannot be read.
            None => requests > 1,
        },
        CommandError::Rejected(_) | CommandError::Conflict | CommandError::NotFound => requests > 1,
    }
}

#[cfg(test)]
mod tests {
    use eventstore::StoreError;
    use kernel::CommandError;

    use super::{Error, single_may_succeed};

    #[test]
    fn errors_that_one_request_may_have_caused_are_retried_one_by_one() {
        let store = |error: StoreError| Error::unavailable(error);
        for (error, of_many, of_one) in [
            (store(StoreError::Held), true, true),
            (store(StoreError::Panicked), true, false),
            (store(StoreError::Database(sqlx::Error::PoolTimedOut)), false, false),
            (Error::unavailable("a day that cannot be read"), true, false),
            (CommandError::Conflict, true, false),
        ] {
            let words = format!("{error:?}");
            assert_eq!(single_may_succeed(&error, 64), of_many, "{words}");
            assert_eq!(single_may_succeed(&error, 1), of_one, "{words}");
        }
    }
}
