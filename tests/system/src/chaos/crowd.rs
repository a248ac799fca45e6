//! The clients: a fixed number at the same time, each in one saga after the other.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::Result;
use futures::future::join_all;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{Rng as _, SeedableRng as _};
use tokio::sync::{RwLock, RwLockWriteGuard};

use crate::pause::wait_for;
use crate::practice::Practice;
use crate::reviewer::review;
use crate::saga::{Plan, Stage};
use crate::visitor::visit;
use crate::writer::write;

/// How often the inbox is read: the sandbox keeps only its newest 2,000 mails.
const READ_MAILS_EVERY: Duration = Duration::from_secs(5);

/// The clients of a run.
pub(super) struct Crowd<'s, 'p> {
    stage: &'s Stage<'p>,
    practice: &'p Practice,
    /// Held to read by every saga; a writer has the practice to itself.
    door: RwLock<()>,
    is_over: AtomicBool,
    sagas: AtomicUsize,
    unended: Mutex<Vec<String>>,
}

impl<'s, 'p> Crowd<'s, 'p> {
    pub(super) fn new(stage: &'s Stage<'p>) -> Self {
        Self {
            stage,
            practice: stage.practice(),
            door: RwLock::new(()),
            is_over: AtomicBool::new(false),
            sagas: AtomicUsize::new(0),
            unended: Mutex::new(Vec::new()),
        }
    }

    /// Runs sagas until `go_home`, and returns when the running ones have ended.
    pub(super) async fn play(&self, customers: usize, seed: u64) -> Result<()> {
        let lanes = (0..customers).map(|lane| self.lane(seed.wrapping_add(lane as u64)));
        join_all(lanes).await;
        Ok(())
    }

    async fn lane(&self, seed: u64) {
        let mut dice = StdRng::seed_from_u64(seed);
        loop {
            let _inside = self.door.read().await;
            if self.is_over.load(Ordering::SeqCst) {
                return;
            }
            let plan = Plan::ALL.choose(&mut dice).copied().unwrap_or(Plan::Answered);
            let ended = match dice.random_range(0..20) {
                0 => visit(self.practice).await,
                1 => review(self.practice).await,
                2 => write(self.practice).await,
                _ => self.stage.saga(plan).await,
            };
            self.sagas.fetch_add(1, Ordering::SeqCst);
            if let Err(error) = ended {
                let mut unended = self.unended.lock().unwrap_or_else(PoisonError::into_inner);
                unended.push(format!("{error:#}"));
            }
        }
    }

    /// Records the mails before the sandbox deletes them.
    pub(super) async fn keep_mails(&self, practice: &Practice) -> Result<()> {
        loop {
            // A sandbox that is down is read the next time.
            drop(practice.inbox().await);
            wait_for(READ_MAILS_EVERY).await;
        }
    }

    /// Waits until no saga runs, and lets none start until the guard is dropped.
    pub(super) async fn alone(&self) -> RwLockWriteGuard<'_, ()> {
        self.door.write().await
    }

    /// Lets no further saga start.
    pub(super) fn go_home(&self) {
        self.is_over.store(true, Ordering::SeqCst);
    }

    pub(super) fn sagas(&self) -> usize {
        self.sagas.load(Ordering::SeqCst)
    }

    /// The errors of sagas that did not end.
    pub(super) fn unended(&self) -> Vec<String> {
        self.unended.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
