//! Which sessions of a package have ended, and how; of every booking, to which its client came, and
//! how often each was moved.

use std::collections::BTreeMap;

use kernel::{Money, Timestamp};

use super::proposal::MoveProposal;

/// How a session of a package has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionEnd {
    /// Its end has passed.
    Completed,
    /// It was cancelled with this refund of its share.
    Cancelled { refund: Money },
}

/// Whether the client came to a session, as staff marked it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Attendance {
    /// In time.
    Came,
    /// Too late.
    Late,
    /// Not at all.
    NoShow,
    /// Nothing was marked, or the mark was taken back.
    #[default]
    Unmarked,
}

/// How often a session was moved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Moves {
    all: u16,
    /// By its client, without staff.
    own: u16,
}

/// A cancellation by the client that has not taken effect, so that it can be taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PendingCancellation {
    /// The number of the session, from 1; `None` for all that have not ended.
    pub session: Option<usize>,
    /// What will go back.
    pub refund: Money,
    /// When it was asked for: what goes back is what the policy gives then.
    pub asked_at: Timestamp,
    /// When it takes effect.
    pub takes_effect_at: Timestamp,
    /// How often the grace of the policy was left and is used up by it.
    pub grace_times: u16,
}

/// The sessions of a package that have ended, by their number; none of a single session. Marks,
/// moves and a cancellation under way are kept of both.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EndedSessions {
    ends: BTreeMap<usize, SessionEnd>,
    marks: BTreeMap<usize, Attendance>,
    moves: BTreeMap<usize, Moves>,
    pub(super) pending: Option<PendingCancellation>,
    /// The practice asks for another time of a session.
    pub(super) proposal: Option<MoveProposal>,
    /// How often it did.
    pub(super) proposals: u16,
}

impl EndedSessions {
    /// How a session has ended; `None` while it has not.
    #[must_use]
    pub fn get(&self, number: usize) -> Option<SessionEnd> {
        self.ends.get(&number).copied()
    }

    /// The sum of what cancelled sessions give back; `None` while none is cancelled.
    #[must_use]
    pub fn refund(&self) -> Option<Money> {
        let refunds = self.ends.values().filter_map(|end| match end {
            SessionEnd::Completed => None,
            SessionEnd::Cancelled { refund } => Some(*refund),
        });
        refunds.reduce(|sum, one| Money { minor: sum.minor.saturating_add(one.minor), ..sum })
    }

    /// Whether a session took place.
    pub(super) fn has_completed(&self) -> bool {
        self.ends.values().any(|end| *end == SessionEnd::Completed)
    }

    /// Whether a session was cancelled.
    pub(super) fn is_cancelled(&self, number: usize) -> bool {
        matches!(self.get(number), Some(SessionEnd::Cancelled { .. }))
    }

    /// Adds an end of a session.
    pub(super) fn insert(&mut self, number: usize, end: SessionEnd) {
        self.pending = self.pending.filter(|pending| pending.session != Some(number));
        self.end_proposal(number);
        self.ends.insert(number, end);
    }

    /// How often a session was moved.
    #[must_use]
    pub fn moves(&self, number: usize) -> u16 {
        self.moves.get(&number).map_or(0, |moves| moves.all)
    }

    /// How often its client moved a session without staff.
    pub(super) fn own_moves(&self, number: usize) -> u16 {
        self.moves.get(&number).map_or(0, |moves| moves.own)
    }

    /// Counts a move of a session.
    pub(super) fn count_move(&mut self, number: usize, is_own: bool) {
        let moves = self.moves.entry(number).or_default();
        moves.all = moves.all.saturating_add(1);
        moves.own = moves.own.saturating_add(u16::from(is_own));
    }

    /// The practice asks for another time of a session.
    pub(super) fn propose(&mut self, proposal: MoveProposal) {
        (self.proposal, self.proposals) = (Some(proposal), proposal.number);
    }

    /// The practice asks no more for another time of a session.
    pub(super) fn end_proposal(&mut self, number: usize) {
        self.proposal = self.proposal.filter(|proposal| proposal.session != number);
    }

    /// Whether the practice asks for another time of a session.
    pub(super) fn is_displaced(&self, number: usize) -> bool {
        self.proposal.is_some_and(|proposal| proposal.session == number)
    }

    /// Whether the client came to a session.
    pub(super) fn attendance(&self, number: usize) -> Attendance {
        self.marks.get(&number).copied().unwrap_or_default()
    }

    /// Marks whether the client came to a session.
    pub(super) fn mark(&mut self, number: usize, attendance: Attendance) {
        self.marks.insert(number, attendance);
    }
}
