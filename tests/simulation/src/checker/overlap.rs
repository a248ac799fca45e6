//! I2: no two live sessions of a practitioner overlap, at no moment of the days' history, nor among
//! the bookings, nor in the rows. A time that the practice closed counts like a session.

use std::collections::BTreeMap;

use booking::domain::booking::State;
use booking::domain::day::Event;
use booking::domain::span::Span;
use kernel::Timestamp;

use super::history::{History, HistoryEvent, is_live};
use super::snapshot::{Holder, ReservationRow, Snapshot};
use super::{Finding, Invariant, Violation};

/// A time on a day, and until when it is held if it is only held.
type Taken = (Span, Option<Timestamp>);

/// Looks at the days, at the bookings and at the rows.
pub(super) fn check(snapshot: &Snapshot, history: &History) -> Vec<Violation> {
    let mut found = Finding::of(Invariant::I2);
    let mut at_the_end = BTreeMap::new();
    for (stream, past) in &history.days {
        at_the_end.extend(day(stream, past, &mut found));
    }
    bookings(snapshot, history, &at_the_end, &mut found);
    rows(&snapshot.booking.reservations, &mut found);
    found.violations
}

/// Follows a day's history and returns what is taken at its end.
fn day(stream: &str, past: &[HistoryEvent<Event>], found: &mut Finding) -> BTreeMap<Holder, Taken> {
    let mut taken: BTreeMap<Holder, Taken> = BTreeMap::new();
    for HistoryEvent { event, at } in past {
        let (holder, new) = match event {
            Event::Held { booking_id, span, until } => {
                (Holder::Booking(*booking_id), Some((*span, Some(*until))))
            }
            Event::Booked { booking_id, span } => {
                (Holder::Booking(*booking_id), Some((*span, None)))
            }
            Event::HoldExtended { booking_id, until } => {
                let holder = Holder::Booking(*booking_id);
                (holder, taken.get(&holder).map(|(span, _)| (*span, Some(*until))))
            }
            Event::Released { booking_id } => (Holder::Booking(*booking_id), None),
            Event::Blocked { block_id, span } => (Holder::Block(*block_id), Some((*span, None))),
            Event::Unblocked { block_id } => (Holder::Block(*block_id), None),
        };
        taken.remove(&holder);
        let Some((span, until)) = new else { continue };
        for (other, (theirs, held)) in &taken {
            if theirs.overlaps(&span) && held.is_none_or(|held| held > *at) {
                found.add(format!("{stream}: {holder:?} was given the time of {other:?}"));
            }
        }
        taken.insert(holder, (span, until));
    }
    taken
}

/// Every booking that is live has its time to itself, and is on its day.
fn bookings(
    snapshot: &Snapshot,
    history: &History,
    days: &BTreeMap<Holder, Taken>,
    found: &mut Finding,
) {
    let mut sessions: Vec<(String, Span, String)> = Vec::new();
    for (id, state) in &history.states {
        let Some(facts) = state.facts() else { continue };
        let holds = state.held_until().is_some_and(|until| until > snapshot.taken_at);
        let is_booked = is_live(state);
        if !is_booked && !holds {
            let gone = matches!(
                state,
                State::Cancelled { .. }
                    | State::Released { .. }
                    | State::Expired { .. }
                    | State::PaidUnplaced { .. }
            );
            if gone && days.contains_key(&Holder::Booking(*id)) {
                found.add(format!("{id} has given its time back and its day still has it"));
            }
            continue;
        }
        match days.get(&Holder::Booking(*id)) {
            None => found.add(format!("{id} is live and its day knows nothing of it")),
            Some((_, Some(_))) if is_booked => {
                found.add(format!("{id} is confirmed and its day only holds it"));
            }
            Some((span, _)) if !facts.sessions.contains(span) => {
                found.add(format!("{id} is live and its day has another time for it"));
            }
            Some(_) => {}
        }
        for span in &facts.sessions {
            sessions.push((facts.practitioner_id.clone(), *span, id.to_string()));
        }
    }
    for (at, (practitioner, span, id)) in sessions.iter().enumerate() {
        for (other, theirs, their_id) in sessions.iter().skip(at + 1) {
            if practitioner == other && span.overlaps(theirs) {
                found.add(format!("{id} and {their_id} are both live at one time"));
            }
        }
    }
}

fn rows(rows: &[ReservationRow], found: &mut Finding) {
    let live: Vec<&ReservationRow> = rows.iter().filter(|row| row.live).collect();
    for (at, row) in live.iter().enumerate() {
        for other in live.iter().skip(at + 1) {
            let meet = row.starts_at < other.ends_at && other.starts_at < row.ends_at;
            if meet && row.practitioner_id == other.practitioner_id {
                found.add(format!("the rows of {:?} and {:?} overlap", row.holder, other.holder));
            }
        }
    }
}
