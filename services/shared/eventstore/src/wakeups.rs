//! What the loops of a process wait for, and how they are woken.

use tokio::sync::Notify;

/// What a loop of this process waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum News {
    /// Events were appended and have no position yet.
    Appended,
    /// Events were given positions.
    Numbered,
    /// Timers were set that are due about now, or one that ran has ended.
    TimersDue,
}

/// Each of these has one loop that waits for it, and what is told while it is busy is kept.
#[derive(Debug, Default)]
pub(crate) struct Bells {
    pub(crate) committed: Notify,
    appended: Notify,
    numbered: Notify,
    timers_due: Notify,
}

impl Bells {
    pub(crate) fn of(&self, news: News) -> &Notify {
        match news {
            News::Appended => &self.appended,
            News::Numbered => &self.numbered,
            News::TimersDue => &self.timers_due,
        }
    }
}
