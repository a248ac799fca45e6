//! I2: no two live sessions of a practitioner overlap, at no moment of the days' history, nor among
//! the bookings, nor in the rows. A time that the practice closed counts like a session. Nor has
//! one client two sessions at a time, unless staff or the practice's setting took their word for
//! one.

use std::collections::BTreeMap;

use booking::domain::booking::{ConfirmationBasis, Event as BookingEvent, Facts, State};
use booking::domain::day::Event;
use booking::domain::span::Span;
use kernel::id::Booking;
use kernel::{Id, Timestamp};

use crate::history::{History, HistoryEvent, is_live};
use crate::snapshot::{Holder, ReservationRow, Snapshot};
use crate::violation::{Finding, Invariant, Violation};

/// A time on a day, and until when it is held if it is only held.
type Taken = (Span, Option<Timestamp>);

/// Whose day it is, and the time on it.
type OnDay<'s> = (&'s str, Taken);

/// Looks at the days, at the bookings and at the rows.
pub(crate) fn check(snapshot: &Snapshot, history: &History) -> Vec<Violation> {
    let mut found = Finding::of(Invariant::I2);
    let mut at_the_end: BTreeMap<Holder, Vec<OnDay<'_>>> = BTreeMap::new();
    requested_as_a_whole(history, &mut found);
    for (stream, past) in &history.days {
        let whose = practitioner_of(stream);
        let taken = day(stream, past, &mut found);
        for (holder, time) in taken {
            at_the_end.entry(holder).or_default().push((whose, time));
        }
    }
    bookings(snapshot, history, &at_the_end, &mut found);
    rows(&snapshot.booking.reservations, &mut found);
    found.violations
}

/// A request holds the times of all its sessions or none: a day has held each of them.
fn requested_as_a_whole(history: &History, found: &mut Finding) {
    let mut given: BTreeMap<Id<Booking>, Vec<Span>> = BTreeMap::new();
    for it in history.days.values().flatten() {
        if let Event::Held { booking_id, span, .. } | Event::Booked { booking_id, span } = &it.event
        {
            given.entry(*booking_id).or_default().push(*span);
        }
    }
    for (id, state) in &history.states {
        let Some(facts) = state.facts() else { continue };
        let given = given.get(id).map(Vec::as_slice).unwrap_or_default();
        for span in facts.sessions.iter().filter(|span| !given.contains(span)) {
            found.add(format!("{id} was requested and no day was asked for {span:?}"));
        }
    }
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

/// Every session of a live booking has its time to itself, and is on its day.
fn bookings(
    snapshot: &Snapshot,
    history: &History,
    days: &BTreeMap<Holder, Vec<OnDay<'_>>>,
    found: &mut Finding,
) {
    for holder in days.keys() {
        if let Holder::Booking(id) = holder
            && !history.states.contains_key(id)
        {
            found.add(format!("a day has a time for {id}, and there is no such booking"));
        }
    }
    let mut sessions: Vec<Session<'_>> = Vec::new();
    for (id, state) in &history.states {
        let Some(facts) = state.facts() else { continue };
        let holds = state.held_until().is_some_and(|until| until > snapshot.taken_at);
        let on_days = days.get(&Holder::Booking(*id)).map(Vec::as_slice).unwrap_or_default();
        if !is_live(state) && !holds {
            let gone = matches!(
                state,
                State::Cancelled { .. }
                    | State::Released { .. }
                    | State::Expired { .. }
                    | State::PaidUnplaced { .. }
            );
            if gone && !on_days.is_empty() {
                found.add(format!("{id} has given its time back and its day still has it"));
            }
            continue;
        }
        on_its_days((*id, state), facts, on_days, found);
        let by_word = history.bookings.get(id).is_some_and(|past| past.iter().any(by_word));
        let stands = |number: &usize| !state.is_session_cancelled(*number);
        let spans = facts.numbers().filter(stands).filter_map(|number| facts.session(number));
        sessions.extend(spans.map(|span| Session { id: *id, facts, span, by_word }));
    }
    for (at, session) in sessions.iter().enumerate() {
        for other in sessions.iter().skip(at + 1).filter(|it| it.span.overlaps(&session.span)) {
            let (id, their_id) = (session.id, other.id);
            if session.facts.practitioner_id == other.facts.practitioner_id {
                found.add(format!("{id} and {their_id} are both live at one time"));
            }
            let is_one_client = session.facts.customer_id == other.facts.customer_id;
            if is_one_client && !session.by_word && !other.by_word {
                found.add(format!("{id} and {their_id} are one client's at one time"));
            }
        }
    }
}

/// Each session of a live booking is on its day, unless it was cancelled: of a package all of them
/// or none.
fn on_its_days(
    (id, state): (Id<Booking>, &State),
    facts: &Facts,
    on_days: &[OnDay<'_>],
    found: &mut Finding,
) {
    let is_booked = is_live(state);
    for number in facts.numbers() {
        let Some(span) = facts.session(number) else { continue };
        let there = on_days.iter().find(|(_, (theirs, _))| *theirs == span);
        match there {
            Some(_) if state.is_session_cancelled(number) => {
                found.add(format!("{id} has given a time back and its day still has it"));
            }
            None if !state.is_session_cancelled(number) => {
                found.add(format!("{id} is live and its day knows nothing of it"));
            }
            Some((whose, _)) if *whose != facts.practitioner_id => {
                found.add(format!("{id} is on the day of {whose}"));
            }
            Some((_, (_, Some(_)))) if is_booked => {
                found.add(format!("{id} is confirmed and its day only holds it"));
            }
            None | Some(_) => {}
        }
    }
    if on_days.iter().any(|(_, (span, _))| !facts.sessions.contains(span)) {
        found.add(format!("{id} is live and its day has another time for it"));
    }
}

/// A session of a live booking.
struct Session<'h> {
    id: Id<Booking>,
    facts: &'h Facts,
    span: Span,
    /// The booking was confirmed by its client's word: staff judge for themselves whether it may
    /// stand beside another one.
    by_word: bool,
}

fn by_word(past: &HistoryEvent<BookingEvent>) -> bool {
    matches!(past.event, BookingEvent::Confirmed { basis: ConfirmationBasis::Claim, .. })
}

/// The practitioner in the name of a day's stream.
#[must_use]
pub fn practitioner_of(stream: &str) -> &str {
    let date_chars = "-0000-00-00".len();
    let name = stream.strip_prefix("day-").unwrap_or(stream);
    name.get(..name.len().saturating_sub(date_chars)).unwrap_or_default()
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
