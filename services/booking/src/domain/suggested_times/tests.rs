//! Which times are shown first.

use std::collections::BTreeSet;

use jiff::civil::time;
use jiff::tz::TimeZone;
use kernel::Timestamp;
use practice::Availability;
use proptest::prelude::*;

use super::{distance, suggested};
use crate::domain::availability::Rules;
use crate::domain::span::Span;

fn rules() -> Rules {
    Rules {
        zone: TimeZone::get("Asia/Kolkata").unwrap(),
        hours: Availability {
            weekdays: Vec::new(),
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

/// Minutes after midnight of a day in India.
fn at(minutes: i64) -> Timestamp {
    Timestamp::from_seconds(1_795_458_600).unwrap().plus_minutes(minutes)
}

const DAY: i64 = 24 * 60;

fn shown(free: &[i64], old: i64, now: i64) -> Vec<i64> {
    let spans = free.iter().map(|start| Span::new(at(*start), at(start + 60)).unwrap());
    let chosen = suggested(spans, at(old), &rules(), at(now));
    chosen.into_iter().map(|start| start.seconds_since(at(0)) / 60).collect()
}

#[test]
fn they_are_the_nearest_and_on_different_days_where_there_are_as_many() {
    let old = 3 * DAY + 600;
    let (before, same, after) = (2 * DAY + 600, 3 * DAY + 660, 4 * DAY + 540);
    let free = [before, 3 * DAY + 480, same, 3 * DAY + 720, after, 5 * DAY + 600];
    assert_eq!(shown(&free, old, 0), [same, before, after]);
    // Of two days three are found, the nearest first.
    assert_eq!(shown(&[before, 3 * DAY + 480, same], old, 0), [same, 3 * DAY + 480, before]);
    assert_eq!(shown(&[same], old, 0), [same]);
    assert_eq!(shown(&[], old, 0), [0_i64; 0]);
}

#[test]
fn they_are_two_hours_ahead_at_least() {
    let old = 600;
    assert_eq!(shown(&[600 + 119, 600 + 120], old, 600), [600 + 120]);
}

#[test]
fn of_two_as_near_as_each_other_the_earlier_one_comes_first() {
    assert_eq!(shown(&[500, 700], 600, 0), [500, 700]);
}

proptest! {
    #[test]
    fn none_that_is_left_out_is_nearer_unless_its_day_is_shown(
        free in prop::collection::btree_set(0_i64..20_000, 0..40),
        old in 0_i64..20_000,
        now in 0_i64..20_000,
    ) {
        let free: Vec<i64> = free.into_iter().collect();
        let chosen = shown(&free, old, now);
        let open: Vec<i64> = free.iter().copied().filter(|start| *start >= now + 120).collect();
        prop_assert_eq!(chosen.len(), open.len().min(3));
        prop_assert!(chosen.iter().all(|start| open.contains(start)));
        prop_assert!(chosen.is_sorted_by_key(|start| distance(60 * (start - old))));
        let day = |start: i64| start / DAY;
        let days: BTreeSet<i64> = chosen.iter().map(|it| day(*it)).collect();
        let all: BTreeSet<i64> = open.iter().map(|it| day(*it)).collect();
        prop_assert_eq!(days.len(), all.len().min(3));
    }
}
