//! What follows from events: in one line for each day and each timer.

use kernel::{Timestamp, fold};

use super::packages::package;
use super::{
    at, cancelled, facts_at, free_facts, meeting, moving, opened, paid, requested, unplaced,
};
use crate::domain::booking::{
    BookingLife, CancelledBy, ConfirmationBasis, Effect, Event, Facts, Mode, effects,
};
use crate::domain::day::Command;

/// Minutes after the request.
fn minutes(time: Timestamp) -> i64 {
    time.seconds_since(at(0)) / 60
}

fn line(effect: &Effect) -> String {
    let (session, command) = match effect {
        Effect::EndTimer(timer) => return format!("end {timer:?}"),
        Effect::SetTimer { timer, due } => return format!("set {timer:?} {}", minutes(*due)),
        Effect::Day { session, command, whose: _ } => (session, command),
    };
    let command = match command {
        Command::Hold { until, .. } => format!("hold until {}", minutes(*until)),
        Command::Extend { until, .. } => format!("extend until {}", minutes(*until)),
        Command::Book { .. } => "book".to_owned(),
        Command::Place { .. } => "place".to_owned(),
        Command::Clear { .. } => "clear".to_owned(),
        Command::Release { .. } => "release".to_owned(),
        Command::Cancel { .. } => "cancel".to_owned(),
        Command::Close { .. } => "close".to_owned(),
        Command::Block { .. } | Command::Unblock { .. } => "block".to_owned(),
    };
    format!("day of {}: {command}", minutes(session.starts_at()))
}

/// What follows from a decision's events, five minutes after the request.
#[track_caller]
fn follows(given: &[Event], decided: &[Event], lines: &[&str]) {
    let state = fold::<BookingLife>(&[given, decided].concat());
    let all = decided.iter().flat_map(|event| effects(&state, event, at(5)));
    assert_eq!(all.map(|effect| line(&effect)).collect::<Vec<_>>(), lines);
}

fn requested_with(facts: Facts) -> Event {
    Event::Requested { facts, until: at(15) }
}

#[test]
fn a_time_is_held_until_the_holds_end_which_may_move() {
    follows(&[], &[requested()], &["day of 600: hold until 15", "set HoldEnd 15"]);
    follows(&[requested()], &[opened(30)], &["day of 600: extend until 30", "set HoldEnd 30"]);
    for end in [Event::Released, Event::Expired, unplaced()] {
        follows(&[requested()], &[end], &["day of 600: release", "end HoldEnd"]);
    }
}

#[test]
fn a_confirmation_books_and_sets_the_timers_of_its_sessions() {
    let booked = ["day of 600: book", "set SessionEnd(None) 660", "set CreateMeeting 5"];
    follows(&[requested()], &[paid(false)], &[&booked[..], &["end HoldEnd"]].concat());
    let in_person = requested_with(Facts { mode: Mode::InPerson, ..facts_at(600) });
    follows(&[in_person], &[paid(false)], &[booked[0], booked[1], "end HoldEnd"]);
    // What costs nothing was never held.
    let free = Event::Confirmed { basis: ConfirmationBasis::Free, reinstated: false };
    follows(&[], &[requested_with(free_facts()), free], &booked);
}

#[test]
fn a_move_changes_both_days_and_the_timers_of_its_session() {
    let room = Event::MeetingScheduled { meeting: meeting() };
    let days = ["day of 600: cancel", "day of 900: place"];
    let ends = "set SessionEnd(None) 960";
    let moved = moving::moved(1, (600, 900), 1);
    follows(&[requested(), paid(false)], std::slice::from_ref(&moved), &[days[0], days[1], ends]);
    let given = [requested(), paid(false), room.clone()];
    let lines = [days[0], days[1], ends, "set MoveMeeting 5"];
    follows(&given, std::slice::from_ref(&moved), &lines);
    // The room was asked for with the time before.
    follows(
        &[requested(), paid(false), moved],
        std::slice::from_ref(&room),
        &["set MoveMeeting 5"],
    );
    // The rooms of a package have no time.
    let given = [requested_with(package()), paid(false), room];
    let lines = ["day of 2880: cancel", "day of 2000: place", "set SessionEnd(Some(1)) 2060"];
    follows(&given, &[moving::moved(1, (2_880, 2_000), 1)], &lines);
}

#[test]
fn what_is_over_frees_its_time_and_needs_no_timer() {
    let given = [requested(), paid(false)];
    let cancelled = cancelled(CancelledBy::Customer, 0);
    let lines = ["day of 600: cancel", "end CreateMeeting", "end SessionEnd(None)"];
    follows(&given, &[cancelled], &lines);
    follows(&given, &[Event::Completed], &["end CreateMeeting"]);
    let share = package().share(2);
    let (by, unpaid, with_all) = (CancelledBy::Customer, false, false);
    let one = Event::SessionCancelled {
        number: 2,
        by,
        share,
        refund: share,
        unpaid,
        with_all,
        by_grace: false,
    };
    let lines = ["day of 4320: cancel", "end SessionEnd(Some(2))"];
    follows(&[requested_with(package()), paid(false)], &[one], &lines);
}
