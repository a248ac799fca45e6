//! The calendar file of a booking. It holds time and place but never the service: calendars are
//! often shared.

use contract::booking::v1 as wire;
use contract::convert::{money, practice_late, timestamp};
use icalendar::{Alarm, Calendar, Component as _, Event, EventLike as _, Parameter, Property};
use icalendar::{EventStatus, Trigger};
use kernel::{PracticeLate, Timestamp};
use practice::Practice;

use crate::read_model::view::View;

/// How many minutes before a session the calendar reminds.
const ALARM_MINUTES: i64 = 60;
/// The maximum length of a line without its line break, in octets.
const LINE_OCTETS_MAX: usize = 75;

/// The calendar file of a placed booking; `None` for any other. Sessions online are joined at the
/// page of this address: a calendar never holds that of the room.
#[must_use]
pub(super) fn file(practice: &Practice, view: &View, join: &str) -> Option<String> {
    if view.is_placed() { write(practice, (view, join), ("PUBLISH", None)) } else { None }
}

/// The file that removes a cancelled booking from a calendar; `None` for any other booking.
#[must_use]
pub(super) fn cancellation(practice: &Practice, view: &View) -> Option<String> {
    if is_cancelled(view) { write(practice, (view, ""), ("CANCEL", None)) } else { None }
}

/// The file that removes one cancelled session from a calendar, by its number from 1; `None` for a
/// session that takes place.
#[must_use]
pub(super) fn cancellation_of(practice: &Practice, view: &View, number: usize) -> Option<String> {
    let index = number.checked_sub(1)?;
    let cancelled = view.booking.sessions.get(index)?.cancelled || is_cancelled(view);
    if cancelled { write(practice, (view, ""), ("CANCEL", Some(index))) } else { None }
}

fn is_cancelled(view: &View) -> bool {
    view.booking.state() == wire::BookingState::Cancelled
}

/// Writes a file of all sessions, or of the one with this index alone: a program does with each
/// event what the file's method says.
fn write(
    practice: &Practice,
    (view, join): (&View, &str),
    (method, only): (&str, Option<usize>),
) -> Option<String> {
    let booking = &view.booking;
    let mut calendar = Calendar::empty();
    for (key, value) in
        [("VERSION", "2.0"), ("PRODID", "-//Sukoon//Booking//EN"), ("METHOD", method)]
    {
        calendar.append_property(Property::new(key, value));
    }
    calendar.append_property(Property::new("X-WR-TIMEZONE", &booking.time_zone));
    let sessions = booking.sessions.iter().enumerate();
    for (number, session) in sessions.filter(|(index, _)| only.is_none_or(|only| only == *index)) {
        let starts_at = session.starts_at.as_ref().and_then(timestamp)?;
        let ends_at = session.ends_at.as_ref().and_then(timestamp)?;
        let uid = format!("{}-{number}@bookings.sukoon", booking.booking_id);
        let cancelled = session.cancelled || is_cancelled(view);
        let of = (number + 1, booking.sessions.len());
        let entry = Entry { uid: &uid, join, session, starts_at, ends_at, of, cancelled };
        calendar.push(event(practice, view, &entry));
    }
    Some(fold_lines(&calendar.to_string()))
}

/// The file name.
#[must_use]
pub(super) fn filename(practice: &Practice, view: &View) -> String {
    let first = view.booking.sessions.first().and_then(|s| s.starts_at.as_ref());
    match first.and_then(timestamp) {
        Some(start) => format!("session-{}.ics", start.in_zone(&practice.practice.zone).date()),
        None => "session.ics".to_owned(),
    }
}

/// One session in the file.
struct Entry<'e> {
    /// Never changes.
    uid: &'e str,
    /// Where it is joined, if it is online.
    join: &'e str,
    session: &'e wire::Session,
    starts_at: Timestamp,
    ends_at: Timestamp,
    /// Its number, and how many sessions the booking has.
    of: (usize, usize),
    /// Of a package, a session that was cancelled stands in the file of the others.
    cancelled: bool,
}

/// Two are between one move and the next, so that what is cancelled follows what was moved.
fn sequence(moves: i32, cancelled: bool, is_online: bool) -> u32 {
    let moves = u32::try_from(moves).unwrap_or(0).saturating_mul(2);
    moves.saturating_add(if cancelled { 2 } else { u32::from(is_online) })
}

fn event(practice: &Practice, view: &View, entry: &Entry<'_>) -> Event {
    let booking = &view.booking;
    let name = one_line(&practice.practice.name);
    let Entry { uid, join, session, starts_at, ends_at, of, cancelled } = *entry;
    let summary = match of {
        (_, 1) => format!("Session with {name}"),
        (number, sessions) => format!("Session {number} of {sessions} with {name}"),
    };
    let mut event = Event::with_uid(uid);
    if !cancelled {
        event.description(&description(practice, booking, session, join));
        event.alarm(alarm(&summary, uid, view.requested_at));
        set_location(&mut event, booking, join);
    }
    event
        .summary(&summary)
        .status(if cancelled { EventStatus::Cancelled } else { EventStatus::Confirmed })
        // A calendar replaces an event with the same UID if the sequence is higher.
        .sequence(sequence(session.moves, cancelled, booking.location.is_empty()))
        .add_property("DTSTAMP", utc(view.requested_at))
        .add_property("DTSTART", utc(starts_at))
        .add_property("DTEND", utc(ends_at));
    let organiser = format!("mailto:{}", practice.practice.email);
    // A quoted parameter value must not contain quotes.
    let quotable = name.replace('"', "'");
    let named = Parameter::new("CN", &quotable);
    event.append_property(Property::new("ORGANIZER", organiser).append_parameter(named).done());
    event.done()
}

/// Sets the page of a session online, or the location.
fn set_location(event: &mut Event, booking: &wire::Booking, join: &str) {
    if booking.location.is_empty() {
        event.location(join).url(join);
    } else {
        event.location(&one_line(&booking.location));
    }
}

/// All properties are set here, because the library would default to the system clock and a random
/// id.
fn alarm(summary: &str, uid: &str, stamp: Timestamp) -> Alarm {
    Alarm::display(summary, Trigger::before_start(Default::default()))
        .add_property("TRIGGER", format!("-PT{ALARM_MINUTES}M"))
        .add_property("DTSTAMP", utc(stamp))
        .add_property("UID", format!("alarm-{uid}"))
        .done()
}

fn description(
    practice: &Practice,
    booking: &wire::Booking,
    session: &wire::Session,
    join: &str,
) -> String {
    let early = practice.policies.join_early_minutes;
    let mut lines = vec![format!("Please be there {early} minutes early.")];
    if booking.location.is_empty() {
        lines.insert(0, format!("Join online: {join}"));
    } else {
        lines.push(one_line(&practice.location.directions));
    }
    if practice.has_several_practitioners() {
        lines.push(format!("With {}.", one_line(&booking.practitioner_name)));
    }
    lines.extend(refunds(practice, session));
    lines.push(format!("Questions? Write to {}.", practice.practice.email));
    lines.join("\n")
}

/// Until when how much goes back of a session that its client cancels, as the mails say it.
fn refunds(practice: &Practice, session: &wire::Session) -> Option<String> {
    let (zone, label) = (&practice.practice.zone, &practice.practice.zone_label);
    let steps = session.refund_steps.iter().filter_map(|step| {
        let (until, refund) = (timestamp(step.until_at.as_ref()?)?, money(step.refund.as_ref()?)?);
        let until = until.in_zone(zone).strftime("%A %-d %B %Y, %-I:%M %P");
        let given = practice_late(step.practice_late).and_then(PracticeLate::words);
        let given = given.map(|it| format!(" (if we cancel then: all of it, and {it})"));
        let given = given.unwrap_or_default();
        (refund.minor > 0).then(|| format!("until {until} {label} we refund {refund}{given}"))
    });
    let steps = steps.collect::<Vec<_>>().join(", ");
    (!steps.is_empty()).then(|| format!("If you cannot come: {steps}."))
}

/// Folds lines again (RFC 5545, 3.1): the library lets the last part of a long line be one octet
/// too long.
fn fold_lines(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    for line in text.replace("\r\n ", "").split_terminator("\r\n") {
        let mut octets = 0;
        for c in line.chars() {
            if octets + c.len_utf8() > LINE_OCTETS_MAX {
                // A continuation must not begin with a space: some calendars would drop it.
                let carried = if c == ' ' { all.pop() } else { None };
                all.push_str("\r\n ");
                all.extend(carried);
                octets = 1 + carried.map_or(0, char::len_utf8);
            }
            all.push(c);
            octets += c.len_utf8();
        }
        all.push_str("\r\n");
    }
    all
}

/// Replaces line breaks and other control characters by spaces. The library escapes line feeds in
/// texts, but neither carriage returns nor line breaks in parameters and links, with which a text
/// could inject lines into the file.
fn one_line(text: &str) -> String {
    let spaced: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// An instant in UTC, which every calendar shows in its owner's zone.
fn utc(instant: Timestamp) -> String {
    let rounded = instant.jiff().round(jiff::Unit::Second).unwrap_or(instant.jiff());
    rounded.strftime("%Y%m%dT%H%M%SZ").to_string()
}

pub(super) mod feed;

#[cfg(test)]
mod tests;
