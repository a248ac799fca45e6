//! The port of a payment provider, in this service's own types. Nothing outside of a provider's
//! folder knows its JSON, its addresses, its headers or its vocabulary.

use futures::future::BoxFuture;
use kernel::id::{Booking, Collection, PaymentLink, Refund as RefundKind};
use kernel::{Id, Money, Timestamp};
use runtime::BoxError;

use crate::domain::dispute::Dispute;
use crate::domain::fact::{
    Amount, LinkId, OrderFact, OrderId, Payment, PaymentId, ProviderRefundId,
};
use crate::domain::link::{LinkFact, ProviderLink};
use crate::domain::refund::Progress;
use crate::domain::settlement::{Line, Settlement};

pub mod deadline;
pub mod razorpay;

/// A request to create an order. The receipt is our id, so that the order can be found again.
#[derive(Debug, Clone, Copy)]
pub struct OrderRequest {
    /// Our id of what is collected.
    pub receipt: Id<Collection>,
    /// The booking: the only detail that the provider receives.
    pub booking_id: Id<Booking>,
    /// What is to be paid.
    pub amount: Money,
}

/// A request to create a payment link. The reference is our id, so that the link can be found
/// again.
#[derive(Debug, Clone, Copy)]
pub struct LinkRequest {
    /// Our id of the link.
    pub reference: Id<PaymentLink>,
    /// The booking: the only detail that the provider receives.
    pub booking_id: Id<Booking>,
    /// What is to be paid; not in parts.
    pub amount: Money,
    /// Until when it can be paid.
    pub expires_at: Timestamp,
}

/// A request to create a refund. Its id makes the request idempotent.
#[derive(Debug, Clone)]
pub struct RefundRequest {
    /// Our id.
    pub refund_id: Id<RefundKind>,
    /// What is refunded.
    pub payment: PaymentId,
    /// How much.
    pub amount: Amount,
    /// How often the provider has refused it. A provider may store a refusal under its idempotency
    /// key, so each new attempt after a refusal needs a new key.
    pub refusals: usize,
}

/// A payment as the provider has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentReport {
    /// Its id and its facts.
    pub payment: Payment,
    /// How much of it is refunded or being refunded, as the provider reports.
    pub refunded_minor: i64,
}

/// An order as the provider has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderReport {
    /// Its state.
    pub fact: OrderFact,
    /// Its receipt, if that is one of ours. Another one belongs to another business of the account.
    pub receipt: Option<Receipt>,
}

/// What an order of ours is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Receipt {
    /// A collection, by the checkout.
    Collection(Id<Collection>),
    /// A payment link; the provider created the order beneath it.
    Link(Id<PaymentLink>),
}

/// A payment link as the provider has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkReport {
    /// The provider's name.
    pub provider: String,
    /// Its id and its address.
    pub link: ProviderLink,
    /// Its reference, if that is one of ours. Another one belongs to another business of the
    /// account.
    pub reference: Option<Id<PaymentLink>>,
    /// What it asks for.
    pub amount: Amount,
    /// Its state.
    pub fact: LinkFact,
}

/// A refund as the provider has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderRefund {
    /// The provider's id.
    pub id: ProviderRefundId,
    /// What is refunded, when that was said.
    pub payment: Option<PaymentId>,
    /// Our id, if it is one of ours.
    pub refund_id: Option<Id<RefundKind>>,
    /// How much.
    pub amount: Amount,
    /// Its state.
    pub progress: Progress,
}

/// A part of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// What could be read.
    pub items: Vec<T>,
    /// How much could not.
    pub unread: usize,
    /// How many to skip for the next part; `None` when this was the last.
    pub next: Option<usize>,
}

/// Something that a provider reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Observation {
    /// About a payment link.
    Link(LinkReport),
    /// About a payment.
    Payment(Payment),
    /// About a refund.
    Refund(ProviderRefund),
    /// About a dispute of a payment.
    Dispute(Dispute),
}

/// The headers of a provider's webhook that we read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WebhookHeaders {
    /// Holds the signature over the raw bytes.
    pub signature: &'static str,
    /// Holds the event's id, which the signature does not cover.
    pub event_id: &'static str,
}

/// A checkout's answer as its form states it; not verified yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReturnForm {
    /// What claims to be the id of a payment.
    pub payment_id: String,
    /// What claims to be the provider's signature.
    pub signature: String,
}

/// What the address holds to which a link's page leads its payer; not verified yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkReturn {
    /// What claims to be the provider's id of the link.
    pub link: LinkId,
    /// What claims to be its reference.
    pub reference: String,
    /// What claims to be its state.
    pub status: String,
    /// What claims to be the id of a payment.
    pub payment_id: String,
    /// What claims to be the provider's signature.
    pub signature: String,
}

/// Why a checkout's answer is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReturnError {
    /// The payment's id is not one of this provider.
    Malformed,
    /// The signature is not the provider's.
    Forged,
}

/// Why a call to the provider failed.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    /// No answer: the outcome is unknown, so look it up before trying again.
    #[error("the payment provider did not answer")]
    NoAnswer(#[source] BoxError),
    /// It is overloaded, busy with the same request, or does not know our keys: try again later.
    #[error("the payment provider answered {0} and has to be asked later")]
    RetryLater(u16),
    /// It refuses, with a reason code.
    #[error("the payment provider refused: {reason}")]
    Refused {
        /// The provider's reason code.
        reason: String,
    },
    /// Its answer cannot be used.
    #[error("the payment provider's answer cannot be used: {0}")]
    InvalidAnswer(&'static str),
}

/// The future of a call to the provider.
pub type ProviderFuture<'a, T> = BoxFuture<'a, Result<T, ProviderError>>;

/// A payment provider.
pub trait Provider: Send + Sync + 'static {
    /// Its name in addresses, events and rows: small letters.
    fn name(&self) -> &'static str;
    /// Whether our keys move no real money.
    fn is_test_mode(&self) -> bool;
    /// Whether the settings say which account is ours.
    fn names_account(&self) -> bool;
    /// Creates an order. Captures are always automatic.
    fn create_order(&self, wanted: OrderRequest) -> ProviderFuture<'_, OrderId>;
    /// Finds the order of a receipt. Of several, which only a lost answer can have made, it is
    /// always the oldest.
    fn find_order(&self, wanted: OrderRequest) -> ProviderFuture<'_, Option<OrderId>>;
    /// Creates a payment link. It is never created twice under one reference.
    fn create_link(&self, wanted: LinkRequest) -> ProviderFuture<'_, LinkReport>;
    /// Finds the link of a reference. A list may lag behind a creation.
    fn find_link(&self, wanted: LinkRequest) -> ProviderFuture<'_, Option<LinkReport>>;
    /// A payment link.
    fn link<'a>(&'a self, id: &'a LinkId) -> ProviderFuture<'a, LinkReport>;
    /// Cancels a link, and returns its new state. One that cannot be cancelled is fetched: it may
    /// have been paid or have expired in the meantime.
    fn cancel_link<'a>(&'a self, id: &'a LinkId) -> ProviderFuture<'a, LinkReport>;
    /// The state of an order of the account, ours or not.
    fn order<'a>(&'a self, id: &'a OrderId) -> ProviderFuture<'a, OrderReport>;
    /// Every payment that was tried on an order.
    fn payments_of<'a>(&'a self, order: &'a OrderId) -> ProviderFuture<'a, Vec<PaymentReport>>;
    /// One payment.
    fn payment<'a>(&'a self, id: &'a PaymentId) -> ProviderFuture<'a, PaymentReport>;
    /// Captures a payment that the provider left authorised, and returns its new state. One that
    /// was captured in the meantime is reported as captured.
    fn capture<'a>(
        &'a self,
        payment: &'a PaymentId,
        amount: Money,
    ) -> ProviderFuture<'a, PaymentReport>;
    /// The least amount of a refund, in minor units.
    fn least_refund_minor(&self) -> i64;
    /// Requests a refund; idempotent by the refund's id.
    fn refund<'a>(&'a self, wanted: &'a RefundRequest) -> ProviderFuture<'a, ProviderRefund>;
    /// Every refund of a payment.
    fn refunds_of<'a>(&'a self, payment: &'a PaymentId) -> ProviderFuture<'a, Vec<ProviderRefund>>;
    /// One refund.
    fn fetch_refund<'a>(&'a self, id: &'a ProviderRefundId) -> ProviderFuture<'a, ProviderRefund>;

    /// The lines of what was paid out to the bank on the provider's day of this instant.
    fn settlement_lines(&self, at: Timestamp, skip: usize) -> ProviderFuture<'_, Page<Line>>;
    /// The payouts that were made between two instants.
    fn settlements(
        &self,
        from: Timestamp,
        to: Timestamp,
        skip: usize,
    ) -> ProviderFuture<'_, Page<Settlement>>;
    /// Every payment of the account that was created between two instants, ours or not.
    fn payments_between(
        &self,
        from: Timestamp,
        to: Timestamp,
        skip: usize,
    ) -> ProviderFuture<'_, Page<PaymentReport>>;

    /// Every dispute of the account that began between two instants, in its current state.
    fn disputes_between(
        &self,
        from: Timestamp,
        to: Timestamp,
        skip: usize,
    ) -> ProviderFuture<'_, Page<Dispute>>;

    /// Whether a checkout's answer for our order is the provider's own.
    fn verify_return(
        &self,
        order: &OrderId,
        payment_id: &str,
        signature: &str,
    ) -> Result<PaymentId, ReturnError>;
    /// What the form of a checkout's answer holds; `None` when it names no payment.
    fn read_return(&self, form: &[u8]) -> Option<ReturnForm>;
    /// What the address holds to which a link's page leads its payer; `None` when it names no link.
    fn read_link_return(&self, query: &str) -> Option<LinkReturn>;
    /// Whether that is the provider's own.
    fn is_own_link_return(&self, answer: &LinkReturn) -> bool;
    /// Where its webhooks carry signature and id.
    fn webhook_headers(&self) -> WebhookHeaders;
    /// Whether a webhook's raw bytes were signed by the provider, with the current secret or the
    /// one before it.
    fn verify_webhook(&self, signature: &str, raw: &[u8]) -> bool;
    /// Whether a webhook names another account than ours.
    fn is_of_another_account(&self, raw: &[u8]) -> bool;
    /// What a webhook reports; empty for a kind that does not concern us.
    fn read_webhook(&self, raw: &[u8]) -> Vec<Observation>;
}
