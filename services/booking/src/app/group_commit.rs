//! Requests that come while others are written are written together, in one transaction: a run.
//! Whoever comes alone waits for nobody.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use eventstore::StoreError;
use kernel::CommandError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tracing::Instrument as _;

use super::request_booking::{HeldBooking, PendingRequest, hold_batch};
use super::{App, Error};

/// How many requests are written together at most: what one of so many has to bear of the round
/// trips is small already, and each number of them has statements of its own.
const MAX_BATCH: usize = 8;
/// How many runs are written at a time: while one waits for the database, another is read.
const MAX_IN_FLIGHT: usize = 2;
/// How long a run beside another one waits for company.
const LINGER: Duration = Duration::from_millis(1);
/// How long a run waits for a lock. Whose lock is free shall not wait with one whose lock is not.
const LOCK_TIMEOUT: Duration = Duration::from_millis(100);
/// After so long the next run does not wait for this one, whatever it waits for.
const PERMIT_TIMEOUT: Duration = Duration::from_millis(500);

/// Requests that wait, and a seat for each run that is written.
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
    /// Without those who wait: they wrote down who they are.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Runs").finish_non_exhaustive()
    }
}

impl GroupCommit {
    /// Nobody waits.
    #[must_use]
    pub fn new() -> Self {
        Self { queue: Mutex::default(), permits: Arc::new(Semaphore::new(MAX_IN_FLIGHT)) }
    }

    /// Holds a time, together with whoever else waits. What was begun is ended even when nobody
    /// waits for it any more.
    ///
    /// # Errors
    /// Why it is refused, or that it is not known what became of it.
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
            // Ours is in this run, or in one that gave up its seat, or comes later.
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

    /// Whether others ask at the moment, and more may come before a run would be full.
    fn should_linger(&self) -> bool {
        self.permits.available_permits() == 0 && self.queue().len() < MAX_BATCH
    }

    /// Who has waited longest. Nobody is twice in a run, because what somebody holds is counted
    /// before the run is written.
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

/// Writes a run and keeps the seat meanwhile, but not for ever.
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

/// One of a run that failed as a whole, in a transaction of its own and with all patience. A run
/// whose commit was not answered may have been done: then the key remembers.
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

/// Whoever asked may have gone; what was done for them stays done.
fn reply(
    reply_to: oneshot::Sender<Result<HeldBooking, Error>>,
    outcome: Result<HeldBooking, Error>,
) {
    reply_to.send(outcome).ok();
}

/// An error for each of those who have it in common.
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

/// Whether what failed was one request's fault, or one's lock's.
fn single_may_succeed(error: &Error, requests: usize) -> bool {
    match error {
        CommandError::Unavailable(source) => match source.downcast_ref::<StoreError>() {
            Some(StoreError::Held) => true,
            // A database that is away answers a single request no better.
            Some(why) => requests > 1 && !why.is_away(),
            // What is no error of the store is a fault of one: a day that cannot be read.
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
    fn what_one_request_may_have_caused_is_tried_for_each_alone() {
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
