//! Argon2id hashing on threads of its own: at most half of the cores, at low priority and with a
//! bounded queue, so that many sign-ins cannot starve other work.

use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use argon2::{Algorithm, Argon2, Params, Version};
use runtime::BoxError;
use tokio::sync::oneshot;

/// 19 MiB of memory, two passes, one lane.
const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;
const LANES: u32 = 1;
/// How much lower than the rest the threads' priority is: they get a third of the processor time of
/// another busy thread. With a tenth, at 10, sign-ins failed when other work kept all cores busy.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 5;
/// Passwords that may wait, per thread: about a second of work.
const QUEUE_PER_THREAD: usize = 48;
/// How long a sign-in waits for its turn: less than the timeout of a request.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(8);

/// A password could not be hashed or checked.
#[derive(Debug, thiserror::Error)]
pub enum HashError {
    /// Too many are queued.
    #[error("too many passwords are waiting")]
    Busy,
    /// The hash function failed.
    #[error("the hash function failed")]
    Failed(#[source] BoxError),
}

type Job = Box<dyn FnOnce() + Send>;

/// Creates and verifies hashes. The threads end with the last clone.
#[derive(Clone)]
pub struct Hasher {
    argon2: Argon2<'static>,
    queue: SyncSender<Job>,
    /// A hash of random bytes, compared with when the address is unknown, so that the answer takes
    /// as long as for a known one.
    dummy_hash: Arc<str>,
}

impl Hasher {
    /// Creates a hasher and its threads.
    ///
    /// # Errors
    /// When the hash function rejects its parameters, or a thread cannot be started.
    pub fn new() -> Result<Self, HashError> {
        let params = Params::new(MEMORY_KIB, PASSES, LANES, None).map_err(failed)?;
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let dummy_hash = hash(&argon2, &rand::random::<[u8; 32]>())?;
        let threads = threads(thread::available_parallelism().map_or(1, usize::from));
        let (queue, jobs) = sync_channel::<Job>(threads * QUEUE_PER_THREAD);
        let jobs = Arc::new(Mutex::new(jobs));
        for number in 0..threads {
            let jobs = Arc::clone(&jobs);
            let thread = thread::Builder::new().name(format!("hashing-{number}"));
            thread.spawn(move || work(&jobs)).map_err(failed)?;
        }
        Ok(Self { argon2, queue, dummy_hash: dummy_hash.into() })
    }

    /// The PHC string of a password.
    ///
    /// # Errors
    /// When too many are waiting, or none gets its turn in time.
    pub async fn hash(&self, password: &str) -> Result<String, HashError> {
        let (argon2, password) = (self.argon2.clone(), password.to_owned());
        self.queued(move || hash(&argon2, password.as_bytes())).await?
    }

    /// Whether it is the password. Without a stored hash the answer is no, after the same time.
    ///
    /// # Errors
    /// When too many are waiting, or the stored hash is malformed.
    pub async fn verify(&self, password: &str, stored: Option<&str>) -> Result<bool, HashError> {
        let always = || Ok::<(), std::convert::Infallible>(());
        let verified = self.verify_if(password, stored, always, |_right| ()).await?;
        Ok(verified.unwrap_or_else(|never| match never {}))
    }

    /// The same, when `begin` allows it in the password's turn; `end` is told the result. Once the
    /// turn has come, both run even if the caller leaves, so that no checked guess goes uncounted.
    ///
    /// # Errors
    /// When too many are waiting, or the stored hash is malformed. The inner error is `begin`'s.
    pub async fn verify_if<E: Send + 'static>(
        &self,
        password: &str,
        stored: Option<&str>,
        begin: impl FnOnce() -> Result<(), E> + Send + 'static,
        end: impl FnOnce(bool) + Send + 'static,
    ) -> Result<Result<bool, E>, HashError> {
        let known = stored.is_some();
        let stored = stored.unwrap_or(&self.dummy_hash).to_owned();
        let (argon2, password) = (self.argon2.clone(), password.to_owned());
        self.queued(move || {
            if let Err(refused) = begin() {
                return Ok(Err(refused));
            }
            let parsed = PasswordHash::new(&stored);
            let same = parsed
                .as_ref()
                .is_ok_and(|stored| argon2.verify_password(password.as_bytes(), stored).is_ok());
            end(same && known);
            parsed.map_err(failed)?;
            Ok(Ok(same && known))
        })
        .await?
    }

    /// Does the work on one of the threads.
    async fn queued<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, HashError> {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move || {
            // A caller who left before the turn came costs nothing.
            if !answer.is_closed() {
                drop(answer.send(work()));
            }
        });
        self.queue.try_send(job).map_err(|full| match full {
            TrySendError::Full(_) => HashError::Busy,
            TrySendError::Disconnected(_) => failed("the hashing threads have ended"),
        })?;
        let answer = tokio::time::timeout(QUEUE_TIMEOUT, answered).await;
        answer.map_err(|_elapsed| HashError::Busy)?.map_err(failed)
    }
}

/// Half of the cores, and at least one.
fn threads(cores: usize) -> usize {
    (cores / 2).max(1)
}

fn work(jobs: &Mutex<Receiver<Job>>) {
    lower_priority();
    loop {
        // The lock is held while waiting: the next free thread takes the next password.
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else { return };
        job();
    }
}

/// Linux sets the priority of this thread; elsewhere it would be the whole process's.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    if let Err(error) = lower_thread_priority() {
        tracing::warn!(%error, "hashing runs at the usual priority");
    }
}

#[cfg(target_os = "linux")]
fn lower_thread_priority() -> rustix::io::Result<()> {
    use rustix::process::{getpriority_process, setpriority_process};
    if getpriority_process(None)? < NICENESS {
        setpriority_process(None, NICENESS)?;
    }
    Ok(())
}

fn hash(argon2: &Argon2<'_>, password: &[u8]) -> Result<String, HashError> {
    let hashed: PasswordHash = argon2.hash_password(password).map_err(failed)?;
    Ok(hashed.to_string())
}

fn failed(error: impl Into<BoxError>) -> HashError {
    HashError::Failed(error.into())
}

#[cfg(test)]
mod tests {
    use super::{Arc, HashError, Hasher, Mutex, QUEUE_PER_THREAD, threads};
    use futures::FutureExt as _;
    use futures::future::join_all;

    #[tokio::test]
    async fn a_password_is_known_again_and_no_other_is() {
        let hasher = Hasher::new().unwrap();
        let stored = hasher.hash("a quiet garden").await.unwrap();
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{stored}");
        assert!(hasher.verify("a quiet garden", Some(&stored)).await.unwrap());
        assert!(!hasher.verify("a quiet Garden", Some(&stored)).await.unwrap());
        assert!(!hasher.verify("a quiet garden", None).await.unwrap());
        assert_ne!(stored, hasher.hash("a quiet garden").await.unwrap());
    }

    #[test]
    fn hashing_uses_half_of_the_cores() {
        assert_eq!([1, 2, 3, 4, 64].map(threads), [1, 1, 1, 2, 32]);
    }

    #[tokio::test]
    async fn what_does_not_fit_the_queue_is_told_at_once() {
        let hasher = Hasher::new().unwrap();
        let threads = threads(std::thread::available_parallelism().unwrap().get());
        let (taken, mut was_taken) = tokio::sync::mpsc::unbounded_channel();
        let (open, gate) = std::sync::mpsc::channel::<()>();
        let gate = Arc::new(Mutex::new(gate));
        for _thread in 0..threads {
            let (hasher, taken, gate) = (hasher.clone(), taken.clone(), gate.clone());
            let stop = move || {
                taken.send(()).unwrap();
                gate.lock().unwrap().recv().unwrap();
            };
            drop(tokio::spawn(async move { hasher.queued(stop).await }));
            was_taken.recv().await.unwrap();
        }
        // No thread takes a job now: the queue has room for so many, and not for one more.
        let room = threads * QUEUE_PER_THREAD;
        let mut jobs: Vec<_> = (0..room).map(|_job| Box::pin(hasher.queued(|| ()))).collect();
        assert!(jobs.iter_mut().all(|job| job.now_or_never().is_none()), "they wait");
        let refused = hasher.queued(|| ()).now_or_never();
        assert!(matches!(refused, Some(Err(HashError::Busy))), "the queue has no bound");
        for _thread in 0..threads {
            open.send(()).unwrap();
        }
        assert!(join_all(jobs).await.iter().all(Result::is_ok), "their turn comes");
        assert!(hasher.verify("x", None).await.is_ok(), "and it works again");
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn hashing_threads_have_a_low_priority() {
        let hasher = Hasher::new().unwrap();
        let own = rustix::process::getpriority_process(None).unwrap();
        let hashing = hasher.queued(|| rustix::process::getpriority_process(None)).await.unwrap();
        assert_eq!(hashing.unwrap(), own.max(super::NICENESS));
    }

    #[tokio::test]
    async fn a_refused_password_is_not_checked_and_a_checked_one_is_reported() {
        let hasher = Hasher::new().unwrap();
        let stored = hasher.hash("a quiet garden").await.unwrap();
        let (told, results) = std::sync::mpsc::channel();
        for (password, allowed) in [("a quiet garden", true), ("another", true), ("x", false)] {
            let told = told.clone();
            let begin = move || if allowed { Ok(()) } else { Err("refused") };
            let end = move |right| told.send(right).unwrap();
            let checked = hasher.verify_if(password, Some(&stored), begin, end).await.unwrap();
            assert_eq!(
                checked,
                if allowed { Ok(password == "a quiet garden") } else { Err("refused") }
            );
        }
        drop(told);
        assert_eq!(results.iter().collect::<Vec<_>>(), [true, false]);
    }
}
