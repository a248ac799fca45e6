//! Of a calendar of many years only what is not over is kept.

use super::{Sieve, event, file, one_event, read, sieved, spans, window};
use crate::clients::busy_calendar::TooLarge;

#[test]
fn a_calendar_of_many_years_is_as_large_as_its_times_to_come() {
    let long = format!("DESCRIPTION:{}\n{}", "agenda ".repeat(500), " folded words\n".repeat(200));
    let past = (0..3_000).map(|number| {
        let lines = format!("DTSTART:20190715T043000Z\nDTEND:20190715T053000Z\n{long}");
        one_event(&format!("past-{number}"), &lines).replace("\nfolded", "\n folded")
    });
    let next = one_event("next", "DTSTART:20260715T043000Z\nDTEND:20260715T053000Z");
    let text = file(&past.chain([next]).collect::<String>());
    assert!(text.len() > 15_000_000, "{}", text.len());
    let busy = read(&text).unwrap();
    assert_eq!((busy.spans.len(), busy.events, busy.odd_events), (1, 1, 0));
    assert!(sieved(&text).len() < 500);
}

#[test]
fn only_what_is_certainly_over_is_passed_over() {
    for (lines, is_kept) in [
        ("DTSTART:20251220T100000Z\nDTEND:20251220T110000Z", false),
        ("DTSTART:20251220T100000Z", false),
        ("DTSTART:20251220T100000Z\nDURATION:PT1H", false),
        ("DTSTART;VALUE=DATE:20251220\nDTEND;VALUE=DATE:20251223", false),
        ("DTSTART;TZID=\"tzone://Microsoft/Utc\":20251220T100000", false),
        ("DTSTART:20130101T100000Z\nRRULE:FREQ=WEEKLY;UNTIL=20251220T000000Z", false),
        ("DTSTART:20251201T100000Z\nRECURRENCE-ID:20251202T100000Z", false),
        ("DTSTART:20251201T100000Z\nBEGIN:VALARM\nDTSTART:20270101T000000Z\nEND:VALARM", false),
        // These reach into the window, or may.
        ("DTSTART:20251231T230000Z\nDTEND:20260101T110000Z", true),
        ("DTSTART;TZID=Pacific/Honolulu:20251230T230000\nDURATION:PT1H", true),
        ("DTSTART:20251201T100000Z\nDURATION:P5W", true),
        ("DTSTART:20251201T100000Z\nDTEND:20260201T100000Z", true),
        ("DTSTART:20130101T100000Z\nRRULE:FREQ=WEEKLY", true),
        ("DTSTART:20130101T100000Z\nRRULE:FREQ=WEEKLY;COUNT=10", true),
        ("DTSTART:20130101T100000Z\nRRULE:FREQ=WEEKLY;UNTIL=20260201T000000Z", true),
        ("DTSTART:20130101T100000Z\nRDATE:20260201T100000Z", true),
        ("DTSTART:20251201T100000Z\nRECURRENCE-ID:20260202T100000Z", true),
        ("DTSTART:20260201T100000Z\nRECURRENCE-ID:20251202T100000Z", true),
        ("DTSTART:20251201T100000Z\nRECURRENCE-ID;RANGE=THISANDFUTURE:20251202T100000Z", true),
        ("DTSTART:tomorrow", true),
        ("SUMMARY:nothing else", true),
    ] {
        let text = event(lines);
        let expected = if is_kept { text.clone() } else { file("") };
        assert_eq!(sieved(&text), expected, "{lines}");
    }
}

/// Programs fold a long text anywhere, also before a word that looks like a mark. Were the event
/// over there, the rest of it would end the calendar, and what is behind it lose its zone.
#[test]
fn a_text_that_goes_on_is_no_mark() {
    for word in ["END: at noon", "Begin: at ten", "END:VEVENT", "BEGIN:VEVENT"] {
        let talk = format!(
            "DTSTART:20190715T043000Z\nDTEND:20190715T053000Z\nSUMMARY:A talk of an hour,\n| {word}"
        );
        let next = one_event("next", "DTSTART:20260715T100000\nDURATION:PT1H");
        let past = one_event("past", &talk);
        let text = file(&format!("X-WR-TIMEZONE:Europe/Berlin\n{past}{next}"));
        let expected = spans(&[("2026-07-15T10:00[Europe/Berlin]".to_owned(), 60)]);
        assert_eq!(read(&text).unwrap().spans, expected, "{word}");
        assert!(!sieved(&text).contains("2019"), "{word}");
    }
}

#[test]
fn a_file_without_an_end_of_line_is_given_up() {
    let mut sieve = Sieve::new(window().starts_at());
    let piece = [b'x'; 1_000];
    let taken = (0..100).find_map(|_| sieve.take(&piece).err());
    assert_eq!(taken, Some(TooLarge));
    // A picture in one line is passed over like any other.
    let attached =
        format!("ATTACH;ENCODING=BASE64:{}\nDTSTART:20260715T043000Z", "A".repeat(900_000));
    assert_eq!(read(&event(&attached)).unwrap().events, 1);
}
