//! Runs in which clients book what costs nothing, and what the checker says where money comes into
//! it.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a case that does not find its place has failed"
)]

use checker::snapshot::{BookingRow, EventRow, Snapshot};
use checker::{Invariant, check};
use simulation::simulator::{RunOptions, run};

/// How many runs may be looked at for one that has what is to be changed.
const SEEDS: u64 = 150;

/// A sound run with such a booking that was confirmed, and the booking's id.
fn sound(is_such: fn(&BookingRow) -> bool) -> (Snapshot, String) {
    let is_placed = |row: &&BookingRow| {
        ["confirmed", "meeting_scheduled", "completed"].contains(&row.state.as_str())
    };
    let mut runs = (0..SEEDS).map(|seed| run(seed, RunOptions::default()).snapshot);
    let found = runs.find_map(|it| {
        let mut rows = it.booking.bookings.iter().filter(is_placed);
        let id = rows.find(|row| is_such(row))?.booking_id.to_string();
        Some((it, id))
    });
    let (snapshot, id) = found.unwrap();
    assert!(told(&snapshot).is_empty(), "{}", told(&snapshot));
    (snapshot, id)
}

fn is_free(row: &BookingRow) -> bool {
    row.price_minor == 0
}

fn is_priced(row: &BookingRow) -> bool {
    row.price_minor > 0
}

fn told(snapshot: &Snapshot) -> String {
    let of_i5 = check(snapshot).into_iter().filter(|it| it.invariant == Invariant::I5);
    of_i5.map(|violation| violation.to_string()).collect::<Vec<_>>().join("\n")
}

fn event<'s>(snapshot: &'s mut Snapshot, id: &str, name: &str) -> &'s mut EventRow {
    let is_it =
        |row: &&mut EventRow| row.event.event_type == name && row.event.payload["bookingId"] == id;
    snapshot.booking.log.events.iter_mut().find(is_it).unwrap()
}

#[test]
fn an_unpaid_price_is_reported() {
    let (mut snapshot, id) = sound(is_free);
    let asked = event(&mut snapshot, &id, "booking.v1.BookingRequested");
    asked.event.payload["price"]["minorUnits"] = "50000".into();
    assert!(told(&snapshot).contains("costs 50000 and is confirmed by Free"));
}

#[test]
fn a_session_that_was_given_away_is_reported() {
    let (mut snapshot, id) = sound(is_priced);
    let confirmed = event(&mut snapshot, &id, "booking.v1.BookingConfirmed");
    confirmed.event.payload["free"] = true.into();
    confirmed.event.payload["claimAccepted"] = false.into();
    assert!(told(&snapshot).contains("and is confirmed by Free"), "{}", told(&snapshot));
}

#[test]
fn money_that_is_asked_for_what_costs_nothing_is_reported() {
    let (mut snapshot, id) = sound(is_priced);
    let asked = event(&mut snapshot, &id, "booking.v1.BookingRequested");
    asked.event.payload["price"]["minorUnits"] = "0".into();
    assert!(told(&snapshot).contains("costs nothing, and money was asked for it"));
}
