//! Lengths of offers, quiet hours, and which times fit a wish.

use jiff::civil::{Weekday, date, time};
use jiff::tz::TimeZone;
use kernel::Timestamp;

use super::{Clock, DayPart, WaitingWish, freed};
use crate::domain::booking::Mode;
use crate::domain::span::Span;

fn zone() -> TimeZone {
    TimeZone::get("Asia/Kolkata").unwrap()
}

/// Of December 2026; the first is a Tuesday.
fn at(day: i8, hour: i8, minute: i8) -> Timestamp {
    let local = date(2026, 12, day).to_datetime(time(hour, minute, 0, 0));
    Timestamp::from_jiff(local.to_zoned(zone()).unwrap().timestamp())
}

fn clock(now: Timestamp) -> Clock {
    Clock { zone: zone(), now }
}

fn held(now: Timestamp, start: Timestamp, last: Timestamp) -> Option<Timestamp> {
    clock(now).held_until(start, last)
}

fn wish() -> WaitingWish {
    WaitingWish {
        service_id: "individual".to_owned(),
        practitioner_id: None,
        mode: Mode::Online,
        from: date(2026, 12, 1),
        until: date(2026, 12, 31),
        weekdays: Vec::new(),
        day_parts: Vec::new(),
        notice_minutes: 180,
        earlier_than: None,
    }
}

#[test]
fn a_time_is_held_for_two_hours_or_a_quarter_of_what_is_left_and_for_twenty_minutes_at_least() {
    let far = at(10, 11, 0);
    assert_eq!(held(at(1, 9, 0), far, far), Some(at(1, 11, 0)));
    assert_eq!(held(at(1, 9, 0), at(1, 13, 0), far), Some(at(1, 10, 0)));
    assert_eq!(held(at(1, 9, 0), at(1, 10, 0), far), Some(at(1, 9, 20)));
    assert_eq!(held(at(1, 9, 0), at(1, 10, 0), at(1, 9, 20)), Some(at(1, 9, 20)));
    assert_eq!(held(at(1, 9, 0), at(1, 10, 0), at(1, 9, 19)), None, "too late to be held");
}

#[test]
fn nothing_is_offered_at_night_and_the_clock_of_an_offer_stands_still() {
    let far = at(10, 11, 0);
    assert_eq!(clock(at(1, 20, 59)).quiet_until(), None);
    assert_eq!(clock(at(1, 21, 0)).quiet_until(), Some(at(2, 8, 0)));
    assert_eq!(clock(at(2, 7, 59)).quiet_until(), Some(at(2, 8, 0)));
    assert_eq!(clock(at(2, 8, 0)).quiet_until(), None);
    assert_eq!(held(at(1, 21, 0), far, far), None);
    assert_eq!(held(at(1, 19, 0), far, far), Some(at(1, 21, 0)));
    assert_eq!(held(at(1, 20, 30), far, far), Some(at(2, 9, 30)), "half an hour, then the rest");
    // The session's own start ends it during the night: what is left of the evening counts alone.
    assert_eq!(held(at(1, 20, 30), at(2, 8, 30), at(2, 7, 30)), Some(at(2, 7, 30)));
    assert_eq!(held(at(1, 20, 50), at(2, 8, 30), at(2, 7, 30)), None);
    assert_eq!(held(at(1, 20, 50), at(2, 12, 0), at(2, 8, 10)), Some(at(2, 8, 10)));
}

#[test]
fn a_wish_is_for_days_parts_and_people() {
    let now = clock(at(1, 9, 0));
    let fits = |wish: &WaitingWish, start| wish.fits("lead", start, &now);
    let any = wish();
    assert!(fits(&any, at(1, 12, 0)), "exactly the notice");
    assert!(!fits(&any, at(1, 11, 59)));
    assert!(!fits(&WaitingWish { until: date(2026, 12, 1), ..any.clone() }, at(2, 9, 0)));
    assert!(!fits(&WaitingWish { from: date(2026, 12, 3), ..any.clone() }, at(2, 9, 0)));
    let tuesdays = WaitingWish { weekdays: vec![Weekday::Tuesday], ..any.clone() };
    assert!(fits(&tuesdays, at(8, 9, 0)) && !fits(&tuesdays, at(9, 9, 0)));
    let parts = |start| {
        let fits = |part| fits(&WaitingWish { day_parts: vec![part], ..any.clone() }, start);
        [DayPart::Morning, DayPart::Afternoon, DayPart::Evening].map(fits)
    };
    assert_eq!(parts(at(2, 11, 59)), [true, false, false]);
    assert_eq!(parts(at(2, 12, 0)), [false, true, false]);
    assert_eq!(parts(at(2, 17, 0)), [false, false, true]);
    let other = WaitingWish { practitioner_id: Some("mira".to_owned()), ..any };
    assert!(other.fits("mira", at(2, 9, 0), &now) && !other.fits("lead", at(2, 9, 0), &now));
}

#[test]
fn what_is_offered_overlaps_what_was_freed() {
    let span = |from, to| Span::new(at(2, from, 0), at(2, to, 0)).unwrap();
    let free = [span(9, 10), span(10, 12), span(12, 13), span(13, 14)];
    assert_eq!(freed(free, &[span(11, 13)]), [span(10, 12), span(12, 13)]);
    assert_eq!(freed(free, &[]), [] as [Span; 0]);
}
