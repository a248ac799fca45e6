//! What is known of a collection, and the commands, events and rejections of its life.

use std::collections::{BTreeMap, BTreeSet};

use kernel::id::{
    Booking, Collection as CollectionKind, Customer, PaymentLink, Refund as RefundKind,
};
use kernel::{Id, Money, PaymentProvider, Timestamp};

use crate::domain::desk::Handover;
use crate::domain::dispute::Dispute;
use crate::domain::fact::{
    Amount, DisputeId, Fact, OrderFact, OrderId, Payment, PaymentId, ProviderRefundId, Source,
};
use crate::domain::link::{Link, LinkFact, ProviderLink, Withdrawal};
use crate::domain::mismatch::Mismatch;
use crate::domain::refund::{FoundRefund, Refund, RefundUpdate};
use crate::domain::session_ends::SessionEnds;

/// What is to be collected; it never changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    /// Our id, which the provider gets as receipt.
    pub collection_id: Id<CollectionKind>,
    /// What it pays for.
    pub booking_id: Id<Booking>,
    /// Who owns that.
    pub customer_id: Id<Customer>,
    /// How much.
    pub amount: Money,
}

/// What is known of the collection of a booking.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum State {
    /// No payment was started.
    #[default]
    Absent,
    /// The intent is recorded.
    Open(Box<Collection>),
}

/// A collection whose intent is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collection {
    /// What is to be collected.
    pub terms: Terms,
    /// The provider of the order or link; empty while there is none.
    pub provider: String,
    /// The provider's order, once there is one; there is never another.
    pub order: Option<OrderId>,
    /// Its payment links, each by our id.
    pub links: BTreeMap<Id<PaymentLink>, Link>,
    /// The link that was opened last.
    pub last_link: Option<Id<PaymentLink>>,
    /// Whether the customer said that it is paid.
    pub claimed: bool,
    /// What the provider said about each payment, joined.
    pub payments: BTreeMap<PaymentId, Fact>,
    /// Those that were made at the practice's desk.
    pub at_desk: BTreeSet<PaymentId>,
    /// Payments whose failure was reported.
    pub failed: BTreeSet<PaymentId>,
    /// The one payment that counts.
    pub verified: Option<PaymentId>,
    /// Captured payments that do not count.
    pub mismatched: BTreeSet<PaymentId>,
    /// Its refunds.
    pub refunds: BTreeMap<Id<RefundKind>, Refund>,
    /// Those that do not wait for the end of a dispute.
    pub(super) released: BTreeSet<Id<RefundKind>>,
    /// Disputes of its payments.
    pub disputes: BTreeMap<DisputeId, Dispute>,
    /// What the session that took place has earned, or the sessions of a package.
    pub earned: Option<Amount>,
    /// What the practice keeps of a booking that was cancelled.
    pub retained: Option<Amount>,
    /// How much of each refund that was wanted afterwards came out of what was earned or retained,
    /// because nothing else was left to take it from; as in the ledger.
    pub(super) from_closed: BTreeMap<Id<RefundKind>, i64>,
    /// How much of each refund gave back a fee that was added to the price, because nothing else
    /// was left before the rest was earned or retained; as in the ledger.
    pub(super) from_fee: BTreeMap<Id<RefundKind>, i64>,
}

/// The state of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Nothing was captured.
    Pending,
    /// Captured, and everything matches.
    Paid,
    /// The last attempt failed.
    Failed,
    /// Captured, but not as ordered.
    Mismatched,
    /// Being refunded.
    Refunding,
    /// Refunded.
    Refunded,
}

impl Standing {
    /// Whether money has arrived, even if it was refunded since; then another payment makes no
    /// sense.
    #[must_use]
    pub const fn has_money(self) -> bool {
        match self {
            Self::Paid | Self::Mismatched | Self::Refunding | Self::Refunded => true,
            Self::Pending | Self::Failed => false,
        }
    }
}

impl Collection {
    /// The name of its provider, which is the first while there is none.
    #[must_use]
    pub fn provider_name(&self) -> &str {
        if self.provider.is_empty() { PaymentProvider::FIRST.name } else { &self.provider }
    }

    pub(super) fn new(terms: Terms) -> Self {
        Self {
            terms,
            provider: String::new(),
            order: None,
            links: BTreeMap::new(),
            last_link: None,
            claimed: false,
            payments: BTreeMap::new(),
            at_desk: BTreeSet::new(),
            failed: BTreeSet::new(),
            verified: None,
            mismatched: BTreeSet::new(),
            refunds: BTreeMap::new(),
            released: BTreeSet::new(),
            disputes: BTreeMap::new(),
            earned: None,
            retained: None,
            from_closed: BTreeMap::new(),
            from_fee: BTreeMap::new(),
        }
    }
}

/// What becomes of the rest of a package's money once all of its sessions have ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rest {
    /// It is earned, because a session took place.
    Earned,
    /// It is kept, because all were cancelled.
    Retained,
}

/// What is to be told of a refund that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedRefund {
    /// Whether it is not requested again by itself.
    pub is_final: bool,
    /// How much it was.
    pub amount: Amount,
    /// How much of that the payer's bank has given, if any.
    pub given_by_bank: Option<Amount>,
}

/// The commands of a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Record the intent to create the order.
    Open(Terms),
    /// Record the order that the provider has.
    RecordOrder {
        /// The provider's name.
        provider: String,
        /// Its order.
        order: OrderId,
    },
    /// Record the intent to create a link, with this id and end, unless one is usable.
    OpenLink { link_id: Id<PaymentLink>, expires_at: Timestamp, now: Timestamp },
    /// Record the link that the provider has.
    RecordLink {
        /// The provider's name.
        provider: String,
        /// Our id of it.
        link_id: Id<PaymentLink>,
        /// Its link.
        created: ProviderLink,
    },
    /// No link is handed out any more.
    WithdrawLinks { why: Withdrawal },
    /// The provider reported a link.
    ObserveLink { link_id: Id<PaymentLink>, fact: LinkFact, source: Source },
    /// The provider has no link of this reference.
    RecordAbsentLink { link_id: Id<PaymentLink> },
    /// The customer says that it is paid.
    Claim,
    /// The provider reported a payment; `refund_id` is used if it has to be refunded.
    Observe { payment: Payment, source: Source, refund_id: Id<RefundKind> },
    /// The price was paid at the practice's desk.
    PayAtDesk { payment: PaymentId, amount: Amount, handover: Handover },
    /// All that is owed at the desk was given back there.
    GiveBackAtDesk { amount: Amount, handover: Handover },
    /// Decide about captured payments that are neither counted nor refunded.
    ResolveUndecided {
        /// The provider's state of those orders of which a payment has another amount.
        orders: Vec<OrderFact>,
        /// Whether every link was fetched, so that an order that is still unknown is not ours.
        are_links_known: bool,
        /// The id of each payment's refund, if one is needed.
        refund_ids: BTreeMap<PaymentId, Id<RefundKind>>,
    },
    /// The provider reported a dispute.
    ObserveDispute(Dispute),
    /// The booking could not be placed, so its payment is refunded.
    Unplace { payment: PaymentId, refund_id: Id<RefundKind> },
    /// The booking was cancelled; at most this much is refunded, and the rest is kept.
    Cancel { refund: Amount, refund_id: Id<RefundKind> },
    /// The session took place.
    Complete,
    /// Sessions of a package have ended: the shares of those that took place are earned, those of
    /// cancelled ones are refunded or kept; once all have ended, so is the rest.
    SettleSessions { ends: SessionEnds, rest: Option<Rest>, refund_id: Id<RefundKind> },
    /// The practice gives this much back, or all that is left. The provider takes no refund of
    /// less than the least.
    RefundByStaff { amount: Option<Amount>, refund_id: Id<RefundKind>, least_minor: i64 },
    /// A refund is about to be requested from the provider, which takes none of less than the
    /// least: it is cut to what is left, or ended.
    PrepareRefund { refund_id: Id<RefundKind>, least_minor: i64 },
    /// A staff member does not want a refund to wait for the end of a dispute.
    ReleaseRefund { refund_id: Id<RefundKind> },
    /// The provider reported a refund of ours; `rest_id` is used if that leaves more to refund.
    LearnRefund { refund_id: Id<RefundKind>, update: RefundUpdate, rest_id: Id<RefundKind> },
    /// The provider has a refund that does not bear our id. It gets `refund_id` if it is new;
    /// `rest_id` is used if it leaves more to give back.
    DiscoverRefund { found: FoundRefund, refund_id: Id<RefundKind>, rest_id: Id<RefundKind> },
    /// A refund failed at the provider, so another one is requested under the id that follows.
    RenewRefund { failed: Id<RefundKind> },
}

/// What can have happened to a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The intent was recorded.
    Opened(Terms),
    /// The provider has an order.
    OrderCreated { provider: String, order: OrderId },
    /// Something happened to a link.
    Link { link_id: Id<PaymentLink>, change: LinkChange },
    /// The customer says that it is paid.
    Claimed,
    /// The provider said something.
    Observed { payment: Payment, source: Source },
    /// The provider reported the state of its order, fetched because of a payment of another
    /// amount.
    OrderObserved { order: OrderFact },
    /// The price was paid at the practice's desk.
    PaidAtDesk { payment: PaymentId, amount: Amount, handover: Handover },
    /// A refund was given back at the practice's desk.
    GivenBackAtDesk { refund_id: Id<RefundKind>, amount: Amount, handover: Handover },
    /// The money is here and counts.
    Verified { payment: PaymentId, amount: Amount },
    /// An attempt failed.
    Failed { payment: PaymentId },
    /// Money is here and does not count.
    Mismatched { payment: PaymentId, amount: Amount, reason: Mismatch },
    /// A refund was requested.
    RefundRequested { refund_id: Id<RefundKind>, refund: Refund },
    /// A staff member released a refund that waits for the end of a dispute.
    RefundReleased { refund_id: Id<RefundKind> },
    /// The provider accepted the refund.
    RefundAccepted { refund_id: Id<RefundKind>, provider_refund: ProviderRefundId },
    /// The money was refunded.
    RefundProcessed { refund_id: Id<RefundKind> },
    /// It failed at the provider, was refused for good, or was overtaken.
    RefundFailed { refund_id: Id<RefundKind>, reason: String },
    /// The provider has a refund that we did not request, possibly of a payment that is unknown or
    /// never counted.
    RefundDiscovered { refund_id: Id<RefundKind>, refund: Refund },
    /// The provider said something about a dispute.
    DisputeObserved(Dispute),
    /// The session took place, and its money is earned.
    Earned { payment: PaymentId, amount: Amount },
    /// The booking was cancelled, and this much of its money is kept.
    Retained { payment: PaymentId, amount: Amount },
}

/// What can have happened to a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkChange {
    /// It is to be created.
    Opened { expires_at: Timestamp },
    /// The provider has it.
    Created { provider: String, created: ProviderLink },
    /// The provider said something about it.
    Observed { fact: LinkFact, source: Source },
    /// It is not handed out any more, and is to be cancelled.
    Withdrawn(Withdrawal),
    /// The provider has none under this reference.
    Absent,
}

/// Why a command is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// The intent was never recorded.
    #[error("no payment was started for this booking")]
    NotOpened,
    /// The booking is collected for under other terms.
    #[error("the booking is collected for under other terms")]
    OtherTerms,
    /// The provider does not accept such an amount.
    #[error("this amount cannot be paid")]
    AmountNotPayable,
    /// The booking has another order.
    #[error("the booking has another order")]
    OtherOrder,
    /// A link of the booking may still be paid.
    #[error("a payment link of the booking is still open")]
    LinkOpen,
    /// The booking has had too many links.
    #[error("the booking has had too many payment links")]
    TooManyLinks,
    /// No such link was opened.
    #[error("there is no such payment link")]
    LinkUnknown,
    /// The provider has another link under this reference.
    #[error("the provider has another payment link")]
    OtherLink,
    /// The price is paid.
    #[error("the booking is paid already")]
    AlreadyPaid,
    /// Another amount is to be paid, or to be given back.
    #[error("another amount is owed")]
    AmountNotOwed,
    /// Nothing is to be given back at the desk.
    #[error("nothing is owed at the desk")]
    NothingOwed,
    /// We never saw such a payment.
    #[error("there is no such payment")]
    PaymentUnknown,
    /// No such refund was requested.
    #[error("there is no such refund")]
    RefundUnknown,
    /// It does not wait for the end of a dispute.
    #[error("the refund is not held")]
    RefundNotHeld,
    /// The provider has taken its money for a dispute.
    #[error("the money of the refund was deducted for a dispute")]
    RefundDeducted,
    /// The provider does not refund such an amount, or could not refund what it leaves.
    #[error("the provider refunds no amount as small as this")]
    BelowTheLeast,
    /// No money is left.
    #[error("there is nothing to refund")]
    NothingToRefund,
    /// Not an amount of what is left.
    #[error("this amount cannot be refunded")]
    AmountNotRefundable,
}
