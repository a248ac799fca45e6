//! The collection of one booking's money: its one order, the payments seen on it, and what goes
//! back. Money counts only when it is captured and amount, currency and order match; all else is
//! returned.

use std::collections::{BTreeMap, BTreeSet};

use kernel::id::{Booking, Collection as CollectionKind, Customer, Refund as RefundKind};
use kernel::{Currency, Decider, Id, Money};

use super::fact::{Amount, Fact, OrderId, Payment, PaymentId, ProviderRefundId, Source, Status};
pub use super::mismatch::Mismatch;
use super::refund::{Cause, End, News, Progress, Refund, is_final};

/// The least amount that a provider takes: one rupee.
const LEAST_MINOR: i64 = 100;
/// How many refunds of one payment are asked for; then a person has to look.
const REFUNDS_MAX: usize = 3;

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
            order: None,
            claimed: false,
            payments: BTreeMap::new(),
            failed: BTreeSet::new(),
            verified: None,
            mismatched: BTreeSet::new(),
            refunds: BTreeMap::new(),
        }
    }

    /// Where it stands.
    #[must_use]
    pub fn standing(&self) -> Standing {
        if let Some(verified) = &self.verified {
            return match self.refund_of(verified) {
                None if self.went_back_without_us(verified) => Standing::Refunded,
                None => Standing::Paid,
                Some(refund) if refund.end == Some(End::Processed) => Standing::Refunded,
                Some(_) => Standing::Refunding,
            };
        }
        let statuses = || self.payments.values().map(|fact| fact.status);
        if !self.mismatched.is_empty() {
            let is_back = |it: &PaymentId| {
                self.refund_of(it).is_some_and(|it| it.end == Some(End::Processed))
            };
            return if self.mismatched.iter().all(is_back) {
                Standing::Refunded
            } else {
                Standing::Mismatched
            };
        }
        if statuses().any(is_under_way) {
            Standing::Pending
        } else if statuses().any(|it| it == Status::Refunded) {
            // The provider gave it back before we could count it.
            Standing::Refunded
        } else if statuses().any(|it| it == Status::Failed) {
            Standing::Failed
        } else {
            Standing::Pending
        }
    }

    /// Whether there is nothing more to ask the provider about its payments.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.verified.is_some() && !self.payments.values().any(|fact| is_under_way(fact.status))
    }

    /// Whether the money that counts was given back by somebody else, on the provider's pages.
    #[must_use]
    pub fn went_back_without_us(&self, payment: &PaymentId) -> bool {
        self.verified.as_ref() == Some(payment)
            && self.refund_of(payment).is_none()
            && self.payments.get(payment).is_some_and(|fact| fact.status == Status::Refunded)
    }

    /// Whether another refund is to be asked for in the place of one that the provider took and
    /// that failed there.
    #[must_use]
    pub fn is_renewable(&self, refund_id: Id<RefundKind>) -> bool {
        let Some(failed) = self.refunds.get(&refund_id) else { return false };
        let of_payment = || self.refunds.values().filter(|it| it.payment == failed.payment);
        failed.accepted.is_some()
            && of_payment().all(|it| it.end == Some(End::Failed))
            && of_payment().count() < REFUNDS_MAX
    }

    /// Of several refunds of a payment, the one that has come furthest.
    fn refund_of(&self, payment: &PaymentId) -> Option<&Refund> {
        let reach = |refund: &&Refund| match refund.end {
            Some(End::Failed) => 0,
            None => 1,
            Some(End::Processed) => 2,
        };
        self.refunds.values().filter(|refund| refund.payment == *payment).max_by_key(reach)
    }

    /// Why a captured payment does not count; `None` when it does.
    fn mismatch(&self, fact: &Fact) -> Option<Mismatch> {
        let expected = self.terms.amount;
        if fact.order.is_none() || fact.order != self.order {
            Some(Mismatch::Order)
        } else if Currency::from_code(&fact.amount.currency) != Some(expected.currency) {
            Some(Mismatch::Currency)
        } else if fact.amount.minor != expected.minor {
            Some(Mismatch::Amount)
        } else if self.verified.is_some() {
            Some(Mismatch::Double)
        } else {
            None
        }
    }
}

/// Whether a payment may still become money without its payer doing anything.
fn is_under_way(status: Status) -> bool {
    matches!(status, Status::Created | Status::Authorized)
}

/// What can be asked of a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Record that we mean to create the order.
    Open(Terms),
    /// Record the order that the provider has.
    RecordOrder(OrderId),
    /// The customer says that it is paid.
    Claim,
    /// The provider said something about a payment; `refund_id` is used if it has to go back.
    Observe { payment: Payment, source: Source, refund_id: Id<RefundKind> },
    /// The booking could not be placed, so its payment goes back.
    Unplace { payment: PaymentId, refund_id: Id<RefundKind> },
    /// Something was learnt about a refund.
    LearnRefund { refund_id: Id<RefundKind>, news: News },
    /// A refund failed at the provider, so another one is asked for under a new id.
    RenewRefund { failed: Id<RefundKind>, refund_id: Id<RefundKind> },
}

/// What can have happened to a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The intent was recorded.
    Opened(Terms),
    /// The provider has an order.
    OrderCreated { order: OrderId },
    /// The customer says that it is paid.
    Claimed,
    /// The provider said something.
    Observed { payment: Payment, source: Source },
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
    /// It failed at the provider, or was refused for good.
    RefundFailed { refund_id: Id<RefundKind>, reason: String },
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
            (State::Absent, Command::Open(terms)) => open(terms),
            (State::Open(known), Command::Open(terms)) => reopen(known, &terms),
            (State::Open(known), Command::RecordOrder(order)) => record_order(known, order),
            (State::Open(known), Command::Claim) => Ok(claim(known)),
            (State::Open(known), Command::Observe { payment, source, refund_id }) => {
                Ok(observe(known, payment, source, refund_id))
            }
            (State::Open(known), Command::Unplace { payment, refund_id }) => {
                unplace(known, payment, refund_id)
            }
            (State::Open(known), Command::LearnRefund { refund_id, news }) => {
                learn_refund(known, refund_id, news)
            }
            (State::Open(known), Command::RenewRefund { failed, refund_id }) => {
                renew_refund(known, failed, refund_id)
            }
            (
                State::Absent,
                Command::RecordOrder(_)
                | Command::Claim
                | Command::Observe { .. }
                | Command::Unplace { .. }
                | Command::LearnRefund { .. }
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

fn open(terms: Terms) -> Result<Vec<Event>, Rejection> {
    if terms.amount.minor < LEAST_MINOR {
        return Err(Rejection::AmountNotPayable);
    }
    Ok(vec![Event::Opened(terms)])
}

/// Whoever starts again brings a new id; the first one stays.
fn reopen(known: &Collection, terms: &Terms) -> Result<Vec<Event>, Rejection> {
    let same = Terms { collection_id: known.terms.collection_id, ..*terms };
    if same == known.terms { Ok(Vec::new()) } else { Err(Rejection::OtherTerms) }
}

fn record_order(known: &Collection, order: OrderId) -> Result<Vec<Event>, Rejection> {
    match &known.order {
        None => Ok(vec![Event::OrderCreated { order }]),
        Some(first) if *first == order => Ok(Vec::new()),
        Some(_) => Err(Rejection::OtherOrder),
    }
}

/// A claim is news only once, and not when the money is here already.
fn claim(known: &Collection) -> Vec<Event> {
    if known.claimed || known.verified.is_some() { Vec::new() } else { vec![Event::Claimed] }
}

fn observe(
    known: &Collection,
    payment: Payment,
    source: Source,
    refund_id: Id<RefundKind>,
) -> Vec<Event> {
    let Payment { id, fact } = payment.clone();
    if known.payments.get(&id).is_some_and(|before| *before >= fact) {
        return Vec::new();
    }
    let mut events = vec![Event::Observed { payment, source }];
    match fact.status {
        Status::Created | Status::Authorized => {}
        Status::Failed => {
            if !known.failed.contains(&id) {
                events.push(Event::Failed { payment: id });
            }
        }
        Status::Captured => {
            let counted = known.verified.as_ref() == Some(&id) || known.mismatched.contains(&id);
            if !counted {
                events.extend(count(known, id, &fact, refund_id));
            }
        }
        // It went back without us; there is nothing to count and nothing to return.
        Status::Refunded => {}
    }
    events
}

/// Counts captured money, or sends it back in the same breath.
fn count(known: &Collection, id: PaymentId, fact: &Fact, refund_id: Id<RefundKind>) -> Vec<Event> {
    let amount = fact.amount.clone();
    let Some(reason) = known.mismatch(fact) else {
        return vec![Event::Verified { payment: id, amount }];
    };
    let refund = Refund {
        payment: id.clone(),
        amount: amount.clone(),
        cause: reason.cause(),
        accepted: None,
        end: None,
    };
    vec![
        Event::Mismatched { payment: id, amount, reason },
        Event::RefundRequested { refund_id, refund },
    ]
}

fn unplace(
    known: &Collection,
    payment: PaymentId,
    refund_id: Id<RefundKind>,
) -> Result<Vec<Event>, Rejection> {
    if known.refund_of(&payment).is_some() {
        return Ok(Vec::new());
    }
    let fact = known.payments.get(&payment).ok_or(Rejection::PaymentUnknown)?;
    let amount = fact.amount.clone();
    let refund = Refund { payment, amount, cause: Cause::Unplaced, accepted: None, end: None };
    Ok(vec![Event::RefundRequested { refund_id, refund }])
}

fn learn_refund(
    known: &Collection,
    refund_id: Id<RefundKind>,
    news: News,
) -> Result<Vec<Event>, Rejection> {
    let refund = known.refunds.get(&refund_id).ok_or(Rejection::RefundUnknown)?;
    let mut events = Vec::new();
    let end = match news {
        News::Taken { id, progress } => {
            if refund.accepted.is_none() {
                events.push(Event::RefundAccepted { refund_id, provider_refund: id });
            }
            match progress {
                Progress::Pending => None,
                Progress::Processed => Some((End::Processed, String::new())),
                Progress::Failed => Some((End::Failed, "failed".to_owned())),
            }
        }
        News::Refused(reason) if refund.accepted.is_none() && is_final(&reason) => {
            Some((End::Failed, reason))
        }
        // It is asked again: what was refused today may be given tomorrow.
        News::Refused(_) => None,
    };
    match end {
        Some((end, _)) if refund.end.is_some_and(|before| before >= end) => {}
        Some((End::Processed, _)) => events.push(Event::RefundProcessed { refund_id }),
        Some((End::Failed, reason)) => events.push(Event::RefundFailed { refund_id, reason }),
        None => {}
    }
    Ok(events)
}

fn renew_refund(
    known: &Collection,
    failed: Id<RefundKind>,
    refund_id: Id<RefundKind>,
) -> Result<Vec<Event>, Rejection> {
    let before = known.refunds.get(&failed).ok_or(Rejection::RefundUnknown)?;
    if !known.is_renewable(failed) {
        return Ok(Vec::new());
    }
    let refund = Refund { accepted: None, end: None, ..before.clone() };
    Ok(vec![Event::RefundRequested { refund_id, refund }])
}

fn take_in(known: &mut Collection, event: &Event) {
    match event {
        // It was opened already; what was recorded first stays.
        Event::Opened(_) => {}
        Event::OrderCreated { order } => known.order = Some(order.clone()),
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
        Event::RefundRequested { refund_id, refund } => {
            known.refunds.insert(*refund_id, refund.clone());
        }
        Event::RefundAccepted { refund_id, provider_refund } => {
            if let Some(refund) = known.refunds.get_mut(refund_id) {
                refund.accepted = Some(provider_refund.clone());
            }
        }
        Event::RefundProcessed { refund_id } => end(known, *refund_id, End::Processed),
        Event::RefundFailed { refund_id, .. } => end(known, *refund_id, End::Failed),
    }
}

fn end(known: &mut Collection, refund_id: Id<RefundKind>, end: End) {
    if let Some(refund) = known.refunds.get_mut(&refund_id) {
        refund.end = Some(end);
    }
}

#[cfg(test)]
mod tests;
