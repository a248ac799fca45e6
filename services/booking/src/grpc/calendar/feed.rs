//! A practitioner's sessions as a calendar that other programs subscribe to, and a client's. Like a
//! booking's file that of a practitioner never holds the service; it holds a client's name only
//! where the practitioner wants it.

use icalendar::{
    Calendar, Component as _, Event, EventLike as _, EventStatus, Parameter, Property,
};
use practice::Practice;

use super::{fold_lines, one_line, utc};
use crate::read_model::calendar_feeds::{Feed, FeedSession};
use crate::read_model::own_calendars::{OwnCalendar, OwnSession};

/// How often programs should read it again, as a duration of RFC 5545.
const REFRESH: &str = "PT15M";
/// The number of digits of the reference that people read.
const REFERENCE_DIGITS: usize = 8;
/// The last line.
const END: &str = "END:VCALENDAR\r\n";
/// What a calendar without sessions has: it must have one component (RFC 5545, 3.6), and programs
/// that check it would refuse the address of a practitioner who has no session yet.
const ZONE: &str = "BEGIN:VTIMEZONE\r\nTZID:UTC\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\n\
                    TZOFFSETFROM:+0000\r\nTZOFFSETTO:+0000\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n";

/// The calendar. The same sessions always give the same text.
#[must_use]
pub(in crate::grpc) fn calendar(
    practice: &Practice,
    feed: &Feed,
    sessions: &[FeedSession],
) -> String {
    let practice_name = one_line(&practice.practice.name);
    let name = match practice.has_several_practitioners() {
        true => {
            let practitioner = practice.name_of_practitioner(&feed.practitioner_id);
            format!("{practice_name}: {}", one_line(practitioner))
        }
        false => practice_name,
    };
    written(&name, sessions.iter().map(|session| event(practice, session)))
}

/// The calendar of a client's own sessions; neutral, unless the client chose details.
#[must_use]
pub(in crate::grpc) fn own_calendar(
    practice: &Practice,
    own: OwnCalendar,
    sessions: &[OwnSession],
) -> String {
    let name = if own.details { one_line(&practice.practice.name) } else { "Sessions".to_owned() };
    written(&name, sessions.iter().map(|session| own_event(practice, own, session)))
}

fn own_event(practice: &Practice, own: OwnCalendar, session: &OwnSession) -> Event {
    let OwnSession { booking_id, number, span, .. } = session;
    let mut event = Event::with_uid(&format!("{booking_id}-{number}@bookings.sukoon"));
    if session.moves > 0 {
        event.sequence(session.moves);
    }
    if own.details {
        let with = practice.name_of_practitioner(&session.practitioner_id);
        let place = if session.in_person { practice.location.name.as_str() } else { "Online" };
        event
            .summary(&format!("{} with {}", one_line(&session.service_title), one_line(with)))
            .location(&one_line(place));
    } else {
        event.summary("Session");
    }
    event
        .status(EventStatus::Confirmed)
        .add_property("DTSTAMP", utc(session.requested_at))
        .add_property("DTSTART", utc(span.starts_at()))
        .add_property("DTEND", utc(span.ends_at()))
        .done()
}

/// A calendar of this name.
fn written(name: &str, events: impl Iterator<Item = Event>) -> String {
    let mut calendar = Calendar::empty();
    for (key, value) in [
        ("VERSION", "2.0"),
        ("PRODID", "-//Sukoon//Booking//EN"),
        ("METHOD", "PUBLISH"),
        ("X-WR-CALNAME", name),
        ("X-PUBLISHED-TTL", REFRESH),
    ] {
        calendar.append_property(Property::new(key, value));
    }
    let duration = Parameter::new("VALUE", "DURATION");
    let refresh = Property::new("REFRESH-INTERVAL", REFRESH).append_parameter(duration).done();
    calendar.append_property(refresh);
    let mut is_empty = true;
    for event in events {
        is_empty = false;
        calendar.push(event);
    }
    let text = fold_lines(&calendar.to_string());
    match text.strip_suffix(END) {
        Some(head) if is_empty => format!("{head}{ZONE}{END}"),
        _ => text,
    }
}

fn event(practice: &Practice, session: &FeedSession) -> Event {
    let FeedSession { booking_id, number, span, .. } = session;
    let mut event = Event::with_uid(&format!("{booking_id}-{number}@bookings.sukoon"));
    let summary = match &session.client_name {
        Some(client_name) => format!("Session with {}", one_line(client_name)),
        None => "Session".to_owned(),
    };
    let location =
        if session.in_person { one_line(&practice.location.name) } else { "Online".into() };
    let id = booking_id.to_string();
    let digits = id.get(id.len().saturating_sub(REFERENCE_DIGITS)..).unwrap_or_default();
    // A program takes an event again whose sequence is higher.
    if session.moves > 0 {
        event.sequence(session.moves);
    }
    event
        .summary(&summary)
        .location(&location)
        .description(&format!("Booking {}", digits.to_uppercase()))
        .status(EventStatus::Confirmed)
        .add_property("DTSTAMP", utc(session.requested_at))
        .add_property("DTSTART", utc(span.starts_at()))
        .add_property("DTEND", utc(span.ends_at()))
        .done()
}
