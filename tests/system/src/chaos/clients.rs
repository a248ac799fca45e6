//! The clients: a fixed number at the same time, each in one saga after the other.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::Result;
use futures::future::join_all;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use tokio::sync::{RwLock, RwLockWriteGuard};

use crate::accounts::account_lifecycle;
use crate::forms::submit_forms;
use crate::pause::wait_for;
use crate::practice::Practice;
use crate::reviews::review_lifecycle;
use crate::saga::{Plan, SagaRunner};

/// How often the inbox is read: the sandbox keeps only its newest 2,000 mails.
const READ_MAILS_EVERY: Duration = Duration::from_secs(5);

/// The clients of a run.
pub(super) struct ClientPool<'s, 'p> {
    runner: &'s SagaRunner<'p>,
    practice: &'p Practice,
    /// Held to read by every saga; a writer has the practice to itself.
    exclusive: RwLock<()>,
    is_over: AtomicBool,
    sagas: AtomicUsize,
    unfinished: Mutex<Vec<String>>,
}

impl<'s, 'p> ClientPool<'s, 'p> {
    pub(super) fn new(runner: &'s SagaRunner<'p>) -> Self {
        Self {
            runner,
            practice: runner.practice(),
            exclusive: RwLock::new(()),
            is_over: AtomicBool::new(false),
            sagas: AtomicUsize::new(0),
            unfinished: Mutex::new(Vec::new()),
        }
    }

    /// Runs sagas until `stop`, and returns when the running ones have ended.
    pub(super) async fn run(&self, customers: usize, seed: u64) -> Result<()> {
        let running = (0..customers).map(|client| self.client(seed.wrapping_add(client as u64)));
        join_all(running).await;
        Ok(())
    }

    async fn client(&self, seed: u64) {
        let mut rng = StdRng::seed_from_u64(seed);
        loop {
            let _inside = self.exclusive.read().await;
            if self.is_over.load(Ordering::SeqCst) {
                return;
            }
            let plan = Plan::ALL.choose(&mut rng).copied().unwrap_or(Plan::Answered);
            let ended = match rng.random_range(0..20) {
                0 => account_lifecycle(self.practice).await,
                1 => review_lifecycle(self.practice).await,
                2 => submit_forms(self.practice).await,
                _ => self.runner.run_one(plan).await,
            };
            self.sagas.fetch_add(1, Ordering::SeqCst);
            if let Err(error) = ended {
                let mut unfinished = self.unfinished.lock().unwrap_or_else(PoisonError::into_inner);
                unfinished.push(format!("{error:#}"));
            }
        }
    }

    /// Records the mails before the sandbox deletes them.
    pub(super) async fn record_mails(&self, practice: &Practice) -> Result<()> {
        loop {
            // A sandbox that is down is read the next time.
            drop(practice.inbox().await);
            wait_for(READ_MAILS_EVERY).await;
        }
    }

    /// Waits until no saga runs, and lets none start until the guard is dropped.
    pub(super) async fn lock_exclusively(&self) -> RwLockWriteGuard<'_, ()> {
        self.exclusive.write().await
    }

    /// Lets no further saga start.
    pub(super) fn stop(&self) {
        self.is_over.store(true, Ordering::SeqCst);
    }

    pub(super) fn sagas(&self) -> usize {
        self.sagas.load(Ordering::SeqCst)
    }

    /// The errors of sagas that did not end.
    pub(super) fn unfinished(&self) -> Vec<String> {
        self.unfinished.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
