//! Requests that come while others are written are written together, in one transaction: a run.
//! Whoever comes alone waits for nobody.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use eventstore::StoreError;
use kernel::CommandError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tracing::Instrument as _;

use super::request_booking::{Case, Held, hold_all};
use super::{Desk, Error};

/// How many requests are written together at most: what one of so many has to bear of the round
/// trips is small already, and each number of them has statements of its own.
const RUN_MAX: usize = 8;
/// How many runs are written at a time: while one waits for the database, another is read.
const SEATS: usize = 2;
/// How long a run beside another one waits for company.
const GATHER: Duration = Duration::from_millis(1);
/// How long a run waits for a lock. Whose lock is free shall not wait with one whose lock is not.
const PATIENCE: Duration = Duration::from_millis(100);
/// After so long the next run does not wait for this one, whatever it waits for.
const SEAT_FOR: Duration = Duration::from_millis(500);

/// Requests that wait, and a seat for each run that is written.
pub struct Runs {
    waiting: Mutex<VecDeque<Waiting>>,
    seats: Arc<Semaphore>,
}

struct Waiting {
    case: Arc<Case>,
    answer: oneshot::Sender<Result<Held, Error>>,
}

impl Default for Runs {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Runs {
    /// Without those who wait: they wrote down who they are.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Runs").finish_non_exhaustive()
    }
}

impl Runs {
    /// Nobody waits.
    #[must_use]
    pub fn new() -> Self {
        Self { waiting: Mutex::default(), seats: Arc::new(Semaphore::new(SEATS)) }
    }

    /// Holds a time, together with whoever else waits. What was begun is ended even when nobody
    /// waits for it any more.
    ///
    /// # Errors
    /// Why it is refused, or that it is not known what became of it.
    pub(super) async fn hold(desk: &Arc<Desk>, case: Case) -> Result<Held, Error> {
        let (answer, mut answered) = oneshot::channel();
        let case = Arc::new(case);
        desk.runs.line().push_back(Waiting { case: Arc::clone(&case), answer });
        loop {
            let seat = tokio::select! {
                biased;
                answer = &mut answered => return answer.unwrap_or_else(lost),
                seat = Arc::clone(&desk.runs.seats).acquire_owned() => seat,
            };
            let seat = seat.map_err(Error::unavailable)?;
            if desk.runs.is_busy() {
                tokio::time::sleep(GATHER).await;
            }
            let run = desk.runs.next();
            // Ours is in this run, or in one that gave up its seat, or comes later.
            let is_taken = run.is_empty() || run.iter().any(|one| Arc::ptr_eq(&one.case, &case));
            if !run.is_empty() {
                tokio::spawn(write(Arc::clone(desk), run, seat).in_current_span());
            }
            if is_taken {
                return answered.await.unwrap_or_else(lost);
            }
        }
    }

    /// Whether others ask at the moment, and more may come before a run would be full.
    fn is_busy(&self) -> bool {
        self.seats.available_permits() == 0 && self.line().len() < RUN_MAX
    }

    /// Who has waited longest. Nobody is twice in a run, because what somebody holds is counted
    /// before the run is written.
    fn next(&self) -> Vec<Waiting> {
        let mut line = self.line();
        let (mut run, mut later) = (Vec::new(), VecDeque::with_capacity(line.len()));
        let mut customers = HashSet::new();
        for waiting in line.drain(..).filter(|waiting| !waiting.answer.is_closed()) {
            if run.len() < RUN_MAX && customers.insert(waiting.case.customer_id) {
                run.push(waiting);
            } else {
                later.push_back(waiting);
            }
        }
        *line = later;
        run
    }

    fn line(&self) -> MutexGuard<'_, VecDeque<Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes a run and keeps the seat meanwhile, but not for ever.
async fn write(desk: Arc<Desk>, run: Vec<Waiting>, seat: OwnedSemaphorePermit) {
    let mut written = std::pin::pin!(together(&desk, run));
    let in_time = tokio::time::timeout(SEAT_FOR, &mut written).await;
    drop(seat);
    if in_time.is_err() {
        written.await;
    }
}

async fn together(desk: &Arc<Desk>, run: Vec<Waiting>) {
    let (cases, answers): (Vec<_>, Vec<_>) =
        run.into_iter().map(|waiting| (waiting.case, waiting.answer)).unzip();
    match hold_all(desk, cases.clone().into(), Some(PATIENCE)).await {
        Ok(outcomes) => {
            for (answer, outcome) in answers.into_iter().zip(outcomes) {
                tell(answer, outcome.map_err(CommandError::Rejected));
            }
        }
        Err(error) if alone_may_help(&error, cases.len()) => {
            tracing::debug!(%error, requests = cases.len(), "each request of a run goes alone");
            for (case, answer) in cases.into_iter().zip(answers) {
                tokio::spawn(alone(Arc::clone(desk), case, answer).in_current_span());
            }
        }
        Err(error) => {
            let times = answers.len();
            for (answer, error) in answers.into_iter().zip(each(error, times)) {
                tell(answer, Err(error));
            }
        }
    }
}

/// One of a run that failed as a whole, in a transaction of its own and with all patience. A run
/// whose commit was not answered may have been done: then the key remembers.
async fn alone(desk: Arc<Desk>, case: Arc<Case>, answer: oneshot::Sender<Result<Held, Error>>) {
    let outcome = match hold_all(&desk, Arc::new([case]), None).await {
        Ok(outcomes) => outcomes.into_iter().next().map(|one| one.map_err(CommandError::Rejected)),
        Err(error) => Some(Err(error)),
    };
    if let Some(outcome) = outcome {
        tell(answer, outcome);
    }
}

/// Whoever asked may have gone; what was done for them stays done.
fn tell(answer: oneshot::Sender<Result<Held, Error>>, outcome: Result<Held, Error>) {
    answer.send(outcome).ok();
}

/// An error for each of those who have it in common.
fn each(error: Error, times: usize) -> Vec<Error> {
    if times == 1 {
        return vec![error];
    }
    let error = Arc::new(error);
    (0..times).map(|_| Error::unavailable(Arc::clone(&error))).collect()
}

fn lost(why: oneshot::error::RecvError) -> Result<Held, Error> {
    Err(Error::unavailable(why))
}

/// Whether what failed was one request's fault, or one's lock's.
fn alone_may_help(error: &Error, requests: usize) -> bool {
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

    use super::{Error, alone_may_help};

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
            assert_eq!(alone_may_help(&error, 64), of_many, "{words}");
            assert_eq!(alone_may_help(&error, 1), of_one, "{words}");
        }
    }
}
