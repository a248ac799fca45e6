//! When the timer of the sheet is due, at a time of day that the zone decides.

use std::path::Path;

use jiff::civil::Time;
use kernel::Timestamp;
use practice::Practice;

use super::{next_due, target_due};

fn practice() -> Practice {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/local/practice");
    practice::load(&folder).unwrap()
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn seven() -> Time {
    Time::constant(7, 0, 0, 0)
}

#[test]
fn the_next_morning_is_the_zones() {
    let practice = practice();
    let due = |now| next_due(&practice, seven(), at(now)).unwrap();
    assert_eq!(due("2026-11-24T01:29:59Z"), at("2026-11-24T01:30:00Z"));
    assert_eq!(due("2026-11-24T01:30:00Z"), at("2026-11-25T01:30:00Z"));
    assert_eq!(due("2026-11-24T18:29:59Z"), at("2026-11-25T01:30:00Z"));
    assert_eq!(due("2026-11-24T18:30:00Z"), at("2026-11-25T01:30:00Z"), "after midnight");
}

#[test]
fn a_missing_timer_waits_for_a_morning() {
    let now = at("2026-11-24T04:00:00Z");
    assert_eq!(target_due(&practice(), seven(), None, now), Some(at("2026-11-25T01:30:00Z")));
}

#[test]
fn a_changed_setting_moves_the_timer_and_an_unchanged_one_does_not() {
    let practice = practice();
    let timer_due = at("2026-11-25T01:30:00Z");
    let now = at("2026-11-24T04:00:00Z");
    let nine = Time::constant(9, 0, 0, 0);
    let ten = Time::constant(10, 0, 0, 0);
    assert_eq!(target_due(&practice, seven(), Some(timer_due), now), Some(timer_due));
    assert_eq!(target_due(&practice, nine, Some(timer_due), now), Some(at("2026-11-25T03:30:00Z")));
    assert_eq!(target_due(&practice, ten, Some(timer_due), now), Some(at("2026-11-24T04:30:00Z")));
}

#[test]
fn a_timer_that_mornings_have_passed_fires_at_once_or_at_todays_hour() {
    let practice = practice();
    let missed = at("2026-11-21T01:30:00Z");
    let noon = at("2026-11-24T06:30:00Z");
    assert_eq!(target_due(&practice, seven(), Some(missed), noon), Some(missed));
    let before = at("2026-11-24T00:00:00Z");
    let today = at("2026-11-24T01:30:00Z");
    assert_eq!(target_due(&practice, seven(), Some(missed), before), Some(today));
}

#[test]
fn a_clock_that_was_put_back_gets_its_mornings_again() {
    let timer_due = at("2026-11-25T01:30:00Z");
    let back = at("2026-11-20T12:00:00Z");
    assert_eq!(
        target_due(&practice(), seven(), Some(timer_due), back),
        Some(at("2026-11-21T01:30:00Z"))
    );
}
