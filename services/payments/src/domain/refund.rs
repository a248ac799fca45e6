//! A refund: requested once, accepted by the provider, then processed or failed; or an external
//! one, found at the provider.

use kernel::Id;
use kernel::id::Refund as RefundKind;

use super::fact::{Amount, PaymentId, ProviderRefundId};

/// Why money is refunded.
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
    /// A staff member requested it.
    Staff,
    /// An external refund, made on the provider's own pages.
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

/// How a refund ended. A provider that refused may still have sent the money; then `Processed`
/// outranks the failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// An external refund took its money before the provider accepted it.
    Overtaken,
    /// It failed at the provider, or was refused for good.
    Failed,
    /// The money was refunded.
    Processed,
}

/// The failure reason of an overtaken refund.
pub const OVERTAKEN: &str = "overtaken";

impl End {
    /// The end that a failure's reason means.
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
    /// The failed refund that it renews, if any.
    pub renews: Option<Id<RefundKind>>,
    /// The provider's id, once it accepted the refund.
    pub accepted: Option<ProviderRefundId>,
    /// How it ended, once it did.
    pub end: Option<End>,
}

impl Refund {
    /// A new refund, not accepted yet.
    #[must_use]
    pub fn requested(payment: PaymentId, amount: Amount, cause: Cause) -> Self {
        Self { payment, amount, cause, renews: None, accepted: None, end: None }
    }

    /// Whether it is processed or may still be.
    #[must_use]
    pub fn goes_back(&self) -> bool {
        match self.end {
            None | Some(End::Processed) => true,
            Some(End::Overtaken | End::Failed) => false,
        }
    }

    /// Whether it is neither accepted nor ended.
    #[must_use]
    pub fn is_unaccepted(&self) -> bool {
        self.end.is_none() && self.accepted.is_none()
    }
}

/// The state of a refund at the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Under way.
    Pending,
    /// The money was refunded.
    Processed,
    /// It failed there.
    Failed,
}

/// The provider's words for a refusal that no time and no balance will change.
const FINAL_REFUSALS: [&str; 2] = ["payment_too_old", LOST_TO_A_DISPUTE];

/// Our own reason for a refund that is not requested, because a dispute took the money.
pub const LOST_TO_A_DISPUTE: &str = "lost_to_a_dispute";

/// Whether a refusal is the last word. Every other one (a balance that is too low, a rule of the
/// account, a word that we do not know) may be temporary, so the refund is retried.
#[must_use]
pub fn is_final(reason: &str) -> bool {
    FINAL_REFUSALS.contains(&reason)
}

/// A report about a refund.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefundUpdate {
    /// The provider has it.
    Taken {
        /// Under this id.
        id: ProviderRefundId,
        /// And in this state.
        progress: Progress,
    },
    /// The provider does not take it now, for this reason.
    Refused(String),
}

/// A refund that the provider has and that has none of our ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundRefund {
    /// What is refunded.
    pub payment: PaymentId,
    /// The provider's id.
    pub id: ProviderRefundId,
    /// How much.
    pub amount: Amount,
    /// Its state.
    pub progress: Progress,
}
