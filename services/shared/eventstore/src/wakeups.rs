//! Signals on which the loops of a process wait.

use tokio::sync::Notify;

/// A signal that a loop of this process waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Events were appended and have no position yet.
    Appended,
    /// Events were given positions.
    Numbered,
    /// A timer was set that is due about now, or a running one has ended.
    TimersDue,
}

/// One loop waits for each signal; a signal that comes while the loop is busy is kept.
#[derive(Debug, Default)]
pub(crate) struct Wakeups {
    pub(crate) committed: Notify,
    appended: Notify,
    numbered: Notify,
    timers_due: Notify,
}

impl Wakeups {
    pub(crate) fn of(&self, signal: Signal) -> &Notify {
        match signal {
            Signal::Appended => &self.appended,
            Signal::Numbered => &self.numbered,
            Signal::TimersDue => &self.timers_due,
        }
    }
}
