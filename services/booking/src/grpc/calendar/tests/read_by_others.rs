//! Another library's parser finds in the files what was booked. The files are kept next to the
//! snapshots, where the website's tests read them with a third program
//! (`web/src/features/booking/shared/calendar-file.test.ts`).

use calcard::common::IanaString as _;
use calcard::icalendar::{
    ICalendar, ICalendarComponent, ICalendarComponentType, ICalendarParameterName,
    ICalendarParameterValue, ICalendarProperty, ICalendarValue, Uri,
};
use calcard::{Entry, Parser};
use contract::booking::v1::BookingState;
use jiff::Timestamp;
use practice::Practice;
use serde::Deserialize;

use super::{JOIN, ROOM, practice, view};
use crate::grpc::calendar::{cancellation, file};
use crate::read_model::view::View;

/// What was booked, in the order of [`cases`].
const BOOKED: &str = include_str!("../booked.json");

/// What a calendar reads of a session.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    file: String,
    method: String,
    uid: String,
    sequence: i64,
    status: String,
    summary: String,
    start: Timestamp,
    end: Timestamp,
    stamp: Timestamp,
    zone: String,
    location: Option<String>,
    url: Option<String>,
    description: Option<String>,
    organizer: String,
    organizer_name: String,
    alarm_seconds: Option<i64>,
}

fn cases() -> Vec<(&'static str, String)> {
    let place = "Sukoon, Arera Colony, Bhopal";
    let long = format!("https://meet.example.org/{}?pwd=a,b;c&x=1", "x".repeat(180));
    let mut native = practice();
    native.practice.name = "सुकून ध्यान केन्द्र, भोपाल – मन की शांति 🕊 के लिए; सबके लिए".to_owned();
    let mut hostile = practice();
    hostile.practice.name =
        "Su\"koon\r\nATTENDEE:mailto:eve@example.org\nEND:VEVENT\u{7}".to_owned();
    hostile.location.directions =
        "Turn left\\n, then; \"right\"\r\nURL:https://eve.example\t.".to_owned();
    let paid = BookingState::Confirmed;
    let write = |practice: &Practice, view: &View| file(practice, view, JOIN).unwrap();
    let online = view(BookingState::MeetingScheduled, ROOM, "");
    vec![
        ("online", write(&practice(), &online)),
        ("in_person", write(&practice(), &view(paid, "", place))),
        ("cancelled", cancellation(&practice(), &view(BookingState::Cancelled, ROOM, "")).unwrap()),
        ("long", file(&native, &online, &long).unwrap()),
        ("hostile", write(&hostile, &view(paid, "", "Room \\2; \"3\", रोशनपुरा\r\nEND:VCALENDAR"))),
    ]
}

#[test]
fn another_parser_finds_what_was_booked() {
    let booked: Vec<Said> = serde_json::from_str(BOOKED).unwrap();
    let cases = cases();
    assert_eq!(booked.len(), cases.len());
    for (booked, (name, text)) in booked.into_iter().zip(cases) {
        assert_eq!(read(name, &text), booked);
    }
}

#[test]
fn the_files_that_others_read_are_what_is_written() {
    for (name, text) in cases() {
        insta::assert_binary_snapshot!(&format!("{name}.ics"), text.into_bytes());
    }
}

#[test]
fn every_line_ends_and_is_folded_between_characters() {
    for (name, text) in cases() {
        assert!(!text.replace("\r\n", "").contains(['\r', '\n']), "{name}");
        for line in text.split("\r\n") {
            assert!(line.len() <= 75, "{name}: {line}");
        }
        let unfolded = text.replace("\r\n ", "");
        let opened = unfolded.lines().filter(|line| line.starts_with("BEGIN:")).count();
        let closed = unfolded.lines().filter(|line| line.starts_with("END:")).count();
        assert_eq!((opened, closed), if name == "cancelled" { (2, 2) } else { (3, 3) }, "{name}");
    }
}

#[test]
fn lines_of_any_length_are_folded() {
    for length in 1..=320 {
        let page = format!("https://sukoon.example/{}", "y".repeat(length));
        let mut practice = practice();
        practice.practice.name = "ध्यान,".repeat(length / 8);
        let text = file(&practice, &view(BookingState::Confirmed, "", ""), &page).unwrap();
        let longest = text.split("\r\n").map(str::len).max();
        assert!(longest <= Some(75), "{length}: {longest:?}");
        let said = read("any", &text);
        assert_eq!((said.url.as_deref(), said.location), (Some(&*page), Some(page.clone())));
        assert_eq!(said.organizer_name, practice.practice.name.trim());
    }
}

/// Parses a file strictly: it holds one calendar and nothing else.
fn read(name: &str, text: &str) -> Said {
    let mut parser = Parser::new(text);
    let Entry::ICalendar(calendar) = parser.entry() else { panic!("{name} is no calendar") };
    assert_eq!(parser.entry(), Entry::Eof, "{name} has more than a calendar");
    let root = only(&calendar, &ICalendarComponentType::VCalendar);
    let event = only(&calendar, &ICalendarComponentType::VEvent);
    let alarm = calendar
        .components
        .iter()
        .find(|component| component.component_type == ICalendarComponentType::VAlarm);
    let said = |property| text_of(event, &property);
    Said {
        file: name.to_owned(),
        method: text_of(root, &ICalendarProperty::Method).unwrap(),
        uid: event.uid().unwrap().to_owned(),
        sequence: number(event, &ICalendarProperty::Sequence),
        status: said(ICalendarProperty::Status).unwrap(),
        summary: said(ICalendarProperty::Summary).unwrap(),
        start: instant(event, &ICalendarProperty::Dtstart),
        end: instant(event, &ICalendarProperty::Dtend),
        stamp: instant(event, &ICalendarProperty::Dtstamp),
        zone: text_of(root, &ICalendarProperty::Other("X-WR-TIMEZONE".to_owned())).unwrap(),
        location: said(ICalendarProperty::Location),
        url: said(ICalendarProperty::Url),
        description: said(ICalendarProperty::Description),
        organizer: said(ICalendarProperty::Organizer).unwrap(),
        organizer_name: organizer_name(event),
        alarm_seconds: alarm.map(seconds_before),
    }
}

fn only<'c>(calendar: &'c ICalendar, kind: &ICalendarComponentType) -> &'c ICalendarComponent {
    let mut found = calendar.components.iter().filter(|it| it.component_type == *kind);
    let first = found.next().unwrap();
    assert!(found.next().is_none(), "more than one {kind:?}");
    first
}

fn value<'c>(
    component: &'c ICalendarComponent,
    property: &ICalendarProperty,
) -> Option<&'c ICalendarValue> {
    let mut found = component.entries.iter().filter(|entry| entry.name == *property);
    let first = found.next()?;
    assert!(found.next().is_none(), "{property:?} is said twice");
    assert_eq!(first.values.len(), 1, "{property:?} has several values");
    first.values.first()
}

fn text_of(component: &ICalendarComponent, property: &ICalendarProperty) -> Option<String> {
    let text = match value(component, property)? {
        ICalendarValue::Text(text) | ICalendarValue::Uri(Uri::Location(text)) => text.as_str(),
        ICalendarValue::Method(method) => method.as_str(),
        ICalendarValue::Status(status) => status.as_str(),
        other => panic!("{property:?} is {other:?}"),
    };
    Some(text.to_owned())
}

fn number(component: &ICalendarComponent, property: &ICalendarProperty) -> i64 {
    match value(component, property) {
        Some(ICalendarValue::Integer(number)) => *number,
        other => panic!("{property:?} is {other:?}"),
    }
}

fn instant(component: &ICalendarComponent, property: &ICalendarProperty) -> Timestamp {
    match value(component, property) {
        Some(ICalendarValue::PartialDateTime(time)) => {
            assert_eq!(
                (time.tz_hour, time.tz_minute),
                (Some(0), Some(0)),
                "{property:?} is in UTC"
            );
            Timestamp::from_second(time.to_timestamp().unwrap()).unwrap()
        }
        other => panic!("{property:?} is {other:?}"),
    }
}

fn organizer_name(event: &ICalendarComponent) -> String {
    let organizer = event.property(&ICalendarProperty::Organizer).unwrap();
    let name = organizer.params.iter().find(|it| it.name == ICalendarParameterName::Cn);
    match name.map(|it| &it.value) {
        Some(ICalendarParameterValue::Text(name)) => name.clone(),
        other => panic!("the organiser's name is {other:?}"),
    }
}

fn seconds_before(alarm: &ICalendarComponent) -> i64 {
    match value(alarm, &ICalendarProperty::Trigger) {
        Some(ICalendarValue::Duration(duration)) => -duration.as_seconds(),
        other => panic!("the alarm goes off at {other:?}"),
    }
}
