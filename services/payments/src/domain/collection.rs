//! The collection of one booking's money: its one order, the payments seen on it, and what goes
//! back. Money counts only when it is captured and amount, currency and order match; all else is
//! returned.

mod sums;
mod decisions;

use std::collections::{BTreeMap, BTreeSet};

use kernel::id::{Booking, Collection as CollectionKind, Customer, Refund as RefundKind};
use kernel::{Decider, Id, Money};

use super::dispute::Dispute;
use super::fact::{
    Amount, DisputeId, Fact, OrderFact, OrderId, Payment, PaymentId, ProviderRefundId, Source,
};
pub use super::mismatch::Mismatch;
use super::refund::{End, Found, News, Refund};

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
    /// Nobody wanted to pay yet.
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
    /// The provider of the order; empty while there is none.
    pub provider: String,
    /// The provider's order, once there is one; there is never another.
    pub order: Option<OrderId>,
    /// Whether the customer said that it is paid.
    pub claimed: bool,
    /// What the provider said about each payment, joined.
    pub payments: BTreeMap<PaymentId, Fact>,
    /// Payments whose failure was told.
    pub failed: BTreeSet<PaymentId>,
    /// The one payment that counts.
    pub verified: Option<PaymentId>,
    /// Captured payments that do not count.
    pub mismatched: BTreeSet<PaymentId>,
    /// What goes back.
    pub refunds: BTreeMap<Id<RefundKind>, Refund>,
    /// Disputes of its payments.
    pub disputes: BTreeMap<DisputeId, Dispute>,
    /// What the session that took place has earned.
    pub earned: Option<Amount>,
    /// What the practice keeps of a booking that was cancelled.
    pub retained: Option<Amount>,
    /// How much of each refund that was wanted afterwards came out of what was earned or retained,
    /// because nothing else was left to take it from; as in the ledger.
    from_closed: BTreeMap<Id<RefundKind>, i64>,
    /// How much of each refund gave back a fee that was added to the price, because nothing else
    /// was left before the rest was earned or retained; as in the ledger.
    from_fee: BTreeMap<Id<RefundKind>, i64>,
}

/// Where a collection stands, in one word.
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
    /// On its way back.
    Refunding,
    /// Given back.
    Refunded,
}

impl Collection {
    fn new(terms: Terms) -> Self {
        Self {
            terms,
            provider: String::new(),
            order: None,
            claimed: false,
            payments: BTreeMap::new(),
            failed: BTreeSet::new(),
            verified: None,
            mismatched: BTreeSet::new(),
            refunds: BTreeMap::new(),
            disputes: BTreeMap::new(),
            earned: None,
            retained: None,
            from_closed: BTreeMap::new(),
            from_fee: BTreeMap::new(),
        }
    }
}

/// What can be asked of a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Record that we mean to create the order.
    Open(Terms),
    /// Record the order that the provider has.
    RecordOrder {
        /// The provider's name.
        provider: String,
        /// Its order.
        order: OrderId,
    },
    /// The customer says that it is paid.
    Claim,
    /// The provider said something about a payment; `refund_id` is used if it has to go back.
    Observe { payment: Payment, source: Source, refund_id: Id<RefundKind> },
    /// The captured payments that are neither counted nor sent back are decided about; by the
    /// provider's word about their order where their amount is another one. Each has an id that is
    /// used if it has to go back.
    Judge { order: Option<OrderFact>, refund_ids: BTreeMap<PaymentId, Id<RefundKind>> },
    /// The provider said something about a dispute.
    ObserveDispute(Dispute),
    /// The booking could not be placed, so its payment goes back.
    Unplace { payment: PaymentId, refund_id: Id<RefundKind> },
    /// The booking was cancelled; this much goes back at most, and the rest is kept.
    Cancel { refund: Amount, refund_id: Id<RefundKind> },
    /// The session took place.
    Complete,
    /// The practice gives this much back, or all that is left.
    RefundByStaff { amount: Option<Amount>, refund_id: Id<RefundKind> },
    /// Something was learnt about a refund; `rest_id` is used if that leaves more to give back.
    LearnRefund { refund_id: Id<RefundKind>, news: News, rest_id: Id<RefundKind> },
    /// The provider has a refund that does not bear our id. It gets `refund_id` if it is new;
    /// `rest_id` is used if it leaves more to give back.
    DiscoverRefund { found: Found, refund_id: Id<RefundKind>, rest_id: Id<RefundKind> },
    /// A refund failed at the provider, so another one is asked for under a new id.
    RenewRefund { failed: Id<RefundKind>, refund_id: Id<RefundKind> },
}

/// What can have happened to a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The intent was recorded.
    Opened(Terms),
    /// The provider has an order.
    OrderCreated { provider: String, order: OrderId },
    /// The customer says that it is paid.
    Claimed,
    /// The provider said something.
    Observed { payment: Payment, source: Source },
    /// The provider said how its order stands, because money of another amount came for it.
    OrderObserved { order: OrderFact },
    /// The money is here and counts.
    Verified { payment: PaymentId, amount: Amount },
    /// An attempt failed.
    Failed { payment: PaymentId },
    /// Money is here and does not count.
    Mismatched { payment: PaymentId, amount: Amount, reason: Mismatch },
    /// Money is to go back.
    RefundRequested { refund_id: Id<RefundKind>, refund: Refund },
    /// The provider took the refund.
    RefundAccepted { refund_id: Id<RefundKind>, provider_refund: ProviderRefundId },
    /// The money went back.
    RefundProcessed { refund_id: Id<RefundKind> },
    /// It failed at the provider, was refused for good, or was overtaken.
    RefundFailed { refund_id: Id<RefundKind>, reason: String },
    /// The provider has a refund that we never asked for, perhaps of a payment that we do not know
    /// yet or that never counted.
    RefundDiscovered { refund_id: Id<RefundKind>, refund: Refund },
    /// The provider said something about a dispute.
    DisputeObserved(Dispute),
    /// The session took place, and its money is earned.
    Earned { payment: PaymentId, amount: Amount },
    /// The booking was cancelled, and this much of its money is kept.
    Retained { payment: PaymentId, amount: Amount },
}

/// Why a command is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// The intent was never recorded.
    #[error("no payment was started for this booking")]
    NotOpened,
    /// The booking is collected for under other terms.
    #[error("the booking is collected for under other terms")]
    OtherTerms,
    /// No provider takes such an amount.
    #[error("this amount cannot be paid")]
    AmountNotPayable,
    /// The booking has another order.
    #[error("the booking has another order")]
    OtherOrder,
    /// We never saw such a payment.
    #[error("there is no such payment")]
    PaymentUnknown,
    /// We never asked for such a refund.
    #[error("there is no such refund")]
    RefundUnknown,
    /// No money is left.
    #[error("there is nothing to refund")]
    NothingToRefund,
    /// Not an amount of what is left.
    #[error("this amount cannot be refunded")]
    AmountNotRefundable,
}

/// The life of a collection.
#[derive(Debug, Clone, Copy)]
pub enum CollectionLife {}

impl Decider for CollectionLife {
    type State = State;
    type Command = Command;
    type Event = Event;
    type Rejection = Rejection;

    fn decide(state: &State, command: Command) -> Result<Vec<Event>, Rejection> {
        match (state, command) {
            (State::Absent, Command::Open(terms)) => decisions::open(terms),
            (State::Open(known), command) => decide(known, command),
            (
                State::Absent,
                Command::RecordOrder { .. }
                | Command::Claim
                | Command::Observe { .. }
                | Command::Judge { .. }
                | Command::ObserveDispute(_)
                | Command::Unplace { .. }
                | Command::Cancel { .. }
                | Command::Complete
                | Command::RefundByStaff { .. }
                | Command::LearnRefund { .. }
                | Command::DiscoverRefund { .. }
                | Command::RenewRefund { .. },
            ) => Err(Rejection::NotOpened),
        }
    }

    fn evolve(state: State, event: &Event) -> State {
        match (state, event) {
            (State::Absent, Event::Opened(terms)) => State::Open(Box::new(Collection::new(*terms))),
            (State::Open(mut known), event) => {
                take_in(&mut known, event);
                State::Open(known)
            }
            // Nothing happens to a collection before it was opened.
            (State::Absent, _) => State::Absent,
        }
    }
}

fn decide(known: &Collection, command: Command) -> Result<Vec<Event>, Rejection> {
    match command {
        Command::Open(terms) => decisions::reopen(known, &terms),
        Command::RecordOrder { provider, order } => decisions::record_order(known, provider, order),
        Command::Claim => Ok(decisions::claim(known)),
        Command::Observe { payment, source, refund_id } => {
            Ok(decisions::observe(known, payment, source, refund_id))
        }
        Command::Judge { order, refund_ids } => Ok(decisions::judge(known, order, &refund_ids)),
        Command::ObserveDispute(dispute) => Ok(decisions::observe_dispute(known, dispute)),
        Command::Unplace { payment, refund_id } => decisions::unplace(known, payment, refund_id),
        Command::Cancel { refund, refund_id } => Ok(decisions::cancel(known, &refund, refund_id)),
        Command::Complete => Ok(decisions::complete(known)),
        Command::RefundByStaff { amount, refund_id } => {
            decisions::refund_by_staff(known, amount, refund_id)
        }
        Command::LearnRefund { refund_id, news, rest_id } => {
            decisions::learn_refund(known, refund_id, news, rest_id)
        }
        Command::DiscoverRefund { found, refund_id, rest_id } => {
            decisions::discover(known, found, refund_id, rest_id)
        }
        Command::RenewRefund { failed, refund_id } => {
            decisions::renew_refund(known, failed, refund_id)
        }
    }
}

fn take_in(known: &mut Collection, event: &Event) {
    match event {
        // It was opened already; what was recorded first stays.
        Event::Opened(_) => {}
        Event::OrderCreated { provider, order } => {
            known.provider.clone_from(provider);
            known.order = Some(order.clone());
        }
        // What follows from it is told beside it.
        Event::OrderObserved { .. } => {}
        Event::Claimed => known.claimed = true,
        Event::Observed { payment, .. } => {
            let fact =
                known.payments.entry(payment.id.clone()).or_insert_with(|| payment.fact.clone());
            if *fact < payment.fact {
                fact.clone_from(&payment.fact);
            }
        }
        Event::Verified { payment, .. } => known.verified = Some(payment.clone()),
        Event::Failed { payment } => {
            known.failed.insert(payment.clone());
        }
        Event::Mismatched { payment, .. } => {
            known.mismatched.insert(payment.clone());
        }
        Event::RefundRequested { refund_id, refund }
        | Event::RefundDiscovered { refund_id, refund } => {
            let open = known.open(&refund.payment).max(0);
            let beyond = refund.amount.minor.saturating_sub(open).max(0);
            let of_fee = beyond.min(known.fee_left(&refund.payment));
            if known.is_closed(&refund.payment) && beyond > 0 {
                known.from_closed.insert(*refund_id, beyond);
            } else if of_fee > 0 {
                known.from_fee.insert(*refund_id, of_fee);
            }
            known.refunds.insert(*refund_id, refund.clone());
        }
        Event::RefundAccepted { refund_id, provider_refund } => {
            // What the provider has is one refund's only.
            for refund in known.refunds.values_mut() {
                refund.accepted.take_if(|it| it == provider_refund);
            }
            if let Some(refund) = known.refunds.get_mut(refund_id) {
                refund.accepted = Some(provider_refund.clone());
            }
        }
        Event::RefundProcessed { refund_id } => end(known, *refund_id, End::Processed),
        Event::RefundFailed { refund_id, reason } => {
            end(known, *refund_id, End::of_failure(reason));
        }
        Event::DisputeObserved(dispute) => {
            known.disputes.insert(dispute.id.clone(), dispute.clone());
        }
        Event::Earned { amount, .. } => add(&mut known.earned, amount),
        Event::Retained { amount, .. } => add(&mut known.retained, amount),
    }
}

/// Adds what was earned or retained to what was before.
fn add(sum: &mut Option<Amount>, more: &Amount) {
    let before = sum.as_ref().map_or(0, |amount| amount.minor);
    let minor = before.saturating_add(more.minor);
    *sum = Some(Amount { minor, currency: more.currency.clone() });
}

fn end(known: &mut Collection, refund_id: Id<RefundKind>, end: End) {
    if let Some(refund) = known.refunds.get_mut(&refund_id) {
        refund.end = Some(end);
    }
}

#[cfg(test)]
mod tests;
