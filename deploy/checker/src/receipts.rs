//! I4, as far as it is about receipts: the money of every placed booking has one unless it was back
//! before one was due, nothing else has any, and the numbers of each financial year are 1 to n
//! without gaps.

use std::collections::BTreeMap;

use booking::domain::booking::{ConfirmationBasis, Event};
use contract::payments::v1::ReceiptIssued;
use kernel::id::Booking;
use kernel::{Decider, Id, Timestamp};
use payments::contract::{collection_stream, read_collection_event};
use payments::domain::collection::{Collection, CollectionLife, Event as MoneyEvent, State};
use payments::domain::fact::PaymentId;
use payments::domain::refund::Cause;

use crate::history::History;
use crate::snapshot::{EventRow, ReceiptRow, Snapshot};
use crate::violation::{Finding, Invariant, Violation};

/// Compares the numbers of all receipts.
pub(crate) fn numbers(snapshot: &Snapshot) -> Vec<Violation> {
    let mut found = Finding::of(Invariant::I4);
    let receipts = snapshot.payments.receipts.iter().flatten();
    let mut sorted: Vec<(i32, i32)> =
        receipts.map(|row| (row.financial_year, row.number)).collect();
    sorted.sort_unstable();
    let mut numbers = Numbers::default();
    sorted.into_iter().for_each(|number| numbers.add(number, &mut found));
    found.violations
}

/// Compares the receipts with what booking and payments say of each booking's money.
pub(crate) fn check(snapshot: &Snapshot, history: &History) -> Vec<Violation> {
    let mut found = Finding::of(Invariant::I4);
    let Some(receipts) = &snapshot.payments.receipts else { return found.violations };
    grounds(snapshot, &mut found);
    let mut of_payments: BTreeMap<&str, Vec<&ReceiptRow>> = BTreeMap::new();
    for row in receipts {
        of_payments.entry(&row.payment_id).or_default().push(row);
    }
    for id in history.bookings.keys() {
        let Some((payment, collection)) = placed(history, *id) else { continue };
        let amount = collection.brought(payment);
        match of_payments.remove(payment.as_str()).unwrap_or_default().as_slice() {
            [] if collection.left(payment) == 0 => {
                if was_due(history, *id, payment) {
                    found.add(format!("{payment} of {id} went back without its receipt"));
                }
            }
            [row] if row.booking_id == *id && row.amount_minor == amount => {}
            [_other] => found.add(format!("the receipt for {payment} is not of {id} and {amount}")),
            rows => found.add(format!("{payment} of {id} has {} receipts", rows.len())),
        }
    }
    for payment in of_payments.keys() {
        found.add(format!("{payment} has a receipt and is not what a booking is placed with"));
    }
    found.violations
}

/// The payment that a booking was placed with, once it counts, and what is known of its money.
fn placed(history: &History, id: Id<Booking>) -> Option<(&PaymentId, &Collection)> {
    let past = history.bookings.get(&id)?;
    let placed = past.iter().find_map(|it| payment_of(&it.event))?;
    let collection = history.collections.get(&id)?;
    let verified = collection.verified.as_ref()?;
    (verified.as_str() == placed).then_some((verified, collection))
}

/// The payment that an event places its booking with.
fn payment_of(event: &Event) -> Option<&str> {
    match event {
        Event::Confirmed { basis: ConfirmationBasis::Payment(payment), .. }
        | Event::Paid { payment } => Some(payment.0.as_str()),
        _ => None,
    }
}

/// Whether a payment of which nothing is left had its receipt before: it counted when its booking
/// was placed with it, and nothing took the last of it before booking reported a cancellation,
/// which it reports after that.
fn was_due(history: &History, id: Id<Booking>, payment: &PaymentId) -> bool {
    let mut state = State::Absent;
    let mut counts_since = None;
    for past in history.money.get(&id).into_iter().flatten() {
        state = CollectionLife::evolve(state, &past.event);
        if matches!(&past.event, MoneyEvent::Verified { payment: it, .. } if it == payment) {
            counts_since = Some(past.at);
        }
        if let Some(since) = counts_since
            && left(&state, payment) == 0
        {
            return is_of_cancellation(&past.event) && was_placed(history, id, payment, since);
        }
    }
    false
}

/// Whether a booking was placed with a payment when that counted already, and stood until then.
fn was_placed(history: &History, id: Id<Booking>, payment: &PaymentId, since: Timestamp) -> bool {
    let past = history.bookings.get(&id).into_iter().flatten();
    past.take_while(|it| !matches!(it.event, Event::Cancelled { .. }))
        .any(|it| payment_of(&it.event) == Some(payment.as_str()) && it.at >= since)
}

fn is_of_cancellation(event: &MoneyEvent) -> bool {
    let MoneyEvent::RefundRequested { refund, .. } = event else { return false };
    refund.cause == Cause::Cancelled
}

fn left(state: &State, payment: &PaymentId) -> i64 {
    match state {
        State::Absent => 0,
        State::Open(known) => known.left(payment),
    }
}

/// Every reported receipt was issued while some of its money was still with us.
fn grounds(snapshot: &Snapshot, found: &mut Finding) {
    let mut rows: Vec<&EventRow> = snapshot.payments.log.events.iter().collect();
    rows.sort_by_key(|row| row.seq);
    let mut states: BTreeMap<&str, State> = BTreeMap::new();
    for row in rows {
        if let Ok(Some(receipt)) = row.event.get::<ReceiptIssued>() {
            let stream = receipt.booking_id.parse().map(collection_stream).unwrap_or_default();
            let payment = PaymentId::parse(&receipt.payment_id);
            let left = payment.zip(states.get(stream.as_str())).map(|(it, state)| left(state, &it));
            if left.unwrap_or(0) <= 0 {
                let (serial, payment) = (receipt.serial, receipt.payment_id);
                found.add(format!("{serial} was issued when nothing of {payment} was here"));
            }
        } else if row.event.stream_id.starts_with("collection-")
            && let Ok(event) = read_collection_event(&row.event)
        {
            let state = states.entry(&row.event.stream_id).or_default();
            *state = CollectionLife::evolve(std::mem::take(state), &event);
        }
    }
}

/// Receipts' years and numbers, which come in their order.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    before: Option<(i32, i32)>,
    /// The year of which a hole was reported already.
    reported: Option<i32>,
}

impl Numbers {
    /// Compares a number with the one before it.
    pub(crate) fn add(&mut self, (year, number): (i32, i32), found: &mut Finding) {
        let before = self.before.filter(|(its_year, _)| *its_year == year);
        let expected = before.map_or(1, |(_, before)| before.saturating_add(1));
        if before == Some((year, number)) {
            found.add(format!("two receipts of {year} are number {number}"));
        } else if number != expected && self.reported != Some(year) {
            found.add(format!("the receipts of {year} have {number} where {expected} belongs"));
            self.reported = Some(year);
        }
        self.before = Some((year, number));
    }
}
