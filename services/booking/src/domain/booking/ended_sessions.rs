//! Which sessions of a package have ended, and how.

use std::collections::BTreeMap;

use kernel::Money;

/// How a session of a package has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionEnd {
    /// Its end has passed.
    Completed,
    /// It was cancelled with this refund of its share.
    Cancelled { refund: Money },
}

/// The sessions of a package that have ended, by their number; none of a single session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EndedSessions(BTreeMap<usize, SessionEnd>);

impl EndedSessions {
    /// How a session has ended; `None` while it has not.
    #[must_use]
    pub fn get(&self, number: usize) -> Option<SessionEnd> {
        self.0.get(&number).copied()
    }

    /// The sum of what cancelled sessions give back; `None` while none is cancelled.
    #[must_use]
    pub fn refund(&self) -> Option<Money> {
        let refunds = self.0.values().filter_map(|end| match end {
            SessionEnd::Completed => None,
            SessionEnd::Cancelled { refund } => Some(*refund),
        });
        refunds.reduce(|sum, one| Money { minor: sum.minor.saturating_add(one.minor), ..sum })
    }

    /// Whether a session took place.
    pub(super) fn has_completed(&self) -> bool {
        self.0.values().any(|end| *end == SessionEnd::Completed)
    }

    /// Whether a session was cancelled.
    pub(super) fn is_cancelled(&self, number: usize) -> bool {
        matches!(self.get(number), Some(SessionEnd::Cancelled { .. }))
    }

    /// Adds an end of a session.
    pub(super) fn insert(&mut self, number: usize, end: SessionEnd) {
        self.0.insert(number, end);
    }
}
