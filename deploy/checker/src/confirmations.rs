//! I5: no booking is confirmed without its money: a payment that the provider captured for this
//! very booking's order, over its price and in its currency, or a claim that the practice took by
//! name. What costs nothing is confirmed for nothing, and no money was ever asked for it.

use booking::domain::booking::{ConfirmationBasis, Event, Facts, PaymentId};
use kernel::Id;
use kernel::id::Booking;
use payments::domain::collection::Event as MoneyEvent;

use crate::history::History;
use crate::snapshot::Snapshot;
use crate::violation::{Finding, Invariant, Violation};

/// Looks at every confirmation that ever was.
pub(crate) fn check(snapshot: &Snapshot, history: &History) -> Vec<Violation> {
    let mut found = Finding::of(Invariant::I5);
    for (id, past) in &history.bookings {
        let facts = past.iter().find_map(|it| match &it.event {
            Event::Requested { facts, .. } => Some(facts),
            _ => None,
        });
        let is_free = facts.is_some_and(Facts::is_free);
        if is_free && history.money.contains_key(id) {
            found.add(format!("{id} costs nothing, and money was asked for it"));
        }
        for it in past {
            if let Event::Confirmed { basis, .. } = &it.event
                && is_free != (*basis == ConfirmationBasis::Free)
            {
                let price = facts.map_or(0, |facts| facts.price.minor);
                found.add(format!("{id} costs {price} and is confirmed by {basis:?}"));
            }
            let payment = match &it.event {
                Event::Confirmed { basis: ConfirmationBasis::Payment(payment), .. }
                | Event::Paid { payment }
                | Event::Unplaced { payment } => payment,
                Event::Confirmed { basis: ConfirmationBasis::Claim, .. } => {
                    if !was_claimed(history, *id) {
                        found.add(format!("{id} was confirmed by a claim that nobody made"));
                    }
                    continue;
                }
                _ => continue,
            };
            if let Some(why) = unpaid(snapshot, history, (*id, facts), payment) {
                let id = *id;
                found.add(format!("{id} rests on {}: {why}", payment.0));
            }
        }
    }
    found.violations
}

fn was_claimed(history: &History, id: Id<Booking>) -> bool {
    let past = history.money.get(&id);
    past.is_some_and(|past| past.iter().any(|it| matches!(it.event, MoneyEvent::Claimed)))
}

/// Why a payment does not pay for a booking; none when it does.
fn unpaid(
    snapshot: &Snapshot,
    history: &History,
    (id, facts): (Id<Booking>, Option<&Facts>),
    payment: &PaymentId,
) -> Option<&'static str> {
    let is_verified = history.money.get(&id).is_some_and(|past| {
        past.iter().any(|it| {
            matches!(&it.event, MoneyEvent::Verified { payment: known, .. }
                     if known.as_str() == payment.0)
        })
    });
    if !is_verified {
        return Some("payments has not verified it");
    }
    if contract::desk::way_of(&payment.0).is_some() {
        return unpaid_at_desk(history, (id, facts), payment);
    }
    let book = &snapshot.provider;
    let Some(there) = book.payments.iter().find(|it| it.payment_id == payment.0) else {
        return Some("the provider knows no such payment");
    };
    if there.captured_at.is_none() {
        return Some("the provider has not captured it");
    }
    if !there.order_id.as_deref().is_some_and(|order| is_order_of(snapshot, id, order)) {
        return Some("it was made for another order");
    }
    let Some(facts) = facts else { return Some("no request for the booking is there") };
    if facts.price.minor != there.amount_minor && !there.pays_order {
        return Some("it is of another amount");
    }
    if facts.price.currency.code() != there.currency {
        return Some("it is of another currency");
    }
    None
}

/// The same of a payment at the desk, of which a person said that the whole price was paid.
fn unpaid_at_desk(
    history: &History,
    (id, facts): (Id<Booking>, Option<&Facts>),
    payment: &PaymentId,
) -> Option<&'static str> {
    let past = history.money.get(&id).into_iter().flatten();
    let mut taken = past.filter_map(|it| match &it.event {
        MoneyEvent::PaidAtDesk { payment: known, amount, .. } if known.as_str() == payment.0 => {
            Some(amount)
        }
        _ => None,
    });
    let Some(amount) = taken.next() else { return Some("no payment at the desk is there") };
    let Some(facts) = facts else { return Some("no request for the booking is there") };
    let is_price =
        facts.price.minor == amount.minor && facts.price.currency.code() == amount.currency;
    (!is_price).then_some("it is of another amount")
}

/// Whether an order was made for a booking: its collection's own, or one beneath a payment link
/// of it, whose reference the provider's order then has as its receipt.
fn is_order_of(snapshot: &Snapshot, id: Id<Booking>, order_id: &str) -> bool {
    let mut collections = snapshot.payments.collections.iter();
    let mut orders = snapshot.provider.orders.iter();
    let receipt = orders.find(|it| it.order_id == order_id).map(|it| it.receipt.as_str());
    let mut links = snapshot.payments.links.iter().filter(|link| link.booking_id == id);
    collections.any(|row| row.booking_id == id && row.order_id.as_deref() == Some(order_id))
        || links.any(|link| {
            link.order_ids.iter().any(|it| it == order_id)
                && receipt == Some(link.link_id.to_string().as_str())
        })
}
