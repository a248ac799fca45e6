//! A refund: requested once, accepted by the provider, then processed or failed; or an external
//! one, found at the provider.

use kernel::Id;
use kernel::id::Refund as RefundKind;
use uuid::Uuid;

use super::fact::{Amount, PaymentId, ProviderRefundId};

kernel::words! {
    /// Why money is refunded.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Cause {
        /// The booking could not be placed.
        Unplaced = "unplaced",
        /// The payment is not as ordered.
        Mismatched = "mismatched",
        /// The booking was paid already.
        Double = "double",
        /// The booking was cancelled.
        Cancelled = "cancelled",
        /// A staff member requested it.
        Staff = "staff",
        /// An external refund, made on the provider's own pages.
        Elsewhere = "elsewhere",
    }
}

/// How a refund ended. A provider that refused may still have sent the money; then `Processed`
/// outranks the failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// An external refund took its money before the provider accepted it, or it was divided.
    Overtaken,
    /// It failed at the provider, or was refused for good.
    Failed,
    /// The payer's bank has given its money by a dispute.
    Given,
    /// The money was refunded.
    Processed,
}

/// The failure reason of one that failed at the provider, which names none.
pub const FAILED: &str = "failed";

/// The failure reason of an overtaken refund, or of one that others were requested in place of.
pub const OVERTAKEN: &str = "overtaken";

impl End {
    /// The end that a failure's reason means.
    #[must_use]
    pub fn of_failure(reason: &str) -> Self {
        match reason {
            OVERTAKEN => Self::Overtaken,
            LOST_TO_A_DISPUTE => Self::Given,
            _ => Self::Failed,
        }
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
            Some(End::Overtaken | End::Failed | End::Given) => false,
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

/// The provider's words, and ours, for a refusal that no time and no balance will change.
const FINAL_REFUSALS: [&str; 3] = ["payment_too_old", LOST_TO_A_DISPUTE, BELOW_THE_LEAST];

/// Our own reason for a refund that is not requested, because a dispute took the money.
pub const LOST_TO_A_DISPUTE: &str = "lost_to_a_dispute";

/// Our own reason for a refund that is not requested, because the provider refunds no amount as
/// small as this.
pub const BELOW_THE_LEAST: &str = "below_the_least";

/// The id of the refund that follows one: its renewal, or its rest. The same refund is followed by
/// the same one, so that a repeat after a lost commit or a restore is the same for the provider.
#[must_use]
pub fn following(refund_id: Id<RefundKind>) -> Id<RefundKind> {
    Id::from_uuid(Uuid::new_v5(&refund_id.uuid(), b"following"))
}

/// The id of that part of a refund which the payer's bank has given.
#[must_use]
pub fn given_part(refund_id: Id<RefundKind>) -> Id<RefundKind> {
    Id::from_uuid(Uuid::new_v5(&refund_id.uuid(), b"given"))
}

/// The id of that part of a refund which waits for the end of a dispute.
#[must_use]
pub fn held_part(refund_id: Id<RefundKind>) -> Id<RefundKind> {
    Id::from_uuid(Uuid::new_v5(&refund_id.uuid(), b"held"))
}

/// The id of that part of a refund which the payer's bank had given and has given back.
#[must_use]
pub fn returned_part(refund_id: Id<RefundKind>) -> Id<RefundKind> {
    Id::from_uuid(Uuid::new_v5(&refund_id.uuid(), b"returned"))
}

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
