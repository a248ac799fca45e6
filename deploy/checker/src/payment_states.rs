//! I9: a booking's payment state follows the sum of its refunds, as payments tells of them.

use std::collections::BTreeSet;

use booking::domain::booking::State;
use payments::domain::collection::Collection;
use payments::domain::fact::PaymentId;
use payments::domain::refund::{Cause, End, Refund};

use crate::history::History;
use crate::snapshot::{BookingRow, Snapshot};
use crate::unfinished::GRACE_SECONDS;
use crate::violation::Finding;

/// Compares the states of bookings that money was paid for.
pub(crate) fn check(snapshot: &Snapshot, history: &History, found: &mut Finding) {
    let parked = snapshot.booking.log.parked.iter();
    let parked: BTreeSet<&str> = parked.map(|row| row.stream_id.as_str()).collect();
    for row in &snapshot.booking.bookings {
        let Some(collection) = history.collections.get(&row.booking_id) else { continue };
        let Some(payment) = &collection.verified else { continue };
        let past = history.money.get(&row.booking_id).map(Vec::as_slice).unwrap_or_default();
        let age = past.last().map_or(0, |it| snapshot.taken_at.seconds_since(it.at));
        let stream = format!("collection-{}", row.booking_id.uuid());
        // What waits is not taken in yet.
        if age <= GRACE_SECONDS || parked.contains(stream.as_str()) {
            continue;
        }
        let state = history.states.get(&row.booking_id).unwrap_or(&State::Absent);
        if let Some(expected) = contradicts(row, collection, (payment, state)) {
            let (id, word) = (row.booking_id, &row.payment_state);
            found.add_mended_by_upgrade(format!(
                "the payment state of {id} is {word}, and its refunds say {expected}"
            ));
        }
    }
}

/// What the refunds of a booking say, if its payment state says something else.
fn contradicts(
    row: &BookingRow,
    collection: &Collection,
    (payment, state): (&PaymentId, &State),
) -> Option<&'static str> {
    let sum = |counts: fn(&Refund) -> bool| {
        let refunds = collection.refunds_of(payment).filter(|(_, refund)| counts(refund));
        refunds.fold(0_i64, |sum, (_, refund)| sum.saturating_add(refund.amount.minor))
    };
    let back = sum(|it| it.end == Some(End::Processed));
    let brought = collection.brought(payment);
    let is_back = back >= brought;
    let gone = back.saturating_add(collection.lost(payment));
    let is_open = collection.refunds_of(payment).any(|(id, it)| {
        it.end.is_none() || (it.cause != Cause::Elsewhere && collection.is_renewable(id))
    });
    match row.payment_state.as_str() {
        "refunded" if is_back => None,
        _ if is_back => Some("that all of it is back"),
        "refunded" if is_open => Some("that a part is on its way"),
        "refunded" if gone == 0 => Some("that nothing is back"),
        "refunded" if is_due(state) && gone < brought => Some("that the session is paid"),
        _ => None,
    }
}

/// Whether a session is still to take place.
fn is_due(state: &State) -> bool {
    matches!(state, State::Confirmed { .. } | State::MeetingScheduled { .. })
}
