//! The rows of the store. They are internal; each interface has its own JSON form for them.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One change of the store, as it is written to the journal.
#[derive(Clone, Serialize, Deserialize)]
#[serde(tag = "kind", content = "row", rename_all = "snake_case")]
pub(crate) enum Change {
    Order(Box<Order>),
    Link(Box<Link>),
    Payment(Box<Payment>),
    Refund(Box<Refund>),
    Delivery(Box<Delivery>),
    Settlement(Box<Settlement>),
    Adjustment(Box<Adjustment>),
    Dispute(Box<Dispute>),
    Meeting(Box<Meeting>),
    Mail(Box<Mail>),
    PhoneMessage(Box<PhoneMessage>),
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
    /// Up to which age a payment is captured automatically. Older journals have no such limit.
    #[serde(default)]
    pub(crate) capture_within_minutes: Option<i64>,
    pub(crate) created_at: i64,
    pub(crate) payments: Vec<String>,
    /// The payment link that it is beneath.
    #[serde(default)]
    pub(crate) link_id: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LinkStatus {
    Created,
    PartiallyPaid,
    Paid,
    Cancelled,
    Expired,
}

impl LinkStatus {
    /// The status in the provider's API.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::PartiallyPaid => "partially_paid",
            Self::Paid => "paid",
            Self::Cancelled => "cancelled",
            Self::Expired => "expired",
        }
    }

    /// Whether its page takes no more money.
    pub(crate) fn is_over(self) -> bool {
        !matches!(self, Self::Created | Self::PartiallyPaid)
    }
}

#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Link {
    pub(crate) id: String,
    /// What its address ends with.
    pub(crate) code: String,
    pub(crate) amount: i64,
    pub(crate) amount_paid: i64,
    pub(crate) currency: String,
    pub(crate) accept_partial: bool,
    pub(crate) first_min_partial_amount: i64,
    pub(crate) description: Option<String>,
    pub(crate) reference_id: Option<String>,
    pub(crate) customer: Map<String, Value>,
    pub(crate) notify: Map<String, Value>,
    pub(crate) reminder_enable: bool,
    pub(crate) notes: Map<String, Value>,
    /// Seconds since 1970; 0 for no end.
    pub(crate) expire_by: i64,
    pub(crate) callback_url: Option<String>,
    pub(crate) status: LinkStatus,
    /// The order beneath it, once its page was opened.
    pub(crate) order_id: Option<String>,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
    pub(crate) cancelled_at: i64,
    pub(crate) expired_at: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PaymentStatus {
    /// The payer decides on the bank's own page.
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
    /// How much of its order it pays, when that differs from its amount because of a fee or an
    /// offer.
    #[serde(default)]
    pub(crate) pays_minor: Option<i64>,
    /// The fee that the payer pays in addition.
    #[serde(default)]
    pub(crate) added_fee: i64,
    pub(crate) currency: String,
    pub(crate) status: PaymentStatus,
    pub(crate) captured: bool,
    pub(crate) method: Method,
    /// Only the last four digits of a card are ever stored.
    pub(crate) last4: Option<String>,
    pub(crate) vpa: Option<String>,
    pub(crate) amount_refunded: i64,
    pub(crate) failure: Option<Failure>,
    pub(crate) notes: Map<String, Value>,
    pub(crate) created_at: i64,
    pub(crate) refunds: Vec<String>,
    /// When a failed payment will be authorised after all.
    pub(crate) late_at_ms: Option<i64>,
    /// When it is refunded, unless it is captured before.
    #[serde(default)]
    pub(crate) back_at_ms: Option<i64>,
    /// When the bank's timeout for the payer's approval is over.
    #[serde(default)]
    pub(crate) ends_at_ms: Option<i64>,
    /// The settlement that paid it out.
    #[serde(default)]
    pub(crate) settlement: Option<String>,
}

/// The reason of a failed attempt, in the provider's form.
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
    /// The idempotency key. The next field is the hash of the request that was made under it.
    pub(crate) key: Option<String>,
    pub(crate) asked: String,
    pub(crate) due_at_ms: i64,
    /// The settlement that deducted it from the payout.
    #[serde(default)]
    pub(crate) settlement: Option<String>,
}

/// Money that the provider adds to a payout or deducts from it.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Adjustment {
    pub(crate) id: String,
    /// Positive when it is added to the payout.
    pub(crate) amount: i64,
    pub(crate) currency: String,
    pub(crate) description: String,
    pub(crate) created_at: i64,
    pub(crate) settlement: Option<String>,
    /// The disputed payment, when a dispute is the reason.
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
    /// The status in the provider's API.
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

/// A payment that its payer's bank disputes.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Dispute {
    pub(crate) id: String,
    pub(crate) payment_id: String,
    pub(crate) amount: i64,
    pub(crate) currency: String,
    pub(crate) amount_deducted: i64,
    /// The amount was deducted when the dispute was opened.
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

/// A line of the settlement report as it will be sent. A control may have changed it.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct SettledLine {
    pub(crate) entity_id: String,
    /// The type in the provider's API: payment, refund or adjustment.
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
    /// Whether the report leaves it out.
    pub(crate) hidden: bool,
    /// Whether the fee was taken from prepaid credits.
    #[serde(default)]
    pub(crate) of_credits: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DeliveryState {
    Waiting,
    Delivered,
    /// Dropped on purpose, by an injected fault.
    Dropped,
    /// Given up after a day without a successful answer.
    GivenUp,
}

/// A webhook. Its body is kept as the signed bytes until it is delivered.
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

/// A message to a phone.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct PhoneMessage {
    pub(crate) id: String,
    pub(crate) key: String,
    pub(crate) asked: String,
    pub(crate) to: String,
    pub(crate) channel: String,
    pub(crate) text: String,
    pub(crate) received_at: String,
}

/// A mail with the field names of `/api/inbox`.
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
    /// The headers of the whole mail, in their order. Older journals have none.
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
