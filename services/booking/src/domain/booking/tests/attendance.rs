//! Who came: marked from the start of a session, the last mark counts.

use kernel::fold;

use super::packages::package;
use super::{at, check, paid, requested_for};
use crate::domain::booking::{Attendance, BookingLife, Command, Event, Rejection};

const DAY: i64 = 24 * 60;

fn mark(session: Option<usize>, attendance: Attendance, now: i64) -> Command {
    Command::MarkAttendance { session, attendance, now: at(now) }
}

fn marked(number: usize, attendance: Attendance, no_show: bool) -> Event {
    Event::AttendanceMarked { number, attendance, no_show }
}

#[test]
fn a_session_is_marked_from_its_start_until_14_days_after_its_end() {
    let placed = [requested_for(600), paid(false)];
    let no_show = || Ok(vec![marked(1, Attendance::NoShow, true)]);
    for (now, then) in [
        (599, Err(Rejection::NotMarkable)),
        (600, no_show()),
        (660 + 14 * DAY - 1, no_show()),
        (660 + 14 * DAY, Err(Rejection::NotMarkable)),
    ] {
        check(&placed, mark(None, Attendance::NoShow, now), as_slice(&then));
    }
    let over = [requested_for(600), paid(false), Event::Completed];
    check(&over, mark(Some(1), Attendance::Late, 700), Ok(&[marked(1, Attendance::Late, false)]));
    check(&over, mark(Some(2), Attendance::Late, 700), Err(Rejection::SessionUnknown));
    for given in [&[requested_for(600)][..], &[requested_for(600), Event::Expired]] {
        check(given, mark(None, Attendance::Came, 700), Err(Rejection::NotMarkable));
    }
    check(&[], mark(None, Attendance::Came, 700), Err(Rejection::Absent));
}

fn as_slice(then: &Result<Vec<Event>, Rejection>) -> Result<&[Event], Rejection> {
    then.as_deref().map_err(|rejection| *rejection)
}

#[test]
fn the_last_mark_counts_and_can_be_taken_back() {
    let mut given = vec![requested_for(600), paid(false), Event::Completed];
    for (attendance, no_show) in [
        (Attendance::NoShow, true),
        (Attendance::Late, false),
        (Attendance::NoShow, true),
        (Attendance::Unmarked, false),
    ] {
        let event = marked(1, attendance, no_show);
        check(&given, mark(None, attendance, 700), Ok(std::slice::from_ref(&event)));
        given.push(event);
    }
    let state = fold::<BookingLife>(&given);
    assert!(matches!(state, crate::domain::booking::State::Completed { .. }));
}

#[test]
fn a_package_is_missed_when_every_session_that_took_place_was() {
    let facts = package();
    let start = |number: usize| facts.session(number).unwrap().starts_at();
    let now = |number: usize| Command::MarkAttendance {
        session: None,
        attendance: Attendance::NoShow,
        now: start(number),
    };
    let mut given = vec![Event::Requested { facts: facts.clone(), until: at(15) }, paid(false)];
    let count = facts.sessions.len();
    for number in 1..=count {
        let event = marked(number, Attendance::NoShow, number == count);
        check(&given, now(number), Ok(std::slice::from_ref(&event)));
        given.push(event);
    }
}
