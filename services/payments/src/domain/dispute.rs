//! A dispute: a payer's bank disputes a payment, and the practice has to answer by a deadline.
//! Reports about it are joined, never overwritten, so that order and repetition change nothing.

use kernel::Timestamp;

use super::fact::{Amount, DisputeId, PaymentId};

/// The round of a dispute. A later one begins it anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// The bank suspects a fraud.
    Fraud,
    /// The bank requests documents.
    Retrieval,
    /// The bank wants the money back.
    Chargeback,
    /// The bank did not accept the answer.
    PreArbitration,
    /// The card network decides.
    Arbitration,
}

impl Phase {
    const ALL: [Self; 5] =
        [Self::Fraud, Self::Retrieval, Self::Chargeback, Self::PreArbitration, Self::Arbitration];

    /// Its word in events and tables, which is the provider's.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Fraud => "fraud",
            Self::Retrieval => "retrieval",
            Self::Chargeback => "chargeback",
            Self::PreArbitration => "pre_arbitration",
            Self::Arbitration => "arbitration",
        }
    }

    /// Reads the word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.word() == word)
    }
}

/// The state of a dispute in its round. A later one outranks an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DisputeState {
    /// The practice has to answer.
    Open,
    /// The bank reads the answer.
    UnderReview,
    /// The answer was not enough: the practice has to answer again.
    ActionRequired,
    /// It ended without a loss.
    Closed,
    /// The bank has accepted the answer.
    Won,
    /// The money is gone.
    Lost,
}

impl DisputeState {
    const ALL: [Self; 6] =
        [Self::Open, Self::UnderReview, Self::ActionRequired, Self::Closed, Self::Won, Self::Lost];

    /// Its word in events and tables.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::UnderReview => "under_review",
            Self::ActionRequired => "action_required",
            Self::Closed => "closed",
            Self::Won => "won",
            Self::Lost => "lost",
        }
    }

    /// Reads the word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.word() == word)
    }

    /// Whether nothing is decided yet.
    #[must_use]
    pub fn is_open(self) -> bool {
        self < Self::Closed
    }

    /// Whether the practice has to do something.
    #[must_use]
    pub fn waits_for_the_practice(self) -> bool {
        matches!(self, Self::Open | Self::ActionRequired)
    }
}

/// What is known of a dispute. Its order, field by field, is the join's.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct DisputeFact {
    /// Its round.
    pub phase: Phase,
    /// Its state there.
    pub state: DisputeState,
    /// Until when the practice has to answer, if that was said.
    pub respond_by: Option<Timestamp>,
    /// How much of the provider's balance with us it took.
    pub deducted_minor: i64,
    /// How much is disputed.
    pub amount: Amount,
    /// The bank's reason, in the provider's word.
    pub reason: String,
}

impl DisputeFact {
    /// How much the bank has taken: what the provider deducted, or where it says none, what is
    /// disputed.
    #[must_use]
    pub fn lost_minor(&self) -> i64 {
        match self.state {
            DisputeState::Lost if self.deducted_minor > 0 => self.deducted_minor,
            DisputeState::Lost => self.amount.minor,
            DisputeState::Open
            | DisputeState::UnderReview
            | DisputeState::ActionRequired
            | DisputeState::Closed
            | DisputeState::Won => 0,
        }
    }

    /// How much the provider has deducted before the end.
    #[must_use]
    pub fn deducted_before_its_end_minor(&self) -> i64 {
        if self.state.is_open() { self.deducted_minor } else { 0 }
    }

    /// How much the bank may still take.
    #[must_use]
    pub fn in_question_minor(&self) -> i64 {
        if self.state.is_open() { self.amount.minor.max(self.deducted_minor) } else { 0 }
    }
}

/// A dispute and what is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dispute {
    /// The provider's name.
    pub provider: String,
    /// Its id there.
    pub id: DisputeId,
    /// What is disputed.
    pub payment: PaymentId,
    /// What is known.
    pub fact: DisputeFact,
}
