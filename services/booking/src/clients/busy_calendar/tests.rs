//! More than two hundred calendars as programs export them, with the busy times that a person reads
//! in them. Each family is a list of cases in a file of its own.

mod broken;
mod exporters;
mod invitations;
mod recurrence;
mod sieved;
mod zones;

use std::collections::BTreeSet;

use jiff::tz::TimeZone;
use kernel::Timestamp;
use proptest::prelude::*;

use super::{BusyReader, BusyTimes, Sieve, Unreadable, named_bookings};
use crate::domain::span::Span;

/// A booking of this practice.
const OUR_BOOKING: &str = "bkg_019340000000700080000000000000ab";

/// What is read of a calendar.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Expected {
    /// These times, each from a local time in a zone for so many minutes.
    Busy(Vec<(String, i64)>),
    /// The same, with so many events that are not understood.
    Odd(Vec<(String, i64)>, usize),
    /// Nothing: the calendar cannot be used.
    Fails(Unreadable),
}

/// A calendar and what is read of it.
#[derive(Debug, Clone)]
struct Case {
    name: String,
    text: String,
    expected: Expected,
}

fn case(name: impl Into<String>, text: impl Into<String>, expected: Expected) -> Case {
    Case { name: name.into(), text: text.into(), expected }
}

/// These times of an hour each.
fn hours(starts: &[&str]) -> Expected {
    Expected::Busy(starts.iter().map(|start| ((*start).to_owned(), 60)).collect())
}

/// One time.
fn one(start: &str, minutes: i64) -> Expected {
    Expected::Busy(vec![(start.to_owned(), minutes)])
}

fn free() -> Expected {
    Expected::Busy(Vec::new())
}

/// A calendar file of these lines.
fn file(body: &str) -> String {
    let mut text = "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//Odd//EN\n".to_owned();
    text.extend(body.lines().map(|line| format!("{}\n", line.trim_start_matches('|'))));
    text.push_str("END:VCALENDAR\n");
    text.replace('\n', "\r\n")
}

/// A calendar file with one event of these lines.
fn event(lines: &str) -> String {
    file(&one_event("a@odd.example", lines))
}

fn one_event(uid: &str, lines: &str) -> String {
    let lines: Vec<&str> = lines.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    format!("BEGIN:VEVENT\nUID:{uid}\nDTSTAMP:20260101T000000Z\n{}\nEND:VEVENT\n", lines.join("\n"))
}

fn kolkata() -> TimeZone {
    TimeZone::get("Asia/Kolkata").unwrap()
}

/// The year 2026.
fn window() -> Span {
    let instant = |text: &str| text.parse::<Timestamp>().unwrap();
    Span::new(instant("2026-01-01T00:00:00Z"), instant("2027-01-01T00:00:00Z")).unwrap()
}

/// What is kept of a file that arrives in small pieces.
fn sieved(text: &str) -> String {
    let mut sieve = Sieve::new(window().starts_at());
    for piece in text.as_bytes().chunks(7) {
        sieve.take(piece).unwrap();
    }
    sieve.finish().unwrap()
}

fn read(text: &str) -> Result<BusyTimes, Unreadable> {
    let zone = kolkata();
    let owner = ["mailto:Ravi@Example.org".to_owned()];
    let reader = BusyReader::new(window(), &zone).invited_as(&owner);
    let mut reader = reader.without_sessions_of(BTreeSet::from([OUR_BOOKING.parse().unwrap()]));
    reader.read(&sieved(text))?;
    reader.finish()
}

fn spans(times: &[(String, i64)]) -> Vec<Span> {
    let span = |(start, minutes): &(String, i64)| {
        let start: jiff::Zoned = start.parse().unwrap_or_else(|_| panic!("{start}"));
        let start = Timestamp::from_jiff(start.timestamp());
        Span::new(start, start.plus_minutes(*minutes)).unwrap()
    };
    times.iter().map(span).collect()
}

fn all() -> Vec<Case> {
    [exporters::cases(), zones::cases(), recurrence::cases(), broken::cases(), invitations::cases()]
        .concat()
}

#[test]
fn odd_calendars_are_read_as_a_person_reads_them() {
    let all = all();
    assert!(all.len() >= 200, "{} calendars", all.len());
    let mut wrong = Vec::new();
    for Case { name, text, expected } in all {
        let got = read(&text);
        let good = match (&expected, &got) {
            (Expected::Busy(times), Ok(got)) => got.spans == spans(times) && got.odd_events == 0,
            (Expected::Odd(times, odd), Ok(got)) => {
                got.spans == spans(times) && got.odd_events == *odd
            }
            (Expected::Fails(why), Err(got)) => got == why,
            _ => false,
        };
        if !good {
            wrong.push(format!("{name}:\n  expected {expected:?}\n  got {got:?}\n"));
        }
    }
    assert!(wrong.is_empty(), "{} calendars are read wrongly:\n{}", wrong.len(), wrong.join(""));
}

#[test]
fn a_calendar_that_is_cut_off_anywhere_is_never_taken_for_a_whole_one() {
    let whole = file(&one_event("a@x", "DTSTART:20260715T043000Z\nDTEND:20260715T053000Z"));
    assert_eq!(read(&whole).unwrap().spans.len(), 1);
    let end = whole.trim_end().len();
    for length in 0..end {
        assert!(read(&whole[..length]).is_err(), "{}", &whole[..length]);
    }
}

#[test]
fn several_calendars_of_a_source_are_one_list() {
    let zone = kolkata();
    let mut reader = BusyReader::new(window(), &zone);
    reader.read(&event("DTSTART:20260715T043000Z\nDTEND:20260715T053000Z")).unwrap();
    reader.read(&event("DTSTART:20260715T053000Z\nDTEND:20260715T060000Z")).unwrap();
    reader.read(&event("DTSTART:20260715T070000Z\nDTEND:20260715T080000Z")).unwrap();
    let busy = reader.finish().unwrap();
    let expected = [("2026-07-15T10:00[Asia/Kolkata]", 90), ("2026-07-15T12:30[Asia/Kolkata]", 60)];
    assert_eq!(busy.spans, spans(&expected.map(|(start, minutes)| (start.to_owned(), minutes))));
    assert_eq!((busy.events, busy.odd_events), (3, 0));
}

#[test]
fn a_file_names_the_bookings_of_its_sessions() {
    let text = file(
        &[
            one_event(&format!("{OUR_BOOKING}-0@bookings.sukoon"), ""),
            one_event(&format!("{OUR_BOOKING}-1@bookings.sukoon"), ""),
            one_event("bkg_x-0@bookings.sukoon", ""),
            one_event(OUR_BOOKING, ""),
        ]
        .concat(),
    );
    let named: Vec<String> = named_bookings(&text).iter().map(ToString::to_string).collect();
    assert_eq!(named, [OUR_BOOKING]);
}

/// Lines of which a calendar may be made, good and bad.
const LINES: &[&str] = &[
    "BEGIN:VEVENT",
    "END:VEVENT",
    "BEGIN:VTIMEZONE",
    "END:VTIMEZONE",
    "BEGIN:STANDARD",
    "END:STANDARD",
    "BEGIN:VALARM",
    "END:VALARM",
    "UID:a",
    "UID:b",
    "DTSTART:20260715T043000Z",
    "DTSTART;VALUE=DATE:20260715",
    "DTSTART;TZID=Nowhere:20260715T100000",
    "DTEND:19000101",
    "DTEND;VALUE=DATE:20260716",
    "DURATION:PT1H",
    "DURATION:-P1000000D",
    "DURATION:P9999999W",
    "RRULE:FREQ=DAILY",
    "RRULE:FREQ=WEEKLY;BYDAY=MO,TU;WKST=SU",
    "RRULE:FREQ=YEARLY;BYWEEKNO=53",
    "RRULE:FREQ=MONTHLY;BYSETPOS=-1;BYDAY=MO",
    "RRULE:FREQ=HOURLY;INTERVAL=65535",
    "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
    "RRULE:FREQ=DAILY;COUNT=0;INTERVAL=0",
    "EXDATE:20260716T043000Z",
    "EXDATE;VALUE=DATE:20260717",
    "RDATE;VALUE=PERIOD:20260801/PT1H",
    "RECURRENCE-ID:20260716T043000Z",
    "RECURRENCE-ID;RANGE=THISANDFUTURE:20260718T043000Z",
    "TZID:Nowhere",
    "TZOFFSETTO:+9999",
    "TZOFFSETFROM:x",
    "DTSTART:99991231T235959",
    "DTSTART:00000000T000000",
    "SEQUENCE:99999999999999999999",
    "STATUS:CANCELLED",
    "TRANSP:TRANSPARENT",
    "X-WR-TIMEZONE:Europe/Berlin",
    "FREEBUSY:20260801T000000Z/PT1H",
    " fold",
    ":",
    ";",
    "=",
    "DTSTART",
    "ATTACH;VALUE=BINARY;ENCODING=BASE64:////",
    "\u{feff}",
    "\"",
];

proptest! {
    /// Whatever a file says, reading it ends, and what is closed is in the window and in order.
    #[test]
    fn no_calendar_breaks_the_reader(
        picked in proptest::collection::vec(0..LINES.len(), 0..40),
        cut in 0_usize..80,
        replaced in any::<u8>(),
    ) {
        let lines: Vec<&str> = picked.iter().map(|number| LINES[*number]).collect();
        let mut bytes = lines.join("\r\n").into_bytes();
        if let Some(byte) = bytes.get_mut(cut) {
            *byte = replaced;
        }
        let text = format!(
            "BEGIN:VCALENDAR\r\n{}\r\nEND:VCALENDAR\r\n", String::from_utf8_lossy(&bytes)
        );
        if let Ok(busy) = read(&text) {
            for pair in busy.spans.windows(2) {
                prop_assert!(pair[0].ends_at() < pair[1].starts_at());
            }
            for span in &busy.spans {
                prop_assert!(window().starts_at() <= span.starts_at());
                prop_assert!(span.ends_at() <= window().ends_at());
            }
        }
    }
}
