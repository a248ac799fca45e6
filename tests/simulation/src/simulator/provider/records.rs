//! What is at the provider: orders, links, payments, refunds and disputes, and what happens to
//! them.

use kernel::{Currency, Timestamp};
use payments::domain::dispute::{Dispute, DisputeFact, DisputeState};
use payments::domain::fact::{Amount, DisputeId, OrderId, PaymentId, ProviderRefundId, Status};
use payments::domain::link::LinkStatus;
use payments::domain::refund::Progress;
use payments::providers::{Observation, ProviderRefund};

/// Whom it plays.
pub(crate) const PROVIDER: &str = "razorpay";

pub(super) const DAY: i64 = 24 * 60 * 60;

/// The one currency that the practice is paid in.
pub(super) const RUPEES: &str = Currency::Inr.code();

/// Since when the provider's clock counts, for rows without a time.
pub(super) const BEGINNING: Timestamp = Timestamp::EPOCH;

/// Something that happens there by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change {
    /// A payment changes to this status.
    Payment(String, Status),
    /// A payment link ends by itself.
    LinkExpires(String),
    /// A refund progresses.
    Refund(String, Progress),
    /// A payment is refunded on the provider's own pages, in full or in part.
    Elsewhere { payment: String, part: Part },
    /// A payment is disputed.
    DisputeOpens(String),
    /// A dispute goes on.
    Dispute(String),
}

/// A webhook: its content is as of its creation.
#[derive(Debug, Clone)]
pub(crate) struct WebhookDelivery {
    /// The id in its header.
    pub(crate) event_id: String,
    /// What stands for its bytes.
    pub(crate) body: String,
    /// What it reports.
    pub(crate) observations: Vec<Observation>,
}

/// How a customer's payment goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Course {
    /// It is captured within seconds.
    Captured,
    /// The bank authorises it so many seconds later.
    Late(i64),
    /// It fails, and is captured so many seconds later all the same.
    FailedThenCaptured(i64),
    /// It fails.
    Failed,
    /// The customer never finishes.
    Unfinished,
}

/// What is odd about a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mismatch {
    /// Nothing.
    None,
    /// Its amount.
    Amount,
    /// Its currency.
    Currency,
}

/// An order.
#[derive(Debug, Clone)]
pub(crate) struct Order {
    pub(crate) receipt: String,
    pub(crate) amount: Amount,
}

/// A payment link.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    pub(crate) reference: String,
    pub(crate) amount: Amount,
    pub(crate) status: LinkStatus,
    /// The order beneath it, once its page was opened.
    pub(crate) order: Option<OrderId>,
    pub(crate) created_at: Timestamp,
    pub(crate) ended_at: Option<Timestamp>,
}

/// A payment.
#[derive(Debug, Clone)]
pub(crate) struct Paid {
    pub(crate) order: Option<OrderId>,
    pub(crate) amount: Amount,
    pub(crate) status: Status,
    pub(crate) created_at: Timestamp,
    pub(crate) captured_at: Option<Timestamp>,
    /// Whether the provider takes it for the whole of its order, with a fee of its own added or an
    /// offer taken off.
    pub(crate) pays_order: bool,
    pub(super) is_too_old: bool,
}

/// A refund.
#[derive(Debug, Clone)]
pub(crate) struct Refund {
    pub(crate) id: ProviderRefundId,
    pub(crate) payment: PaymentId,
    pub(crate) amount: Amount,
    pub(crate) progress: Progress,
    pub(crate) receipt: Option<String>,
}

/// How an answer comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AnswerDelivery {
    /// As it should.
    There,
    /// It was done, and the answer is lost.
    Lost,
}

/// How much of a payment is refunded on the provider's own pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// All that is left.
    Whole,
    /// A third of it.
    Third,
    /// All but half a rupee, which is less than can be refunded later.
    AllButLittle,
}

/// What was answered under an idempotency key.
#[derive(Debug, Clone)]
pub(crate) struct Attempt {
    pub(super) until: Timestamp,
    /// The refund, or the reason of a refusal.
    pub(super) answer: Result<ProviderRefundId, String>,
}

/// A dispute.
#[derive(Debug, Clone)]
pub(crate) struct DisputeRecord {
    pub(crate) payment: PaymentId,
    pub(crate) fact: DisputeFact,
    pub(crate) created_at: Timestamp,
}

impl DisputeRecord {
    /// The dispute as the port knows it.
    pub(super) fn as_seen(&self, id: &DisputeId) -> Dispute {
        let (payment, fact) = (self.payment.clone(), self.fact.clone());
        Dispute { provider: PROVIDER.to_owned(), id: id.clone(), payment, fact }
    }

    pub(super) fn is_lost(&self) -> bool {
        self.fact.state == DisputeState::Lost
    }
}

/// A refund as the port knows it, from the provider's book.
pub(super) fn as_seen(refund: &Refund) -> ProviderRefund {
    ProviderRefund {
        id: refund.id.clone(),
        payment: Some(refund.payment.clone()),
        refund_id: refund.receipt.as_deref().and_then(|receipt| receipt.parse().ok()),
        amount: refund.amount.clone(),
        progress: refund.progress,
    }
}
