//! A practitioner's sessions as a calendar that other programs subscribe to. Like a booking's file
//! it never holds the service; it holds a client's name only where the practitioner wants it.

use icalendar::{
    Calendar, Component as _, Event, EventLike as _, EventStatus, Parameter, Property,
};
use practice::Practice;

use super::{fold_lines, one_line, utc};
use crate::read_model::calendar_feeds::{Feed, FeedSession};

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
    let mut calendar = Calendar::empty();
    let practice_name = one_line(&practice.practice.name);
    let name = match practice.has_several_practitioners() {
        true => {
            let practitioner = practice.name_of_practitioner(&feed.practitioner_id);
            format!("{practice_name}: {}", one_line(practitioner))
        }
        false => practice_name,
    };
    for (key, value) in [
        ("VERSION", "2.0"),
        ("PRODID", "-//Sukoon//Booking//EN"),
        ("METHOD", "PUBLISH"),
        ("X-WR-CALNAME", name.as_str()),
        ("X-PUBLISHED-TTL", REFRESH),
    ] {
        calendar.append_property(Property::new(key, value));
    }
    let duration = Parameter::new("VALUE", "DURATION");
    let refresh = Property::new("REFRESH-INTERVAL", REFRESH).append_parameter(duration).done();
    calendar.append_property(refresh);
    for session in sessions {
        calendar.push(event(practice, session));
    }
    let text = fold_lines(&calendar.to_string());
    match text.strip_suffix(END) {
        Some(head) if sessions.is_empty() => format!("{head}{ZONE}{END}"),
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
