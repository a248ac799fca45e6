//! What anyone of several practitioners offers, and which one is asked first.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::civil::{Date, Weekday, date, time};
use jiff::tz::TimeZone;
use kernel::Timestamp;
use practice::Availability;
use proptest::prelude::*;

use super::{
    DayLoad, OccupiedTime, Practitioner, Practitioners, order_for_anyone, slots_of_anyone,
};
use crate::domain::availability::{Rules, Slot};
use crate::domain::span::Span;

const DAY: Date = date(2026, 11, 24);

/// Sessions on Tuesdays, hourly from the first hour to five.
fn practitioner(id: &str, first_hour: i8) -> Arc<Practitioner> {
    let hours = Availability {
        weekdays: vec![Weekday::Tuesday],
        first_start: time(first_hour, 0, 0, 0),
        last_start: time(17, 0, 0, 0),
        step_minutes: 60,
        notice_minutes: 15,
        horizon_days: 60,
        closed_dates: BTreeSet::new(),
        blocked_times: Vec::new(),
    };
    let zone = TimeZone::get("Asia/Kolkata").unwrap();
    Arc::new(Practitioner { id: id.to_owned(), rules: Rules { zone, hours } })
}

fn at(hour: i64) -> Timestamp {
    let zone = TimeZone::get("Asia/Kolkata").unwrap();
    let midnight = DAY.at(0, 0, 0, 0).to_zoned(zone).unwrap();
    Timestamp::from_jiff(midnight.timestamp()).plus_minutes(hour * 60)
}

fn hour(from: i64, is_session: bool) -> OccupiedTime {
    OccupiedTime { span: Span::new(at(from), at(from + 1)).unwrap(), is_session }
}

/// A day with sessions of an hour.
fn day(practitioner: &Arc<Practitioner>, sessions: &[i64]) -> DayLoad {
    let occupied = sessions.iter().map(|from| hour(*from, true)).collect();
    DayLoad { practitioner: Arc::clone(practitioner), occupied }
}

fn asked(days: Vec<DayLoad>, hour: i64) -> Vec<String> {
    let order = order_for_anyone(days, (&[at(hour)], 60), at(8));
    order.into_iter().map(|one| one.id.clone()).collect()
}

#[test]
fn the_one_with_the_fewest_sessions_is_asked_first_and_of_equals_the_first() {
    let (lead, ravi) = (practitioner("lead", 11), practitioner("ravi", 13));
    assert_eq!(asked(vec![day(&lead, &[]), day(&ravi, &[])], 14), ["lead", "ravi"]);
    assert_eq!(asked(vec![day(&lead, &[11]), day(&ravi, &[])], 14), ["ravi", "lead"]);
    assert_eq!(asked(vec![day(&lead, &[11]), day(&ravi, &[16])], 14), ["lead", "ravi"]);
}

#[test]
fn closed_times_are_no_sessions() {
    let (lead, ravi) = (practitioner("lead", 11), practitioner("ravi", 13));
    let mut closed = day(&lead, &[]);
    closed.occupied.extend([hour(11, false), hour(12, false)]);
    assert_eq!(asked(vec![closed, day(&ravi, &[16])], 14), ["lead", "ravi"]);
}

#[test]
fn an_occupied_practitioner_is_not_asked() {
    let (lead, ravi) = (practitioner("lead", 11), practitioner("ravi", 13));
    assert_eq!(asked(vec![day(&lead, &[14]), day(&ravi, &[15, 16])], 14), ["ravi"]);
    assert_eq!(asked(vec![day(&lead, &[]), day(&ravi, &[])], 12), ["lead"]);
}

#[test]
fn when_none_is_free_one_whose_time_is_taken_is_asked() {
    let (lead, ravi) = (practitioner("lead", 11), practitioner("ravi", 9));
    assert_eq!(asked(vec![day(&lead, &[14]), day(&ravi, &[14])], 14), ["lead"]);
    // At ten the first one gives no session at all.
    assert_eq!(asked(vec![day(&lead, &[]), day(&ravi, &[10])], 10), ["ravi"]);
    assert_eq!(asked(vec![day(&lead, &[]), day(&ravi, &[])], 20), ["lead"]);
    assert_eq!(asked(Vec::new(), 14), Vec::<String>::new());
}

#[test]
fn services_are_given_by_those_whom_they_name_or_by_all() {
    let all = Practitioners(vec![practitioner("lead", 11), practitioner("ravi", 13)]);
    let ids = |named: &[&str]| {
        let named: Vec<String> = named.iter().map(|id| (*id).to_owned()).collect();
        let given: Vec<_> = all.of_service(&named).into_iter().map(|one| one.id.clone()).collect();
        given.join(" ")
    };
    assert_eq!(ids(&[]), "lead ravi");
    assert_eq!(ids(&["ravi", "lead"]), "lead ravi");
    assert_eq!(ids(&["ravi"]), "ravi");
    assert_eq!(ids(&["unknown"]), "");
    assert!(all.are_several());
}

/// Each practitioner's first hour and the hours of their sessions.
fn loads() -> impl Strategy<Value = Vec<(i8, BTreeSet<i64>)>> {
    prop::collection::vec((8_i8..16, prop::collection::btree_set(8_i64..18, 0..8)), 1..5)
}

fn days_of(loads: &[(i8, BTreeSet<i64>)]) -> Vec<DayLoad> {
    let of = |(number, (first, sessions)): (usize, &(i8, BTreeSet<i64>))| {
        let sessions: Vec<i64> = sessions.iter().copied().collect();
        day(&practitioner(&format!("p-{number}"), *first), &sessions)
    };
    loads.iter().enumerate().map(of).collect()
}

fn slots(day: &DayLoad, now: Timestamp) -> Vec<Slot> {
    let taken: Vec<Span> = day.occupied.iter().map(|time| time.span).collect();
    day.practitioner.rules.slots(DAY, 60, &taken, now)
}

proptest! {
    #[test]
    fn a_start_is_free_for_anyone_exactly_when_one_is_free(loads in loads(), now in 0_i64..20) {
        let (days, now) = (days_of(&loads), at(now));
        let merged = slots_of_anyone(days.iter().flat_map(|day| slots(day, now)));
        let starts: Vec<Timestamp> = merged.iter().map(|slot| slot.span.starts_at()).collect();
        prop_assert!(starts.is_sorted_by(|a, b| a < b), "each start once, in order");
        for slot in &merged {
            let same = |own: &Slot| own.span == slot.span;
            let own: Vec<Slot> =
                days.iter().flat_map(|day| slots(day, now)).filter(same).collect();
            prop_assert!(!own.is_empty());
            prop_assert_eq!(slot.available, own.iter().any(|own| own.available));
            let order = order_for_anyone(days.clone(), (&[slot.span.starts_at()], 60), now);
            let takes = |day: &&DayLoad| day.practitioner.id == order[0].id;
            let first = days.iter().find(takes).unwrap();
            let is_free = slots(first, now).iter().any(|own| same(own) && own.available);
            prop_assert_eq!(is_free, slot.available, "the first one is free if any is");
        }
        for own in days.iter().flat_map(|day| slots(day, now)) {
            prop_assert!(starts.contains(&own.span.starts_at()));
        }
    }

    #[test]
    fn the_order_is_that_of_the_numbers_of_sessions(loads in loads(), hour in 8_i64..18) {
        let days = days_of(&loads);
        let order = order_for_anyone(days.clone(), (&[at(hour)], 60), at(7));
        let rank = |one: &Arc<Practitioner>| {
            let index = days.iter().position(|day| day.practitioner.id == one.id).unwrap();
            (days[index].sessions(), index)
        };
        let ranks: Vec<(usize, usize)> = order.iter().map(rank).collect();
        prop_assert!(ranks.is_sorted_by(|a, b| a < b), "{:?}", ranks);
        prop_assert!(!order.is_empty());
    }
}
