//! A dispute: a payer's bank disputes a payment, and the practice has to answer by a deadline.
//! Reports about it are joined, never overwritten, so that order and repetition change nothing.

use kernel::Timestamp;

use super::fact::{Amount, DisputeId, PaymentId};

kernel::words! {
    /// The round of a dispute. A later one begins it anew.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Phase {
        /// The bank suspects a fraud.
        Fraud = "fraud",
        /// The bank requests documents.
        Retrieval = "retrieval",
        /// The bank wants the money back.
        Chargeback = "chargeback",
        /// The bank did not accept the answer.
        PreArbitration = "pre_arbitration",
        /// The card network decides.
        Arbitration = "arbitration",
    }
}

kernel::words! {
    /// The state of a dispute in its round. A later one outranks an earlier one.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum DisputeState {
        /// The practice has to answer.
        Open = "open",
        /// The bank reads the answer.
        UnderReview = "under_review",
        /// The answer was not enough: the practice has to answer again.
        ActionRequired = "action_required",
        /// It ended without a loss.
        Closed = "closed",
        /// The bank has accepted the answer.
        Won = "won",
        /// The money is gone.
        Lost = "lost",
    }
}

impl DisputeState {
    /// Whether nothing is decided yet.
    #[must_use]
    pub fn is_open(self) -> bool {
        self < Self::Closed
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

    /// How much the provider has deducted before the end. It takes what is disputed when a dispute
    /// begins ("deduct at onset"), and calls that nothing until the dispute is lost. In the first
    /// two rounds the bank only asks: there what is told counts, and a refund is how they end.
    #[must_use]
    pub fn deducted_before_its_end_minor(&self) -> i64 {
        match self.phase {
            Phase::Fraud | Phase::Retrieval if self.state.is_open() => self.deducted_minor,
            Phase::Fraud | Phase::Retrieval => 0,
            Phase::Chargeback | Phase::PreArbitration | Phase::Arbitration => {
                self.in_question_minor()
            }
        }
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
