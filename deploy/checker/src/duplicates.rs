//! I4: at most one capture of a booking is kept, at most one link of it can be paid, at most one
//! refund for each cause gives a payment back, and no more goes back than came.

use std::collections::BTreeMap;

use booking::domain::booking::Event;
use kernel::Id;
use kernel::id::{Booking, Refund};
use payments::domain::collection::Collection;
use payments::domain::fact::{OrderId, ProviderRefundId};
use payments::domain::refund::{Cause, End, held_part, returned_part};

use crate::history::History;
use crate::money::left_at_provider;
use crate::snapshot::{Ack, ProviderLink, Snapshot};
use crate::violation::{Finding, Invariant, Violation};

/// No two bookings have one order.
pub(crate) fn own_orders(snapshot: &Snapshot) -> Vec<Violation> {
    let mut found = Finding::of(Invariant::I4);
    let mut ours: BTreeMap<&str, Id<Booking>> = BTreeMap::new();
    for row in &snapshot.payments.collections {
        let Some(order) = &row.order_id else { continue };
        if let Some(other) = ours.insert(order, row.booking_id) {
            one_order(row.booking_id, other, &mut found);
        }
    }
    found.violations
}

/// Reports two bookings with one order.
pub(crate) fn one_order(one: Id<Booking>, other: Id<Booking>, found: &mut Finding) {
    found.add(format!("{one} and {other} have one order"));
}

/// Goes through the provider's orders, payments and refunds.
pub(crate) fn check(snapshot: &Snapshot, history: &History) -> Vec<Violation> {
    let mut found = Finding::of(Invariant::I4);
    orders(snapshot, &mut found);
    links(snapshot, &mut found);
    for payment in &snapshot.provider.payments {
        if left_at_provider(snapshot, payment) < 0 {
            found.add(format!("more of {} went back than came", payment.payment_id));
        }
    }
    receipts(snapshot, &mut found);
    refunds(snapshot, history, &mut found);
    kept(snapshot, history, &mut found);
    at_desk(history, &mut found);
    found.violations
}

/// One order for each receipt.
fn orders(snapshot: &Snapshot, found: &mut Finding) {
    let mut receipts: BTreeMap<&str, &str> = BTreeMap::new();
    for order in &snapshot.provider.orders {
        if let Some(other) = receipts.insert(&order.receipt, &order.order_id) {
            found.add(format!("{} and {other} are orders of one receipt", order.order_id));
        }
    }
}

/// One link for each reference; and of the links that were handed out for a booking, each was over
/// before the next one was made.
fn links(snapshot: &Snapshot, found: &mut Finding) {
    let mut references: BTreeMap<&str, &str> = BTreeMap::new();
    let mut handed_out: BTreeMap<Id<Booking>, BTreeMap<&str, &ProviderLink>> = BTreeMap::new();
    for link in &snapshot.provider.links {
        let id = link.provider_link_id.as_str();
        if let Some(other) = references.insert(&link.reference, id) {
            found.add(format!("{id} and {other} are links of one reference"));
        }
        for ack in &snapshot.acks {
            if let Ack::LinkStarted { booking_id, link_id } = ack
                && link_id == id
            {
                handed_out.entry(*booking_id).or_default().insert(id, link);
            }
        }
    }
    for (booking_id, links) in handed_out {
        let mut links: Vec<&ProviderLink> = links.into_values().collect();
        links.sort_by_key(|link| link.created_at);
        for pair in links.windows(2) {
            let [one, other] = pair else { continue };
            if one.ended_at.is_none_or(|ended_at| ended_at > other.created_at) {
                let (one, other) = (&one.provider_link_id, &other.provider_link_id);
                found.add(format!("{one} and {other} of {booking_id} could be paid at once"));
            }
        }
    }
}

/// One refund for each of our ids.
fn receipts(snapshot: &Snapshot, found: &mut Finding) {
    let mut receipts: BTreeMap<&str, &str> = BTreeMap::new();
    for refund in snapshot.provider.refunds.iter().filter(|it| it.status != "failed") {
        let Some(receipt) = &refund.receipt else { continue };
        let id = refund.provider_refund_id.as_str();
        if let Some(other) = receipts.insert(receipt, id) {
            found.add(format!("{id} and {other} are refunds of one receipt"));
        }
    }
}

/// How much of each payment effectively goes back for each cause. What staff wants and what was
/// done on the provider's pages may come in parts; the sum is what `left_at_provider` looks at.
fn refunds(snapshot: &Snapshot, history: &History, found: &mut Finding) {
    let mut effective: BTreeMap<(String, &'static str), usize> = BTreeMap::new();
    for refund in snapshot.provider.refunds.iter().filter(|it| it.status != "failed") {
        let known = history.collections.values().find_map(|collection| {
            let mut ours = collection.refunds.iter();
            let found = ours.find(|(id, it)| {
                refund.receipt.as_deref() == Some(id.to_string().as_str())
                    || it.accepted.as_ref().map(ProviderRefundId::as_str)
                        == Some(refund.provider_refund_id.as_str())
            });
            found.map(|(id, known)| (collection, *id, known))
        });
        let Some((collection, id, known)) = known else { continue };
        let is_held_part = is_of_held_part(collection, id);
        if matches!(known.cause, Cause::Staff | Cause::Elsewhere) || is_held_part {
            continue;
        }
        let count = effective.entry((refund.payment_id.clone(), known.cause.word())).or_default();
        *count += 1;
        // What another hand was to give back and did not goes back later for the same cause.
        let others = collection.refunds.values().filter(|it| it.payment == known.payment);
        let came_home =
            others.filter(|it| it.cause == Cause::Elsewhere && it.end == Some(End::Failed)).count();
        // Each session of a package has a refund of its own.
        let of_sessions = match known.cause {
            Cause::Cancelled => cancelled_sessions(history, collection.terms.booking_id),
            _ => 0,
        };
        if *count == 1 + of_sessions.max(1) + came_home {
            let cause = known.cause.word();
            found.add(format!("{} was refunded twice because {cause}", refund.payment_id));
        }
    }
}

/// Whether a refund is what a dispute held or had taken of another one, or was requested in its
/// place: that goes back apart from the rest.
fn is_of_held_part(collection: &Collection, refund_id: Id<Refund>) -> bool {
    let mut before = Some(refund_id);
    for _ in 0..=collection.refunds.len() {
        let Some(id) = before else { return false };
        let is_it = |other| held_part(other) == id || returned_part(other) == id;
        if collection.refunds.keys().copied().any(is_it) {
            return true;
        }
        before = collection.refunds.get(&id).and_then(|it| it.renews);
    }
    false
}

/// How many sessions of a package were cancelled with a refund.
fn cancelled_sessions(history: &History, id: Id<Booking>) -> usize {
    let past = history.bookings.get(&id).into_iter().flatten();
    let is_cancelled =
        |event: &Event| matches!(event, Event::SessionCancelled { refund, .. } if refund.minor > 0);
    past.filter(|it| is_cancelled(&it.event)).count()
}

/// A booking is paid at the desk once, and no more goes back there than was paid.
fn at_desk(history: &History, found: &mut Finding) {
    for (id, collection) in &history.collections {
        if collection.at_desk.len() > 1 {
            found.add(format!("{id} was paid {} times at the desk", collection.at_desk.len()));
        }
        for payment in &collection.at_desk {
            if collection.going_back(payment) > collection.brought(payment) {
                found.add(format!("more of {payment} goes back than was paid at the desk"));
            }
        }
    }
}

/// At most one capture of a booking's order and links stays whole; another one that stays has a
/// refund that failed or is being asked for.
fn kept(snapshot: &Snapshot, history: &History, found: &mut Finding) {
    let collections = &history.collections;
    for row in &snapshot.payments.collections {
        let Some(collection) = collections.get(&row.booking_id) else { continue };
        let is_ours = |order: &str| {
            OrderId::parse(order).is_some_and(|order| collection.is_own_order(&order))
        };
        let captured = snapshot.provider.payments.iter().filter(|payment| {
            payment.order_id.as_deref().is_some_and(is_ours) && payment.captured_at.is_some()
        });
        let kept = captured.filter(|payment| left_at_provider(snapshot, payment) > 0);
        let unasked = kept.filter(|payment| {
            let asked = |it: &payments::domain::refund::Refund| {
                it.payment.as_str() == payment.payment_id && !matches!(it.cause, Cause::Staff)
            };
            let is_known =
                |it: &payments::domain::fact::PaymentId| it.as_str() == payment.payment_id;
            collection.payments.keys().any(is_known) && !collection.refunds.values().any(asked)
        });
        let unasked: Vec<&str> = unasked.map(|it| it.payment_id.as_str()).collect();
        if unasked.len() > 1 {
            found.add(format!("{} has kept {}", row.booking_id, unasked.join(" and ")));
        }
    }
}
