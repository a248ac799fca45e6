//! The decisions about money at the practice's desk. A payment there counts at once, because a
//! person has it; what is to go back of it, the provider has not: it is owed until a person says
//! that it was given back.

use kernel::Id;
use kernel::id::Refund as RefundKind;

use super::links;
use super::model::{Collection, Event, Rejection};
use crate::domain::desk::Handover;
use crate::domain::fact::{Amount, Fact, PaymentId};
use crate::domain::refund::Refund;

impl Collection {
    /// Whether a payment was made at the desk.
    #[must_use]
    pub fn is_at_desk(&self, payment: &PaymentId) -> bool {
        self.at_desk.contains(payment)
    }

    /// Whether its price was paid there.
    #[must_use]
    pub fn is_paid_at_desk(&self) -> bool {
        !self.at_desk.is_empty()
    }

    /// What is to be given back at the desk and was not.
    pub fn owed_at_desk(&self) -> impl Iterator<Item = (Id<RefundKind>, &Refund)> {
        let open = |refund: &Refund| refund.end.is_none() && self.is_at_desk(&refund.payment);
        self.refunds.iter().filter(move |(_, it)| open(it)).map(|(id, it)| (*id, it))
    }
}

/// The price was paid at the desk, all of it and once. Every link is withdrawn; what is paid with
/// the provider all the same is a double payment.
pub(super) fn take_payment(
    known: &Collection,
    payment: &PaymentId,
    amount: Amount,
    handover: Handover,
) -> Result<Vec<Event>, Rejection> {
    if known.is_at_desk(payment) {
        return Ok(Vec::new());
    }
    if known.verified.is_some() {
        return Err(Rejection::AlreadyPaid);
    }
    if amount != Amount::from(known.terms.amount) {
        return Err(Rejection::AmountNotOwed);
    }
    let fact = Fact::at_desk(&amount);
    let mut events = vec![Event::PaidAtDesk { payment: payment.clone(), amount, handover }];
    events.extend(links::verified(known, payment, &fact));
    Ok(events)
}

/// What is owed at the desk was given back, all of it.
pub(super) fn give_back(
    known: &Collection,
    amount: &Amount,
    handover: &Handover,
) -> Result<Vec<Event>, Rejection> {
    let mut owed = known.owed_at_desk().peekable();
    if owed.peek().is_none() {
        return Err(Rejection::NothingOwed);
    }
    let (mut events, mut sum) = (Vec::new(), 0_i64);
    for (refund_id, refund) in owed {
        if refund.amount.currency != amount.currency {
            return Err(Rejection::AmountNotOwed);
        }
        sum = sum.saturating_add(refund.amount.minor);
        let (amount, handover) = (refund.amount.clone(), handover.clone());
        events.push(Event::GivenBackAtDesk { refund_id, amount, handover });
        events.push(Event::RefundProcessed { refund_id });
    }
    if sum == amount.minor { Ok(events) } else { Err(Rejection::AmountNotOwed) }
}
