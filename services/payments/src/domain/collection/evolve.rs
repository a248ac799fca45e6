//! What each event adds to what is known of a collection.

use kernel::Id;
use kernel::id::{PaymentLink, Refund as RefundKind};

use super::model::{Collection, Event, LinkChange};
use crate::domain::fact::{Amount, Fact};
use crate::domain::link::Link;
use crate::domain::refund::End;

pub(super) fn apply(known: &mut Collection, event: &Event) {
    match event {
        // It was opened already; what was recorded first stays.
        Event::Opened(_) => {}
        Event::OrderCreated { provider, order } => {
            known.provider.clone_from(provider);
            known.order = Some(order.clone());
        }
        Event::Link { link_id, change } => apply_to_link(known, *link_id, change),
        // What follows from it has events of its own.
        Event::OrderObserved { .. } => {}
        Event::Claimed => known.claimed = true,
        Event::Observed { payment, .. } => {
            let fact =
                known.payments.entry(payment.id.clone()).or_insert_with(|| payment.fact.clone());
            if *fact < payment.fact {
                fact.clone_from(&payment.fact);
            }
        }
        Event::PaidAtDesk { payment, amount, .. } => {
            known.at_desk.insert(payment.clone());
            known.payments.entry(payment.clone()).or_insert_with(|| Fact::at_desk(amount));
        }
        // That the refund is done follows in the same append.
        Event::GivenBackAtDesk { .. } => {}
        Event::Verified { payment, .. } => known.verified = Some(payment.clone()),
        Event::Failed { payment } => {
            known.failed.insert(payment.clone());
        }
        Event::Mismatched { payment, .. } => {
            known.mismatched.insert(payment.clone());
        }
        Event::RefundRequested { refund_id, refund }
        | Event::RefundDiscovered { refund_id, refund } => {
            let open = known.open_by_refunds(&refund.payment).max(0);
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
            // A refund at the provider belongs to one of our refunds only.
            for refund in known.refunds.values_mut() {
                refund.accepted.take_if(|it| it == provider_refund);
            }
            if let Some(refund) = known.refunds.get_mut(refund_id) {
                refund.accepted = Some(provider_refund.clone());
                // It was requested before the dispute ended it, and is under way after all.
                refund.end.take_if(|end| *end == End::Given);
            }
        }
        Event::RefundReleased { refund_id } => {
            known.released.insert(*refund_id);
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

fn apply_to_link(known: &mut Collection, link_id: Id<PaymentLink>, change: &LinkChange) {
    if let LinkChange::Opened { expires_at } = change {
        known.links.entry(link_id).or_insert_with(|| Link::opened(*expires_at));
        known.last_link = Some(link_id);
    }
    if let LinkChange::Created { provider, .. } = change {
        known.provider.clone_from(provider);
    }
    let Some(link) = known.links.get_mut(&link_id) else { return };
    match change {
        LinkChange::Opened { .. } => {}
        LinkChange::Created { created, .. } => {
            link.created = Some(created.clone());
            link.is_absent = false;
        }
        LinkChange::Observed { fact, .. } => link.join(fact),
        LinkChange::Withdrawn(why) => link.withdrawn = Some(*why),
        LinkChange::Absent => link.is_absent = true,
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
