//! Signals on which the loops of a process wait.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, broadcast};
use tokio::time::Instant;

use crate::event::Numbered;

/// How often the table of timers is read at least: for those of a process that died.
pub(crate) const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How many times are noted at most; timers beyond are found by the next look.
const TIMERS_MAX: usize = 1024;

/// How many passes of the relay a follower may fall behind.
const PASSES_MAX: usize = 64;

/// A signal that a loop of this process waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Events were appended that another service acts on, and have no position yet.
    Appended,
    /// A timer is due earlier than the loop knew, or a running one has ended.
    TimersDue,
}

/// One loop waits for each signal; a signal that comes while the loop is busy is kept.
#[derive(Debug)]
pub(crate) struct Wakeups {
    pub(crate) committed: Notify,
    /// Events as they are given positions.
    pub(crate) numbered: broadcast::Sender<Arc<[Numbered]>>,
    appended: Notify,
    timers_due: Notify,
    /// When timers that this process has set fall due, of those that the next look would find late.
    timers: Mutex<BTreeSet<Instant>>,
}

impl Default for Wakeups {
    fn default() -> Self {
        let (numbered, _followers) = broadcast::channel(PASSES_MAX);
        let (committed, appended, timers_due) = Default::default();
        Self { committed, numbered, appended, timers_due, timers: Mutex::default() }
    }
}

impl Wakeups {
    pub(crate) fn of(&self, signal: Signal) -> &Notify {
        match signal {
            Signal::Appended => &self.appended,
            Signal::TimersDue => &self.timers_due,
        }
    }

    /// Notes that a timer falls due at this time, and wakes the loop if it would look later.
    pub(crate) fn expect_timer(&self, at: Instant) {
        let mut timers = self.timers();
        if timers.first().is_none_or(|first| at < *first) {
            self.timers_due.notify_one();
        }
        if timers.len() < TIMERS_MAX {
            timers.insert(at);
        }
    }

    /// When the next of the noted timers falls due after `now`. Forgets those before.
    pub(crate) fn next_timer(&self, now: Instant) -> Option<Instant> {
        let mut timers = self.timers();
        while timers.first().is_some_and(|first| *first <= now) {
            timers.pop_first();
        }
        timers.first().copied()
    }

    fn timers(&self) -> MutexGuard<'_, BTreeSet<Instant>> {
        // A panic in another thread cannot leave the set half-written.
        self.timers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
