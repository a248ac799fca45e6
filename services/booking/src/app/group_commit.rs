//! Group commit: requests that arrive while transactions are in flight are written together in the
//! next one (at most eight). With no transaction in flight a request is written at once.

use std::collections::{HashSet, VecDeque};
use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use eventstore::StoreError;
use futures::future::BoxFuture;
use kernel::CommandError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

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

/// A request that may be committed together with others.
pub trait Batched: Send + Sync + 'static {
    /// What no two requests of one batch share.
    type Key: Eq + Hash;
    /// What it is answered with.
    type Answer: Send + 'static;
    /// Why it is rejected.
    type Rejection: Debug + Display + Send + Sync + 'static;

    /// This request's key.
    fn key(&self) -> Self::Key;
}

/// Why a batch failed as a whole.
type Error<R> = CommandError<<R as Batched>::Rejection>;
/// The answer to a request, or why there is none.
type Reply<R> = Result<<R as Batched>::Answer, Error<R>>;
/// What was decided about a request.
type Outcome<R> = Result<<R as Batched>::Answer, <R as Batched>::Rejection>;

/// Commits a batch in one transaction, within a lock timeout if there is one, and returns the
/// outcome of each request in the batch's order, or why the whole batch failed.
pub type Commit<R> = Arc<
    dyn Fn(Arc<[Arc<R>]>, Option<Duration>) -> BoxFuture<'static, Result<Vec<Outcome<R>>, Error<R>>>
        + Send
        + Sync,
>;

/// The queue of requests, and a permit for each batch in flight.
pub struct GroupCommit<R: Batched> {
    queue: Mutex<VecDeque<QueuedRequest<R>>>,
    permits: Arc<Semaphore>,
}

struct QueuedRequest<R: Batched> {
    request: Arc<R>,
    reply_to: oneshot::Sender<Reply<R>>,
}

impl<R: Batched> Default for GroupCommit<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R: Batched> std::fmt::Debug for GroupCommit<R> {
    /// Omits the queue: its requests hold personal data.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GroupCommit").finish_non_exhaustive()
    }
}

impl<R: Batched> GroupCommit<R> {
    /// An empty queue.
    #[must_use]
    pub fn new() -> Self {
        Self { queue: Mutex::default(), permits: Arc::new(Semaphore::new(MAX_IN_FLIGHT)) }
    }

    /// Commits a request, in one batch with other queued requests, by the `commit` of one of them.
    /// A batch that was started is finished even if all of its callers have gone.
    ///
    /// # Errors
    /// The rejection, or that the outcome is unknown.
    pub(super) async fn submit(&self, request: R, commit: Commit<R>) -> Reply<R> {
        let (reply_to, mut reply) = oneshot::channel();
        let request = Arc::new(request);
        self.queue().push_back(QueuedRequest { request: Arc::clone(&request), reply_to });
        loop {
            let permit = tokio::select! {
                biased;
                answer = &mut reply => return answer.unwrap_or_else(reply_lost::<R>),
                permit = Arc::clone(&self.permits).acquire_owned() => permit,
            };
            let permit = permit.map_err(CommandError::unavailable)?;
            if self.should_linger() {
                tokio::time::sleep(LINGER).await;
            }
            let batch = self.next_batch();
            // Our request is in this batch, in an earlier one that gave up its permit, or in a
            // later one.
            let is_taken =
                batch.is_empty() || batch.iter().any(|one| Arc::ptr_eq(&one.request, &request));
            if !batch.is_empty() {
                let batch = commit_within(Arc::clone(&commit), batch, permit);
                runtime::spawn(batch);
            }
            if is_taken {
                return reply.await.unwrap_or_else(reply_lost::<R>);
            }
        }
    }

    /// Whether other batches are in flight and this one still has room.
    fn should_linger(&self) -> bool {
        self.permits.available_permits() == 0 && self.queue().len() < MAX_BATCH
    }

    /// The oldest requests of the queue, at most one with the same key.
    fn next_batch(&self) -> Vec<QueuedRequest<R>> {
        let mut queue = self.queue();
        let (mut batch, mut rest) = (Vec::new(), VecDeque::with_capacity(queue.len()));
        let mut keys = HashSet::new();
        for queued in queue.drain(..).filter(|queued| !queued.reply_to.is_closed()) {
            if batch.len() < MAX_BATCH && keys.insert(queued.request.key()) {
                batch.push(queued);
            } else {
                rest.push_back(queued);
            }
        }
        *queue = rest;
        batch
    }

    fn queue(&self) -> MutexGuard<'_, VecDeque<QueuedRequest<R>>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Commits a batch and keeps its permit for at most [`PERMIT_TIMEOUT`].
async fn commit_within<R: Batched>(
    commit: Commit<R>,
    batch: Vec<QueuedRequest<R>>,
    permit: OwnedSemaphorePermit,
) {
    let mut committed = std::pin::pin!(commit_batch(&commit, batch));
    let in_time = tokio::time::timeout(PERMIT_TIMEOUT, &mut committed).await;
    drop(permit);
    if in_time.is_err() {
        committed.await;
    }
}

async fn commit_batch<R: Batched>(commit: &Commit<R>, batch: Vec<QueuedRequest<R>>) {
    let (requests, replies): (Vec<_>, Vec<_>) =
        batch.into_iter().map(|queued| (queued.request, queued.reply_to)).unzip();
    match commit(requests.clone().into(), Some(LOCK_TIMEOUT)).await {
        Ok(outcomes) => {
            for (reply_to, outcome) in replies.into_iter().zip(outcomes) {
                reply::<R>(reply_to, outcome.map_err(CommandError::Rejected));
            }
        }
        Err(error) if single_may_succeed(&error, requests.len()) => {
            tracing::debug!(%error, requests = requests.len(), "each request of a run goes alone");
            for (request, reply_to) in requests.into_iter().zip(replies) {
                let single = commit_single(Arc::clone(commit), request, reply_to);
                runtime::spawn(single);
            }
        }
        Err(error) => {
            let times = replies.len();
            for (reply_to, error) in replies.into_iter().zip(replicate_error::<R>(error, times)) {
                reply::<R>(reply_to, Err(error));
            }
        }
    }
}

/// Runs one request of a failed batch in a transaction of its own, without a lock timeout. If the
/// batch was committed but the commit's result was lost, the idempotency key returns the first
/// answer.
async fn commit_single<R: Batched>(
    commit: Commit<R>,
    request: Arc<R>,
    reply_to: oneshot::Sender<Reply<R>>,
) {
    let outcome = match commit(Arc::new([request]), None).await {
        Ok(outcomes) => outcomes.into_iter().next().map(|one| one.map_err(CommandError::Rejected)),
        Err(error) => Some(Err(error)),
    };
    if let Some(outcome) = outcome {
        reply::<R>(reply_to, outcome);
    }
}

/// The caller may have gone; its request stays committed.
fn reply<R: Batched>(reply_to: oneshot::Sender<Reply<R>>, outcome: Reply<R>) {
    reply_to.send(outcome).ok();
}

/// One error per request of a batch that failed as a whole.
fn replicate_error<R: Batched>(error: Error<R>, times: usize) -> Vec<Error<R>> {
    if times == 1 {
        return vec![error];
    }
    let error = Arc::new(error);
    (0..times).map(|_| CommandError::unavailable(Arc::clone(&error))).collect()
}

fn reply_lost<R: Batched>(why: oneshot::error::RecvError) -> Reply<R> {
    Err(CommandError::unavailable(why))
}

/// Whether the failure may be due to a single request or to one of its locks.
fn single_may_succeed<R>(error: &CommandError<R>, requests: usize) -> bool {
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

    use super::single_may_succeed;
    use crate::error::Error;

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
