//! The half-open time range of one session: the end belongs to the next one.

use kernel::Timestamp;

/// A time range, never empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    starts_at: Timestamp,
    ends_at: Timestamp,
}

impl Span {
    /// The range between two instants; `None` if it is empty.
    #[must_use]
    pub fn new(starts_at: Timestamp, ends_at: Timestamp) -> Option<Self> {
        (starts_at < ends_at).then_some(Self { starts_at, ends_at })
    }

    /// When it starts.
    #[must_use]
    pub fn starts_at(&self) -> Timestamp {
        self.starts_at
    }

    /// When it ends.
    #[must_use]
    pub fn ends_at(&self) -> Timestamp {
        self.ends_at
    }

    /// How many whole minutes it lasts.
    #[must_use]
    pub fn minutes(&self) -> i64 {
        self.ends_at.seconds_since(self.starts_at) / 60
    }

    /// Whether the ranges overlap. Adjacent ranges do not.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.starts_at < other.ends_at && other.starts_at < self.ends_at
    }
}
