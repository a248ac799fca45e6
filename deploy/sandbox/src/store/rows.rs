//! The rows of the book. These are the sandbox's own; what goes over the wire is shaped beside
//! each interface.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One change of the book, as a line of the journal carries it.
#[derive(Clone, Serialize, Deserialize)]
#[serde(tag = "kind", content = "row", rename_all = "snake_case")]
pub(crate) enum Change {
    Order(Box<Order>),
    Payment(Box<Payment>),
    Refund(Box<Refund>),
    Delivery(Box<Delivery>),
    Settlement(Box<Settlement>),
    Adjustment(Box<Adjustment>),
    Dispute(Box<Dispute>),
    Meeting(Box<Meeting>),
    Mail(Box<Mail>),
    MailGone(String),
    InboxCleared,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OrderStatus {
    Created,
    Attempted,
    Paid,
}

#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Order {
    pub(crate) id: String,
    pub(crate) amount: i64,
    pub(crate) amount_paid: i64,
    pub(crate) currency: String,
    pub(crate) receipt: Option<String>,
    pub(crate) status: OrderStatus,
    pub(crate) notes: Map<String, Value>,
    pub(crate) manual_capture: bool,
    /// How old a payment may be to be captured by itself; an older book has no such limit.
    #[serde(default)]
    pub(crate) capture_within_minutes: Option<i64>,
    pub(crate) created_at: i64,
    pub(crate) payments: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PaymentStatus {
    /// The payer is at the bank's own page.
    Created,
    Authorized,
    Captured,
    Refunded,
    Failed,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Method {
    Card,
    Upi,
    Netbanking,
    Wallet,
}

#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Payment {
    pub(crate) id: String,
    pub(crate) order_id: String,
    pub(crate) amount: i64,
    /// How much of its order it pays, when that is not its amount: with a fee or an offer.
    #[serde(default)]
    pub(crate) pays_minor: Option<i64>,
    /// The fee that was added for its payer.
    #[serde(default)]
    pub(crate) added_fee: i64,
    pub(crate) currency: String,
    pub(crate) status: PaymentStatus,
    pub(crate) captured: bool,
    pub(crate) method: Method,
    /// Only the last four digits of a card ever reach the book.
    pub(crate) last4: Option<String>,
    pub(crate) vpa: Option<String>,
    pub(crate) amount_refunded: i64,
    pub(crate) failure: Option<Failure>,
    pub(crate) notes: Map<String, Value>,
    pub(crate) created_at: i64,
    pub(crate) refunds: Vec<String>,
    /// When a payment that failed will turn out to have been authorised after all.
    pub(crate) late_at_ms: Option<i64>,
    /// When it goes back, unless it is captured before.
    #[serde(default)]
    pub(crate) back_at_ms: Option<i64>,
    /// When the bank gives up waiting for its payer.
    #[serde(default)]
    pub(crate) ends_at_ms: Option<i64>,
    /// The settlement that paid it out.
    #[serde(default)]
    pub(crate) settlement: Option<String>,
}

/// Why an attempt failed, in the provider's words.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Failure {
    pub(crate) code: String,
    pub(crate) description: String,
    pub(crate) source: String,
    pub(crate) step: String,
    pub(crate) reason: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RefundStatus {
    Pending,
    Processed,
    Failed,
}

#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Refund {
    pub(crate) id: String,
    pub(crate) payment_id: String,
    pub(crate) amount: i64,
    pub(crate) currency: String,
    pub(crate) status: RefundStatus,
    pub(crate) receipt: Option<String>,
    pub(crate) speed: String,
    pub(crate) notes: Map<String, Value>,
    pub(crate) created_at: i64,
    /// The idempotency key and the hash of what was asked under it.
    pub(crate) key: Option<String>,
    pub(crate) asked: String,
    pub(crate) due_at_ms: i64,
    /// The settlement that took it from what was paid out.
    #[serde(default)]
    pub(crate) settlement: Option<String>,
}

/// Money that the provider adds to or takes from what it pays out, for reasons of its own.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Adjustment {
    pub(crate) id: String,
    /// Positive when it is added.
    pub(crate) amount: i64,
    pub(crate) currency: String,
    pub(crate) description: String,
    pub(crate) created_at: i64,
    pub(crate) settlement: Option<String>,
    /// What it is about, when that is a dispute.
    #[serde(default)]
    pub(crate) payment_id: Option<String>,
    #[serde(default)]
    pub(crate) dispute_id: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DisputeStatus {
    Open,
    UnderReview,
    Won,
    Lost,
    Closed,
}

impl DisputeStatus {
    /// The provider's word.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::UnderReview => "under_review",
            Self::Won => "won",
            Self::Lost => "lost",
            Self::Closed => "closed",
        }
    }
}

/// A payment that its payer's bank questions.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Dispute {
    pub(crate) id: String,
    pub(crate) payment_id: String,
    pub(crate) amount: i64,
    pub(crate) currency: String,
    pub(crate) amount_deducted: i64,
    /// The amount was taken when it began.
    pub(crate) at_onset: bool,
    pub(crate) reason_code: String,
    pub(crate) respond_by: i64,
    pub(crate) status: DisputeStatus,
    pub(crate) phase: String,
    pub(crate) created_at: i64,
}

/// A payout to the practice's bank.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Settlement {
    pub(crate) id: String,
    pub(crate) amount: i64,
    pub(crate) fees: i64,
    pub(crate) tax: i64,
    pub(crate) currency: String,
    /// The bank's reference.
    pub(crate) utr: String,
    pub(crate) created_at: i64,
    pub(crate) lines: Vec<SettledLine>,
}

/// A line of the settlement report, as it will be sent: a control may have altered it.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct SettledLine {
    pub(crate) entity_id: String,
    /// The provider's word: payment, refund or adjustment.
    pub(crate) kind: String,
    pub(crate) payment_id: Option<String>,
    pub(crate) order_id: Option<String>,
    pub(crate) order_receipt: Option<String>,
    pub(crate) method: Option<Method>,
    pub(crate) description: Option<String>,
    pub(crate) amount: i64,
    pub(crate) debit: i64,
    pub(crate) credit: i64,
    pub(crate) fee: i64,
    pub(crate) tax: i64,
    pub(crate) currency: String,
    pub(crate) created_at: i64,
    #[serde(default)]
    pub(crate) dispute_id: Option<String>,
    /// Left out of the report.
    pub(crate) hidden: bool,
    /// The fee was taken from credits that were bought before.
    #[serde(default)]
    pub(crate) of_credits: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DeliveryState {
    Waiting,
    Delivered,
    /// Lost on purpose, by a fault.
    Dropped,
    /// Given up after a day without a good answer.
    GivenUp,
}

/// A webhook on its way. Its body is kept as the bytes that were signed, until it has arrived.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Delivery {
    pub(crate) id: String,
    pub(crate) event: String,
    pub(crate) body: String,
    pub(crate) state: DeliveryState,
    pub(crate) attempts: u32,
    pub(crate) created_at_ms: i64,
    pub(crate) next_at_ms: i64,
}

#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Meeting {
    pub(crate) id: String,
    pub(crate) external_id: String,
    pub(crate) title: String,
    pub(crate) starts_at: String,
    pub(crate) duration_minutes: u32,
    pub(crate) key: String,
    pub(crate) asked: String,
}

/// A mail as `/api/inbox` shows it, hence the names.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Mail {
    pub(crate) id: String,
    pub(crate) message_id: Option<String>,
    pub(crate) from: String,
    pub(crate) from_name: Option<String>,
    pub(crate) to: Vec<String>,
    pub(crate) subject: String,
    pub(crate) text: Option<String>,
    pub(crate) html: Option<String>,
    pub(crate) attachments: Vec<Attachment>,
    /// Those of the whole mail, in its order. An older book has none.
    #[serde(default)]
    pub(crate) headers: Vec<Header>,
    pub(crate) received_at: String,
}

#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Header {
    pub(crate) name: String,
    pub(crate) value: String,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Attachment {
    pub(crate) filename: String,
    pub(crate) content_type: String,
    pub(crate) base64: String,
}
