//! Which times are offered, with the demonstration practice's hours and others.

use std::collections::BTreeSet;

use jiff::civil::{Date, Time, Weekday, date, time};
use jiff::tz::TimeZone;
use kernel::Timestamp;
use practice::{Availability, BlockedTime};
use proptest::prelude::*;

use super::{NotBookable, Rules};
use crate::domain::span::Span;

/// Every day of the week, hourly from eleven to five, as the demonstration practice works.
fn rules() -> Rules {
    Rules {
        zone: TimeZone::get("Asia/Kolkata").unwrap(),
        hours: Availability {
            weekdays: vec![
                Weekday::Monday,
                Weekday::Tuesday,
                Weekday::Wednesday,
                Weekday::Thursday,
                Weekday::Friday,
                Weekday::Saturday,
                Weekday::Sunday,
            ],
            first_start: time(11, 0, 0, 0),
            last_start: time(17, 0, 0, 0),
            step_minutes: 60,
            notice_minutes: 15,
            horizon_days: 60,
            closed_dates: BTreeSet::new(),
            blocked_times: Vec::new(),
        },
    }
}

const DAY: Date = date(2026, 11, 24);

/// A wall-clock time of `DAY` in the practice's zone.
fn on(rules: &Rules, day: Date, hour: i8, minute: i8) -> Timestamp {
    let zoned = day.at(hour, minute, 0, 0).to_zoned(rules.zone.clone()).unwrap();
    Timestamp::from_jiff(zoned.timestamp())
}

fn session(rules: &Rules, hour: i8, minutes: i64) -> Span {
    let start = on(rules, DAY, hour, 0);
    Span::new(start, start.plus_minutes(minutes)).unwrap()
}

/// Each shown start as its hour and whether it can be chosen.
fn shown(rules: &Rules, minutes: i32, taken: &[Span], now: Timestamp) -> Vec<(i8, bool)> {
    let slots = rules.slots(DAY, minutes, taken, now);
    slots
        .iter()
        .map(|slot| (slot.span.starts_at().in_zone(&rules.zone).hour(), slot.available))
        .collect()
}

fn hours(all: [(i8, bool); 7]) -> Vec<(i8, bool)> {
    all.to_vec()
}

#[test]
fn a_free_day_offers_every_hour_from_eleven_to_five() {
    let rules = rules();
    let now = on(&rules, date(2026, 11, 20), 9, 0);
    let free = [11, 12, 13, 14, 15, 16, 17].map(|hour| (hour, true));
    assert_eq!(shown(&rules, 60, &[], now), hours(free));
    assert!(rules.slots(DAY, 0, &[], now).is_empty());
}

#[test]
fn a_start_is_free_only_if_the_whole_session_fits_before_the_next_one() {
    let rules = rules();
    let now = on(&rules, date(2026, 11, 20), 9, 0);
    let taken = [session(&rules, 13, 60)];
    // An hour fits exactly before one o'clock, ninety minutes do not.
    let an_hour = [11, 12, 13, 14, 15, 16, 17].map(|hour| (hour, hour != 13));
    assert_eq!(shown(&rules, 60, &taken, now), hours(an_hour));
    let longer = [11, 12, 13, 14, 15, 16, 17].map(|hour| (hour, hour != 12 && hour != 13));
    assert_eq!(shown(&rules, 90, &taken, now), hours(longer));
    // Ninety minutes at one reach into the hour that begins at two.
    let taken = [session(&rules, 13, 90)];
    let behind = [11, 12, 13, 14, 15, 16, 17].map(|hour| (hour, hour != 13 && hour != 14));
    assert_eq!(shown(&rules, 60, &taken, now), hours(behind));
}

#[test]
fn past_starts_and_those_within_the_notice_are_not_shown() {
    let rules = rules();
    let shown = |hour, minute| {
        let slots = rules.slots(DAY, 60, &[], on(&rules, DAY, hour, minute));
        slots.first().map(|slot| slot.span.starts_at().in_zone(&rules.zone).hour())
    };
    assert_eq!(shown(10, 45), Some(11));
    assert_eq!(shown(10, 46), Some(12));
    assert_eq!(shown(16, 50), None);
}

#[test]
fn closed_days_and_days_beyond_the_horizon_have_none() {
    let mut rules = rules();
    let now = on(&rules, date(2026, 11, 20), 9, 0);
    rules.hours.closed_dates.insert(DAY);
    assert!(!rules.is_open(DAY));
    assert!(rules.slots(DAY, 60, &[], now).is_empty());
    rules.hours.closed_dates.clear();
    rules.hours.weekdays.retain(|day| *day != DAY.weekday());
    assert!(!rules.is_open(DAY));
    assert!(rules.slots(DAY, 60, &[], now).is_empty());
    rules.hours.weekdays.push(DAY.weekday());
    assert_eq!(rules.last_date(now), date(2027, 1, 19));
    assert_eq!(rules.slots(date(2027, 1, 19), 60, &[], now).len(), 7);
    assert!(rules.slots(date(2027, 1, 20), 60, &[], now).is_empty());
}

#[test]
fn blocked_times_are_shown_as_taken_and_not_offered() {
    let mut rules = rules();
    let now = on(&rules, date(2026, 11, 20), 9, 0);
    rules.hours.blocked_times.push(BlockedTime {
        date: DAY,
        from: time(13, 30, 0, 0),
        to: time(15, 0, 0, 0),
    });
    let open = [11, 12, 13, 14, 15, 16, 17].map(|hour| (hour, hour != 13 && hour != 14));
    assert_eq!(shown(&rules, 60, &[], now), hours(open));
    let refused = rules.offer(on(&rules, DAY, 14, 0), 60, &[], now);
    assert_eq!(refused, Err(NotBookable::NotOffered));
}

#[test]
fn nothing_crosses_midnight() {
    let mut rules = rules();
    rules.hours.last_start = time(23, 0, 0, 0);
    let now = on(&rules, date(2026, 11, 20), 9, 0);
    let last = |minutes| {
        let slots = rules.slots(DAY, minutes, &[], now);
        slots.last().map(|slot| slot.span.starts_at().in_zone(&rules.zone).hour())
    };
    assert_eq!(last(60), Some(23));
    assert_eq!(last(61), Some(22));
    assert_eq!(last(90), Some(22));
}

#[test]
fn a_booking_is_refused_for_what_the_list_does_not_offer() {
    let rules = rules();
    let now = on(&rules, DAY, 10, 0);
    let offer = |start, taken: &[Span]| rules.offer(start, 60, taken, now);
    let eleven = on(&rules, DAY, 11, 0);
    assert_eq!(offer(eleven, &[]), Ok(session(&rules, 11, 60)));
    assert_eq!(offer(eleven, &[session(&rules, 11, 60)]), Err(NotBookable::Taken));
    assert_eq!(offer(on(&rules, DAY, 9, 0), &[]), Err(NotBookable::Past));
    assert_eq!(offer(on(&rules, DAY, 11, 30), &[]), Err(NotBookable::NotOffered));
    assert_eq!(offer(on(&rules, DAY, 18, 0), &[]), Err(NotBookable::NotOffered));
    assert_eq!(offer(eleven.plus_seconds(1), &[]), Err(NotBookable::NotOffered));
    assert_eq!(offer(on(&rules, date(2027, 3, 1), 11, 0), &[]), Err(NotBookable::NotOffered));
}

#[test]
fn hours_skipped_by_the_zone_are_not_offered() {
    let mut rules = rules();
    rules.zone = TimeZone::get("Europe/Berlin").unwrap();
    rules.hours.first_start = time(1, 0, 0, 0);
    rules.hours.last_start = time(4, 0, 0, 0);
    let spring = date(2027, 3, 28);
    let now = on(&rules, date(2027, 3, 20), 9, 0);
    let hours: Vec<i8> = rules
        .slots(spring, 60, &[], now)
        .iter()
        .map(|slot| slot.span.starts_at().in_zone(&rules.zone).hour())
        .collect();
    assert_eq!(hours, [1, 3, 4]);
}

#[test]
fn the_next_free_start_is_found_across_days() {
    let rules = rules();
    let now = on(&rules, DAY, 16, 30);
    let five = session(&rules, 17, 60);
    assert_eq!(rules.next_free(60, &[], now), Some(five.starts_at()));
    let tomorrow = on(&rules, date(2026, 11, 25), 11, 0);
    assert_eq!(rules.next_free(60, &[five], now), Some(tomorrow));
    let everything = Span::new(now, now.plus_minutes(100 * 24 * 60)).unwrap();
    assert_eq!(rules.next_free(60, &[everything], now), None);
}

proptest! {
    #[test]
    fn the_list_and_the_booking_agree(
        minutes in 15_i32..180,
        now_minute in 0_i64..3000,
        taken in prop::collection::vec((0_i64..900, 15_i64..120), 0..6),
        first in 0_i8..20,
        step in 5_i32..120,
    ) {
        let mut rules = rules();
        rules.hours.first_start = Time::new(first, 0, 0, 0).unwrap();
        rules.hours.last_start = time(23, 30, 0, 0);
        rules.hours.step_minutes = step;
        let midnight = on(&rules, DAY, 0, 0);
        let now = on(&rules, date(2026, 11, 23), 0, 0).plus_minutes(now_minute);
        let taken: Vec<Span> = taken
            .iter()
            .map(|(from, length)| {
                let start = midnight.plus_minutes(540 + from);
                Span::new(start, start.plus_minutes(*length)).unwrap()
            })
            .collect();
        for slot in rules.slots(DAY, minutes, &taken, now) {
            let offered = rules.offer(slot.span.starts_at(), minutes, &taken, now);
            prop_assert_eq!(offered.is_ok(), slot.available);
            prop_assert!(!slot.available || taken.iter().all(|t| !t.overlaps(&slot.span)));
            prop_assert!(slot.span.starts_at() >= now);
            prop_assert_eq!(rules.date_of(slot.span.starts_at()), DAY);
            prop_assert_eq!(rules.date_of(slot.span.ends_at().plus_seconds(-1)), DAY);
        }
    }
}
