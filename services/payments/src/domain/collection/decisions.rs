//! The decisions for each command. With each report about a payment its money is decided in the
//! same append: it counts, or it is refunded.

use std::collections::BTreeMap;

use kernel::Id;
use kernel::id::Refund as RefundKind;

use super::balances::LEAST_MINOR;
use super::disputes::{cut, divide, end_given, request};
use super::evolve::apply;
use super::links;
use super::model::{Collection, Event, Rejection, Terms};
use crate::domain::fact::{Amount, Fact, OrderFact, OrderId, Payment, PaymentId, Source, Status};
use crate::domain::mismatch::Mismatch;
use crate::domain::refund::{
    BELOW_THE_LEAST, Cause, End, FAILED, FoundRefund, LOST_TO_A_DISPUTE, OVERTAKEN, Progress,
    Refund, RefundUpdate, following, is_final,
};
use crate::domain::session_ends::proportion;

pub(super) fn open(terms: Terms) -> Result<Vec<Event>, Rejection> {
    if terms.amount.minor < LEAST_MINOR {
        return Err(Rejection::AmountNotPayable);
    }
    Ok(vec![Event::Opened(terms)])
}

/// A repeated start has a new id, and another customer once the booking was adopted; the first ones
/// stay. Whether the customer owns the booking was checked before.
pub(super) fn reopen(known: &Collection, terms: &Terms) -> Result<Vec<Event>, Rejection> {
    let Terms { collection_id, customer_id, .. } = known.terms;
    let same = Terms { collection_id, customer_id, ..*terms };
    if same == known.terms { Ok(Vec::new()) } else { Err(Rejection::OtherTerms) }
}

pub(super) fn record_order(
    known: &Collection,
    provider: String,
    order: OrderId,
) -> Result<Vec<Event>, Rejection> {
    match &known.order {
        None => Ok(vec![Event::OrderCreated { provider, order }]),
        Some(first) if *first == order => Ok(Vec::new()),
        Some(_) => Err(Rejection::OtherOrder),
    }
}

/// A claim is news only once, and not when the money is here already.
pub(super) fn claim(known: &Collection) -> Vec<Event> {
    if known.claimed || known.verified.is_some() { Vec::new() } else { vec![Event::Claimed] }
}

pub(super) fn observe(
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
    if fact.status == Status::Failed && !known.failed.contains(&id) {
        events.push(Event::Failed { payment: id.clone() });
    }
    settle(known, events, &id, refund_id)
}

/// Adds what follows for a payment's money once `events` have happened: money that is here counts
/// once, or is sent back, whole or what is left of it.
fn settle(
    known: &Collection,
    mut events: Vec<Event>,
    payment: &PaymentId,
    refund_id: Id<RefundKind>,
) -> Vec<Event> {
    let after = after(known, &events);
    let left = after.left(payment);
    let Some(fact) = after.captured(payment).filter(|_| left > 0) else { return events };
    if !after.is_counted(payment) {
        if !after.waits_for_order(fact) && !after.waits_for_link(fact) {
            events.extend(count(&after, payment, fact, refund_id));
        }
    } else if after.mismatched.contains(payment) {
        // An external refund has failed, or returned less than ours was to.
        let more = left.saturating_sub(after.owed(payment));
        let ours = after.refunds_of(payment).filter(|(_, it)| it.cause != Cause::Elsewhere);
        if more > 0
            && let Some((before, refund)) = ours.last()
        {
            // The refund that it replaces may have failed; then its amount is included.
            let minor = more.saturating_add(after.owed_by(before)).min(left);
            let amount = Amount { minor, currency: fact.amount.currency.clone() };
            let refund = Refund::requested(payment.clone(), amount, refund.cause);
            let refund = Refund { renews: Some(before), ..refund };
            events.push(Event::RefundRequested { refund_id, refund });
        }
    }
    events
}

fn after(known: &Collection, events: &[Event]) -> Collection {
    let mut after = known.clone();
    events.iter().for_each(|event| apply(&mut after, event));
    after
}

/// Decides about captured payments that waited. One of another amount counts if the provider
/// reports its order as paid in full; of several on one order, it is unknown which one paid, and
/// none counts. Without the order's state they stay undecided; so does money of an unknown order
/// until the links are known.
pub(super) fn resolve_undecided(
    known: &Collection,
    orders: &[OrderFact],
    are_links_known: bool,
    refund_ids: &BTreeMap<PaymentId, Id<RefundKind>>,
) -> Vec<Event> {
    let (mut now, mut events) = (known.clone(), Vec::new());
    for payment in known.undecided() {
        let Some((fact, refund_id)) = known.captured(payment).zip(refund_ids.get(payment)) else {
            continue;
        };
        if now.waits_for_link(fact) && !are_links_known {
            continue;
        }
        let mut decided = Vec::new();
        if now.waits_for_order(fact) {
            let its_own = |order: &&OrderFact| Some(&order.id) == fact.order.as_ref();
            let Some(order) = orders.iter().find(its_own) else { continue };
            decided.push(Event::OrderObserved { order: order.clone() });
            if known.is_only_one(payment, fact) && known.is_paid_in_full(order) {
                decided.extend(links::verified(&now, payment, fact));
            } else {
                decided.extend(count(&now, payment, fact, *refund_id));
            }
        } else {
            decided.extend(count(&now, payment, fact, *refund_id));
        }
        decided.iter().for_each(|event| apply(&mut now, event));
        events.extend(decided);
    }
    events
}

/// Counts captured money, or requests its refund in the same append.
fn count(
    known: &Collection,
    payment: &PaymentId,
    fact: &Fact,
    refund_id: Id<RefundKind>,
) -> Vec<Event> {
    let (payment, amount) = (payment.clone(), fact.amount.clone());
    let is_paid = known.verified.is_some().then_some(Mismatch::Double);
    let Some(reason) = known.misfit(fact).or(is_paid) else {
        return links::verified(known, &payment, fact);
    };
    let left = Amount { minor: known.left(&payment), currency: amount.currency.clone() };
    let refund = Refund::requested(payment.clone(), left, reason.cause());
    vec![
        Event::Mismatched { payment, amount, reason },
        Event::RefundRequested { refund_id, refund },
    ]
}

/// What is left of a payment, as an amount of its currency; `None` when that is nothing.
fn left(known: &Collection, payment: &PaymentId) -> Option<Amount> {
    let minor = known.left(payment);
    let currency = known.captured(payment)?.amount.currency.clone();
    (minor > 0).then_some(Amount { minor, currency })
}

/// How much may be refunded for a cause: at first all that is left, later only what is not owed,
/// because an owed amount is renewed or is a person's task.
pub(super) fn left_for(known: &Collection, payment: &PaymentId, cause: Cause) -> i64 {
    let was_asked = known.refunds_of(payment).any(|(_, it)| it.cause == cause);
    if was_asked { known.kept(payment) } else { known.left(payment) }
}

/// The booking could not be placed: all of its payment is refunded. A repeat decides about money
/// that has returned since.
pub(super) fn unplace(
    known: &Collection,
    payment: PaymentId,
    refund_id: Id<RefundKind>,
) -> Result<Vec<Event>, Rejection> {
    if !known.payments.contains_key(&payment) {
        return Err(Rejection::PaymentUnknown);
    }
    let Some(fact) = known.captured(&payment) else { return Ok(Vec::new()) };
    let left = left_for(known, &payment, Cause::Unplaced);
    let minor = left.saturating_add(known.lost_untold(&payment));
    let amount = Amount { minor, currency: fact.amount.currency.clone() };
    let refund = Refund::requested(payment, amount, Cause::Unplaced);
    Ok(request(known, refund_id, &refund, left))
}

/// The booking was cancelled: the amount of its policy goes back, as a part of what was paid, and
/// the rest is kept. A repeat decides about money that has returned since, because an external
/// refund failed.
pub(super) fn cancel(known: &Collection, refund: &Amount, refund_id: Id<RefundKind>) -> Vec<Event> {
    let Some(payment) = &known.verified else { return Vec::new() };
    let Some(fact) = known.captured(payment) else { return Vec::new() };
    let currency = &fact.amount.currency;
    let promised = if refund.currency == *currency { refund.minor } else { 0 };
    // An offer of the provider's takes the same part off what was promised of the price.
    let brought = known.brought(payment);
    let promised = proportion(brought, promised, known.terms.amount.minor).min(brought);
    let back = promised.saturating_sub(known.back_by_cancellation(payment)).max(0);
    let left = left_for(known, payment, Cause::Cancelled);
    let part = |minor| Amount { minor, currency: currency.clone() };
    let refund = Refund::requested(payment.clone(), part(back), Cause::Cancelled);
    let mut events = request(known, refund_id, &refund, left);
    let kept = known.unclosed(payment).saturating_sub(back.min(left));
    if kept > 0 {
        events.push(Event::Retained { payment: payment.clone(), amount: part(kept) });
    }
    events
}

/// The session took place: what is kept of its money is earned. A repeat decides about money that
/// has returned since.
pub(super) fn complete(known: &Collection) -> Vec<Event> {
    let Some(payment) = &known.verified else { return Vec::new() };
    let minor = known.unclosed(payment);
    let is_over = known.retained.is_some() || minor <= 0;
    let Some(fact) = known.captured(payment).filter(|_| !is_over) else { return Vec::new() };
    let amount = Amount { minor, currency: fact.amount.currency.clone() };
    vec![Event::Earned { payment: payment.clone(), amount }]
}

/// The practice gives money back: what counts before what does not, and nothing that the provider
/// has deducted for an open dispute.
pub(super) fn refund_by_staff(
    known: &Collection,
    amount: Option<Amount>,
    refund_id: Id<RefundKind>,
    least_minor: i64,
) -> Result<Vec<Event>, Rejection> {
    if known.refunds.contains_key(&refund_id) {
        return Ok(Vec::new());
    }
    let payments = known.verified.iter().chain(&known.mismatched);
    let mut found = payments.filter_map(|id| left(known, id).map(|left| (id.clone(), left)));
    let first = found.next().ok_or(Rejection::NothingToRefund)?;
    let there = |id: &PaymentId, left: &Amount| left.minor.saturating_sub(known.deducted(id));
    let mut found = std::iter::once(first).chain(found);
    let found = found.find(|(id, left)| there(id, left) > 0);
    let (payment, left) = found.ok_or(Rejection::RefundDeducted)?;
    let there = there(&payment, &left);
    let amount = amount.unwrap_or_else(|| Amount { minor: there, ..left.clone() });
    if amount.minor > there && amount.minor <= left.minor {
        return Err(Rejection::RefundDeducted);
    }
    let fits = (1..=left.minor).contains(&amount.minor) && amount.currency == left.currency;
    if !fits {
        return Err(Rejection::AmountNotRefundable);
    }
    // What it leaves could not be refunded either.
    let rest = left.minor.saturating_sub(amount.minor);
    if amount.minor < least_minor || (1..least_minor).contains(&rest) {
        return Err(Rejection::BelowTheLeast);
    }
    let refund = Refund::requested(payment, amount, Cause::Staff);
    Ok(vec![Event::RefundRequested { refund_id, refund }])
}

/// Before a refund is requested from the provider: it is cut to what disputes have left, divided so
/// that only what open ones are about waits, or ended because the provider would never take it.
pub(super) fn prepare_refund(
    known: &Collection,
    refund_id: Id<RefundKind>,
    least_minor: i64,
) -> Result<Vec<Event>, Rejection> {
    let refund = known.refunds.get(&refund_id).ok_or(Rejection::RefundUnknown)?;
    if !refund.is_unaccepted() {
        return Ok(Vec::new());
    }
    let events = match known.lost(&refund.payment) {
        0 => Vec::new(),
        _ => cut(known, Vec::new(), &refund.payment, LOST_TO_A_DISPUTE),
    };
    if !events.is_empty() {
        return Ok(events);
    }
    if refund.amount.minor < least_minor {
        return Ok(vec![Event::RefundFailed { refund_id, reason: BELOW_THE_LEAST.to_owned() }]);
    }
    Ok(divide(known, refund_id, refund))
}

/// A refund that waits for the end of a dispute is not to wait any more. What the provider has
/// deducted for the dispute is not there to be given back: it would go twice.
pub(super) fn release_refund(
    known: &Collection,
    refund_id: Id<RefundKind>,
) -> Result<Vec<Event>, Rejection> {
    if !known.refunds.contains_key(&refund_id) {
        return Err(Rejection::RefundUnknown);
    }
    if known.released.contains(&refund_id) {
        return Ok(Vec::new());
    }
    if !known.is_held(refund_id) {
        return Err(Rejection::RefundNotHeld);
    }
    if !known.releasable_refunds().iter().any(|(id, _)| *id == refund_id) {
        return Err(Rejection::RefundDeducted);
    }
    Ok(vec![Event::RefundReleased { refund_id }])
}

pub(super) fn learn_refund(
    known: &Collection,
    refund_id: Id<RefundKind>,
    update: RefundUpdate,
    rest_id: Id<RefundKind>,
) -> Result<Vec<Event>, Rejection> {
    let refund = known.refunds.get(&refund_id).ok_or(Rejection::RefundUnknown)?;
    let mut events = Vec::new();
    let mut has_failed = false;
    if let RefundUpdate::Taken { id, .. } = &update
        && refund.accepted.is_none()
        && let Some((twin, other)) = known.named(id)
    {
        if other.end == Some(End::Processed) {
            return Ok(overtaken_by_itself(known, (refund_id, refund), other, rest_id));
        }
        if other.cause == Cause::Elsewhere && other.end.is_none() {
            // It was never an external refund.
            events.push(Event::RefundFailed { refund_id: twin, reason: OVERTAKEN.to_owned() });
        }
        has_failed = other.end == Some(End::Failed);
    }
    let end = match update {
        RefundUpdate::Taken { id, progress } => {
            if refund.accepted.is_none() {
                events.push(Event::RefundAccepted { refund_id, provider_refund: id });
            }
            match progress {
                Progress::Pending if !has_failed => None,
                Progress::Processed => Some((End::Processed, String::new())),
                // What was reported for the other refund applies to this one.
                Progress::Pending | Progress::Failed => Some((End::Failed, FAILED.to_owned())),
            }
        }
        RefundUpdate::Refused(reason) if refund.accepted.is_none() && is_final(&reason) => {
            Some((End::Failed, reason))
        }
        // It is retried: a refusal may be temporary.
        RefundUpdate::Refused(_) => None,
    };
    // One that a dispute had ended is under way again once the provider has it.
    let is_taken = events.iter().any(|event| matches!(event, Event::RefundAccepted { .. }));
    let before = refund.end.filter(|before| !(is_taken && *before == End::Given));
    match end {
        Some((end, _)) if before.is_some_and(|before| before >= end) => {}
        Some((End::Processed, _)) => events.push(Event::RefundProcessed { refund_id }),
        Some((End::Failed | End::Overtaken | End::Given, reason)) => {
            events.push(Event::RefundFailed { refund_id, reason });
        }
        None => {}
    }
    if events.is_empty() {
        return Ok(events);
    }
    let events = cut(known, events, &refund.payment, OVERTAKEN);
    let events = end_given(known, events, &refund.payment);
    Ok(settle(known, events, &refund.payment, rest_id))
}

/// The provider's refund was attributed to another refund of the collection and is processed: so
/// ours is, too. If the other one is ours, its money is still to be refunded, and is requested
/// under a new id.
fn overtaken_by_itself(
    known: &Collection,
    (refund_id, refund): (Id<RefundKind>, &Refund),
    other: &Refund,
    rest_id: Id<RefundKind>,
) -> Vec<Event> {
    if refund.end.is_some() {
        return Vec::new();
    }
    let mut events = vec![Event::RefundFailed { refund_id, reason: OVERTAKEN.to_owned() }];
    let rest = left(&after(known, &events), &refund.payment);
    if let Some(rest) = rest.filter(|_| other.cause != Cause::Elsewhere) {
        let amount = Amount { minor: rest.minor.min(refund.amount.minor), ..rest };
        let rest = Refund::requested(refund.payment.clone(), amount, refund.cause);
        let refund = Refund { renews: Some(refund_id), ..rest };
        events.push(Event::RefundRequested { refund_id: rest_id, refund });
    }
    events
}

/// A refund of the provider without our id: one that is known by its provider id, one of ours whose
/// id was lost, or an external one.
pub(super) fn discover(
    known: &Collection,
    found: FoundRefund,
    refund_id: Id<RefundKind>,
    rest_id: Id<RefundKind>,
) -> Result<Vec<Event>, Rejection> {
    let is_one_of_ours = known.named(&found.id).or_else(|| {
        // Both are impossible, because a payment cannot return more than was paid: so it is the
        // same refund.
        let unasked = known.refunds.iter().filter(|(_, it)| it.is_unaccepted());
        let mut alike =
            unasked.filter(|(_, it)| it.payment == found.payment && it.amount == found.amount);
        alike.next().map(|(id, it)| (*id, it)).filter(|_| !fits(known, &found))
    });
    if let Some((own, _)) = is_one_of_ours {
        let update = RefundUpdate::Taken { id: found.id, progress: found.progress };
        return learn_refund(known, own, update, rest_id);
    }
    let mut events = vec![Event::RefundDiscovered {
        refund_id,
        refund: Refund {
            accepted: Some(found.id.clone()),
            ..Refund::requested(found.payment.clone(), found.amount.clone(), Cause::Elsewhere)
        },
    }];
    match found.progress {
        Progress::Pending => {}
        Progress::Processed => events.push(Event::RefundProcessed { refund_id }),
        Progress::Failed => {
            events.push(Event::RefundFailed { refund_id, reason: FAILED.to_owned() });
        }
    }
    if !fits(known, &found) {
        overtake(known, &mut events, &found.payment, rest_id);
    }
    Ok(settle(known, events, &found.payment, rest_id))
}

/// Whether a payment covers this refund in addition to all known ones.
fn fits(known: &Collection, found: &FoundRefund) -> bool {
    let Some(fact) = known.captured(&found.payment) else { return true };
    let gone = known.going_back(&found.payment).saturating_add(known.lost(&found.payment));
    let sum = gone.saturating_add(found.amount.minor);
    found.progress == Progress::Failed || sum <= fact.amount.minor
}

/// Ends refunds that the provider has not accepted and cannot accept any more, because an external
/// refund was faster; requests what is left of their money.
fn overtake(
    known: &Collection,
    events: &mut Vec<Event>,
    payment: &PaymentId,
    rest_id: Id<RefundKind>,
) {
    let mut last = None;
    let mut wanted = 0_i64;
    for (refund_id, refund) in known.refunds_of(payment).filter(|(_, it)| it.is_unaccepted()) {
        wanted = wanted.saturating_add(refund.amount.minor);
        events.push(Event::RefundFailed { refund_id, reason: OVERTAKEN.to_owned() });
        last = Some((refund_id, refund.cause));
    }
    let rest = left(&after(known, events), payment);
    if let Some(((before, cause), rest)) = last.zip(rest) {
        let amount = Amount { minor: rest.minor.min(wanted), ..rest };
        let refund = Refund::requested(payment.clone(), amount, cause);
        let refund = Refund { renews: Some(before), ..refund };
        events.push(Event::RefundRequested { refund_id: rest_id, refund });
    }
}

pub(super) fn renew_refund(
    known: &Collection,
    failed: Id<RefundKind>,
) -> Result<Vec<Event>, Rejection> {
    let before = known.refunds.get(&failed).ok_or(Rejection::RefundUnknown)?;
    let left = left(known, &before.payment).filter(|_| known.is_renewable(failed));
    let Some(left) = left else { return Ok(Vec::new()) };
    let amount = Amount { minor: left.minor.min(before.amount.minor), ..left };
    let refund = Refund::requested(before.payment.clone(), amount, before.cause);
    let refund = Refund { renews: Some(failed), ..refund };
    Ok(vec![Event::RefundRequested { refund_id: following(failed), refund }])
}
