//! What the practice asks of a client whose session it can't hold.

use kernel::Timestamp;

/// That the practice asks for another time of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MoveProposal {
    /// Which of the booking's proposals it is, from 1.
    pub number: u16,
    /// The number of the session, from 1.
    pub session: usize,
    /// When it starts.
    pub starts_at: Timestamp,
    /// Until when a time can be chosen; then the session is cancelled by the practice.
    pub choose_until: Timestamp,
    /// Whether its time is offered to others once the session has left it; it is closed otherwise.
    pub opens_again: bool,
}

/// A proposal as staff ask for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProposedMove {
    /// The number of the session, from 1.
    pub session: usize,
    /// When it starts by what was shown.
    pub shown: Timestamp,
    /// See [`MoveProposal`].
    pub opens_again: bool,
}
