//! Runs with one practitioner and with two, and what the checker says of sessions on a wrong day
//! and of two sessions of one client at one time.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a case that does not find its place has failed"
)]

use std::collections::BTreeSet;

use checker::snapshot::{EventRow, Holder, Snapshot};
use checker::{Invariant, check};
use simulation::simulator::{RunOptions, run};

/// How many runs may be looked at for one that has what is to be changed.
const SEEDS: u64 = 150;

fn snapshots() -> impl Iterator<Item = Snapshot> {
    (0..SEEDS).map(|seed| run(seed, RunOptions::default()).snapshot)
}

fn practitioners(snapshot: &Snapshot) -> BTreeSet<&str> {
    snapshot.booking.bookings.iter().map(|row| row.practitioner_id.as_str()).collect()
}

/// What is said of I2.
fn told(snapshot: &Snapshot) -> String {
    let of_i2 = check(snapshot).into_iter().filter(|it| it.invariant == Invariant::I2);
    of_i2.map(|violation| violation.to_string()).collect::<Vec<_>>().join("\n")
}

/// Changes a field of the event by which a booking began.
fn change(snapshot: &mut Snapshot, booking_id: &str, (field, value): (&str, &str)) {
    let is_begin = |row: &&mut EventRow| {
        row.event.event_type == "booking.v1.BookingRequested"
            && row.event.payload["bookingId"] == booking_id
    };
    let row = snapshot.booking.log.events.iter_mut().find(is_begin).unwrap();
    row.event.payload[field] = value.into();
}

#[test]
fn some_runs_have_one_practitioner_and_some_have_two() {
    let counts: BTreeSet<usize> = snapshots().take(40).map(|it| practitioners(&it).len()).collect();
    assert!(counts.contains(&1) && counts.contains(&2), "{counts:?}");
}

#[test]
fn a_session_on_the_day_of_another_practitioner_is_reported() {
    let is_placed = |state: &str| ["confirmed", "meeting_scheduled", "completed"].contains(&state);
    let found = snapshots().find_map(|it| {
        let row = it.booking.bookings.iter().find(|row| is_placed(&row.state))?;
        let id = row.booking_id.to_string();
        Some((it, id))
    });
    let (mut snapshot, id) = found.unwrap();
    assert_eq!(told(&snapshot), "");
    change(&mut snapshot, &id, ("practitionerId", "unknown"));
    assert!(told(&snapshot).contains("is on the day of"), "{}", told(&snapshot));
}

/// Two sessions at one time with two practitioners, confirmed by money.
fn twins(snapshot: &Snapshot) -> Option<(String, String)> {
    let is_paid = |id: &str| {
        let mut events = snapshot.booking.log.events.iter();
        events.any(|row| {
            row.event.event_type == "booking.v1.BookingConfirmed"
                && row.event.payload["bookingId"] == id
                && row.event.payload["claimAccepted"] != true
        })
    };
    let rows: Vec<_> = snapshot.booking.bookings.iter().collect();
    let spans = |id: &str| {
        let live = snapshot.booking.reservations.iter().filter(|row| row.live);
        let mut own = live.filter(
            |row| matches!(row.holder, Holder::Booking(holder) if holder.to_string() == id),
        );
        own.next().map(|row| (row.starts_at, row.ends_at))
    };
    for one in &rows {
        for other in rows.iter().filter(|it| it.practitioner_id != one.practitioner_id) {
            let (id, other_id) = (one.booking_id.to_string(), other.booking_id.to_string());
            let (Some(a), Some(b)) = (spans(&id), spans(&other_id)) else { continue };
            if a.0 < b.1 && b.0 < a.1 && is_paid(&id) && is_paid(&other_id) {
                return Some((id, other_id));
            }
        }
    }
    None
}

#[test]
fn two_sessions_of_one_client_at_one_time_are_reported() {
    let found = snapshots().find_map(|it| twins(&it).map(|ids| (it, ids)));
    let (mut snapshot, (one, other)) = found.unwrap();
    assert_eq!(told(&snapshot), "");
    let customer = "usr_01934000000070008000000000000001";
    for id in [&one, &other] {
        change(&mut snapshot, id, ("customerId", customer));
    }
    assert!(told(&snapshot).contains("are one client's at one time"), "{}", told(&snapshot));
}
