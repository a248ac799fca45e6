//! A refund: asked for once, taken by the provider, and then processed or refused; or found there,
//! made by another hand.

use kernel::Id;
use kernel::id::Refund as RefundKind;

use super::fact::{Amount, PaymentId, ProviderRefundId};

/// Why money is given back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The booking could not be placed.
    Unplaced,
    /// The payment is not as ordered.
    Mismatched,
    /// The booking was paid already.
    Double,
    /// The booking was cancelled.
    Cancelled,
    /// The practice wants to.
    Staff,
    /// Somebody made it on the provider's own pages; nobody asked us.
    Elsewhere,
}

impl Cause {
    /// The tables' and the events' word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Unplaced => "unplaced",
            Self::Mismatched => "mismatched",
            Self::Double => "double",
            Self::Cancelled => "cancelled",
            Self::Staff => "staff",
            Self::Elsewhere => "elsewhere",
        }
    }

    /// Reads the word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        use Cause::{Cancelled, Double, Elsewhere, Mismatched, Staff, Unplaced};
        [Unplaced, Mismatched, Double, Cancelled, Staff, Elsewhere]
            .into_iter()
            .find(|it| it.word() == word)
    }
}

/// How a refund ended. A provider that refused may still have sent the money; that counts more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// Money went back by another hand before the provider took it, so it could not be any more.
    Overtaken,
    /// It failed at the provider, or was refused for good.
    Failed,
    /// The money went back.
    Processed,
}

/// The word of a failure that means that a refund was overtaken.
pub const OVERTAKEN: &str = "overtaken";

impl End {
    /// The end that a failure's reason stands for.
    #[must_use]
    pub fn of_failure(reason: &str) -> Self {
        if reason == OVERTAKEN { Self::Overtaken } else { Self::Failed }
    }
}

/// A refund and how far it has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refund {
    /// What is refunded.
    pub payment: PaymentId,
    /// How much.
    pub amount: Amount,
    /// Why.
    pub cause: Cause,
    /// The refund in whose place it was asked for, if it was.
    pub renews: Option<Id<RefundKind>>,
    /// The provider's id, once it took the refund.
    pub accepted: Option<ProviderRefundId>,
    /// How it ended, once it did.
    pub end: Option<End>,
}

impl Refund {
    /// A refund that is only just asked for.
    #[must_use]
    pub fn requested(payment: PaymentId, amount: Amount, cause: Cause) -> Self {
        Self { payment, amount, cause, renews: None, accepted: None, end: None }
    }

    /// Whether its money went back or may still do so.
    #[must_use]
    pub fn goes_back(&self) -> bool {
        match self.end {
            None | Some(End::Processed) => true,
            Some(End::Overtaken | End::Failed) => false,
        }
    }

    /// Whether it is still ours to ask for.
    #[must_use]
    pub fn is_unaccepted(&self) -> bool {
        self.end.is_none() && self.accepted.is_none()
    }
}

/// How a refund stands at the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Under way.
    Pending,
    /// The money went back.
    Processed,
    /// It failed there.
    Failed,
}

/// The provider's words for a refusal that no time and no balance will change.
const FINAL_REFUSALS: [&str; 2] = ["payment_too_old", LOST_TO_A_DISPUTE];

/// Our own word for a refund that is not asked for, because a dispute took the money.
pub const LOST_TO_A_DISPUTE: &str = "lost_to_a_dispute";

/// Whether a refusal is the last word. Every other one (a balance that is too low, a rule of the
/// account, a word that we do not know) may pass, so it is asked again.
#[must_use]
pub fn is_final(reason: &str) -> bool {
    FINAL_REFUSALS.contains(&reason)
}

/// What was learnt about a refund.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefundUpdate {
    /// The provider has it.
    Taken {
        /// Under this id.
        id: ProviderRefundId,
        /// And this is how it stands.
        progress: Progress,
    },
    /// The provider does not take it now, for this reason.
    Refused(String),
}

/// A refund that the provider has and that does not bear one of our ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundRefund {
    /// What is refunded.
    pub payment: PaymentId,
    /// The provider's id.
    pub id: ProviderRefundId,
    /// How much.
    pub amount: Amount,
    /// How it stands.
    pub progress: Progress,
}
