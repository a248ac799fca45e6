//! Moves: a session gets another time, as late and as often as the policy says, and everything else
//! stays.

use std::sync::Arc;

use kernel::{CancellationPolicy, MoveLimits, fold};

use super::packages::package;
use super::{a_day, at, check, facts_at, meeting, own_cancellation, paid};
use crate::domain::booking::{
    Attendance, BookingLife, Command, Event, Facts, Movable, MoveRequest, MovedBy, Rejection, State,
};
use crate::domain::span::Span;

fn hour(start: i64) -> Span {
    Span::new(at(start), at(start + 60)).unwrap()
}

fn request(number: usize, by: MovedBy) -> MoveRequest {
    MoveRequest { number, by, practitioner_id: None, unwritten: a_day() }
}

fn wanted(by: MovedBy, number: usize, (shown, to): (i64, i64), now: i64) -> Command {
    Command::Move { request: request(number, by), shown: at(shown), to: hour(to), now: at(now) }
}

/// The client moves the session that was shown at one minute to another one.
pub(super) fn to(number: usize, times: (i64, i64), now: i64) -> Command {
    wanted(MovedBy::Customer, number, times, now)
}

pub(super) fn moved(number: usize, times: (i64, i64), move_number: u16) -> Event {
    moved_by(MovedBy::Customer, number, times, move_number)
}

pub(super) fn moved_by(
    by: MovedBy,
    number: usize,
    (from, to): (i64, i64),
    move_number: u16,
) -> Event {
    let (from, to, practitioner) = (hour(from), hour(to), None);
    Event::Moved { number, from, to, by, move_number, practitioner }
}

fn given(facts: Facts, more: &[Event]) -> Vec<Event> {
    let begin = [Event::Requested { facts, until: at(15) }, paid(false)];
    [&begin[..], more].concat()
}

/// The minutes of a day.
const DAY: i64 = 24 * 60;
/// A session that starts on the third day.
const START: i64 = 3 * DAY;

#[test]
fn a_session_gets_another_time_and_the_rest_stays() {
    let first = moved(1, (START, START + 30), 1);
    let begin = given(facts_at(START), &[]);
    check(&begin, to(1, (START, START + 30), 0), Ok(std::slice::from_ref(&first)));
    let state = fold::<BookingLife>(&given(facts_at(START), &[first]));
    let State::Confirmed { facts, .. } = state else { panic!("{state:?}") };
    assert_eq!(facts, facts_at(START + 30));
}

#[test]
fn a_repeat_changes_nothing_and_what_was_shown_has_to_be_true() {
    let begin = given(facts_at(START), &[moved(1, (START, START + 60), 1)]);
    check(&begin, to(1, (START, START + 60), 0), Ok(&[]));
    check(&begin, to(1, (START, START + 90), 0), Err(Rejection::ChangedSince));
    let back = moved(1, (START + 60, START), 2);
    check(&begin, to(1, (START + 60, START), 0), Ok(&[back]));
}

#[test]
fn a_client_moves_as_late_and_as_often_as_the_policy_says() {
    let times = (START, START + DAY);
    let begin = given(facts_at(START), &[]);
    check(&begin, to(1, times, START - DAY), Ok(&[moved(1, times, 1)]));
    check(&begin, to(1, times, START - DAY + 1), Err(Rejection::MoveTooLate));
    let own = |number: u16| moved(1, (START, START), number);
    let often = given(facts_at(START), &[own(1), own(2), own(3)]);
    check(&often, to(1, times, 0), Err(Rejection::MovedTooOften));
    // What staff moved does not count for the client, and staff move at any time.
    let by_staff = moved_by(MovedBy::CustomerAsked, 1, (START, START), 1);
    let once = given(facts_at(START), &[by_staff, own(2), own(3)]);
    check(&once, to(1, times, 0), Ok(&[moved(1, times, 4)]));
    for by in [MovedBy::CustomerAsked, MovedBy::Practice] {
        let late = START + 59;
        check(&often, wanted(by, 1, times, late), Ok(&[moved_by(by, 1, times, 4)]));
        check(&often, wanted(by, 1, times, late + 1), Err(Rejection::NotMovable));
    }
}

#[test]
fn the_bookings_own_limits_count() {
    let limits = MoveLimits { until_hours: 2, times: 1 };
    let policy = CancellationPolicy::all_or_nothing(String::new(), 48).moving(limits);
    let facts = Facts { policy: Some(Arc::new(policy)), ..facts_at(START) };
    let times = (START, START + DAY);
    let late = START - 120;
    check(&given(facts.clone(), &[]), to(1, times, late), Ok(&[moved(1, times, 1)]));
    check(&given(facts.clone(), &[]), to(1, times, late + 1), Err(Rejection::MoveTooLate));
    let state = fold::<BookingLife>(&given(facts, &[]));
    let movable = Movable::of(&state, &request(1, MovedBy::Customer), at(0)).unwrap();
    assert_eq!((movable.until, movable.left), (at(late), 1));
}

#[test]
fn only_a_placed_session_that_is_to_come_is_moved() {
    let times = (START, START + DAY);
    let refused = Err(Rejection::NotMovable);
    let requested = Event::Requested { facts: facts_at(START), until: at(15) };
    check(&[], to(1, times, 0), Err(Rejection::Absent));
    check(&[requested], to(1, times, 0), refused);
    check(&given(facts_at(START), &[Event::Completed]), to(1, times, 0), refused);
    let (number, attendance, no_show) = (1, Attendance::Came, false);
    let marked = Event::AttendanceMarked { number, attendance, no_show };
    let practice = wanted(MovedBy::Practice, 1, times, START + 5);
    check(&given(facts_at(START), &[marked]), practice, refused);
    check(&given(facts_at(START), &[]), to(2, times, 0), Err(Rejection::SessionUnknown));
    let begin = given(facts_at(START), &[Event::MeetingScheduled { meeting: meeting() }]);
    let mut state = fold::<BookingLife>(&begin);
    let cancel = own_cancellation::later(None, 50_000, 0);
    let pending = <BookingLife as kernel::Decider>::decide(&state, cancel).unwrap();
    for event in &pending {
        state = <BookingLife as kernel::Decider>::evolve(state, event);
    }
    let error = Movable::of(&state, &request(1, MovedBy::Practice), at(1));
    assert_eq!(error, Err(Rejection::CancellationPending));
}

#[test]
fn sessions_of_a_package_stay_in_their_order() {
    let begin = given(package(), &[]);
    let between = (3 * DAY, 3 * DAY + 600);
    check(&begin, to(2, between, 0), Ok(&[moved(2, between, 1)]));
    for wrong in [2 * DAY + 59, 2 * DAY - 60, 4 * DAY - 59, 5 * DAY] {
        check(&begin, to(2, (3 * DAY, wrong), 0), Err(Rejection::OutOfOrder));
    }
    check(&begin, to(3, (4 * DAY, 9 * DAY), 0), Ok(&[moved(3, (4 * DAY, 9 * DAY), 1)]));
}
