//! Given-when-then tests of a practitioner's day, and that no history has an overlap.

use kernel::id::{Block, Booking};
use kernel::{Decider, Id, Timestamp, fold};
use proptest::prelude::*;
use uuid::Uuid;

use super::{Command, Event, PractitionerDay, Rejection};
use crate::domain::span::Span;

fn id(number: u128) -> Id<Booking> {
    Id::from_uuid(Uuid::from_u128(number))
}

/// Minutes after the day's first start.
fn at(minutes: i64) -> Timestamp {
    Timestamp::from_seconds(1_795_498_200).unwrap().plus_minutes(minutes)
}

fn span(from: i64, to: i64) -> Span {
    Span::new(at(from), at(to)).unwrap()
}

fn held(number: u128, from: i64, to: i64, until: i64) -> Event {
    Event::Held { booking_id: id(number), span: span(from, to), until: at(until) }
}

fn booked(number: u128, from: i64, to: i64) -> Event {
    Event::Booked { booking_id: id(number), span: span(from, to) }
}

fn released(number: u128) -> Event {
    Event::Released { booking_id: id(number) }
}

fn block_id(number: u128) -> Id<Block> {
    Id::from_uuid(Uuid::from_u128(number))
}

fn blocked(number: u128, from: i64, to: i64) -> Event {
    Event::Blocked { block_id: block_id(number), span: span(from, to) }
}

fn block(number: u128, from: i64, to: i64, now: i64) -> Command {
    Command::Block { block_id: block_id(number), span: span(from, to), now: at(now) }
}

fn hold(number: u128, from: i64, to: i64, now: i64) -> Command {
    Command::Hold {
        booking_id: id(number),
        span: span(from, to),
        until: at(now + 15),
        now: at(now),
    }
}

fn book(number: u128, from: i64, to: i64, now: i64) -> Command {
    Command::Book { booking_id: id(number), span: span(from, to), now: at(now) }
}

#[track_caller]
fn check(given: &[Event], when: Command, then: Result<&[Event], Rejection>) {
    let state = fold::<PractitionerDay>(given);
    let decided = PractitionerDay::decide(&state, when.clone());
    assert_eq!(decided.as_deref().map_err(|rejection| *rejection), then);
    if let Ok(events) = decided {
        let after = events.iter().fold(state, PractitionerDay::evolve);
        assert_eq!(PractitionerDay::decide(&after, when), Ok(Vec::new()), "a repeat");
    }
}

#[test]
fn a_free_time_is_held() {
    check(&[], hold(1, 60, 150, 0), Ok(&[held(1, 60, 150, 15)]));
    // Adjacent sessions do not overlap.
    check(
        &[held(2, 0, 60, 15), booked(3, 150, 240)],
        hold(1, 60, 150, 0),
        Ok(&[held(1, 60, 150, 15)]),
    );
}

#[test]
fn a_time_that_another_one_has_is_refused() {
    let taken = Err(Rejection::SlotTaken);
    check(&[held(2, 60, 150, 15)], hold(1, 60, 150, 0), taken);
    // Ninety minutes from eleven overlap the hour that starts at twelve.
    check(&[held(2, 60, 120, 15)], hold(1, 0, 90, 0), taken);
    check(&[booked(2, 0, 90)], hold(1, 60, 120, 10_000), taken);
    check(&[booked(2, 0, 240)], hold(1, 60, 120, 0), taken);
}

#[test]
fn holds_that_have_run_out_lapse_first() {
    check(
        &[held(2, 60, 150, 15), held(3, 300, 360, 15)],
        hold(1, 60, 120, 15),
        Ok(&[released(2), released(3), held(1, 60, 120, 30)]),
    );
}

#[test]
fn a_hold_is_extended_and_never_shortened() {
    let extend = |until| Command::Extend { booking_id: id(1), until: at(until) };
    let longer = Event::HoldExtended { booking_id: id(1), until: at(30) };
    check(&[held(1, 60, 120, 15)], extend(30), Ok(&[longer]));
    check(&[held(1, 60, 120, 15)], extend(10), Ok(&[]));
    check(&[booked(1, 60, 120)], extend(30), Ok(&[]));
    check(&[], extend(30), Err(Rejection::NotHeld));
}

#[test]
fn a_time_is_booked_from_its_hold_or_when_it_is_free() {
    check(&[held(1, 60, 120, 15)], book(1, 60, 120, 5), Ok(&[booked(1, 60, 120)]));
    check(&[], book(1, 60, 120, 5), Ok(&[booked(1, 60, 120)]));
    check(&[held(2, 60, 120, 15)], book(1, 60, 120, 20), Ok(&[released(2), booked(1, 60, 120)]));
    check(&[held(2, 60, 120, 15)], book(1, 60, 120, 5), Err(Rejection::SlotTaken));
}

#[test]
fn a_held_time_is_given_back_and_a_booked_one_is_not() {
    let release = Command::Release { booking_id: id(1) };
    check(&[held(1, 60, 120, 15)], release.clone(), Ok(&[released(1)]));
    check(&[], release.clone(), Ok(&[]));
    check(&[booked(1, 60, 120)], release, Err(Rejection::Booked));
}

#[test]
fn a_cancelled_booking_loses_its_time_held_or_booked() {
    let cancel = Command::Cancel { booking_id: id(1) };
    check(&[booked(1, 60, 120), booked(2, 120, 180)], cancel.clone(), Ok(&[released(1)]));
    check(&[held(1, 60, 120, 15)], cancel.clone(), Ok(&[released(1)]));
    check(&[booked(2, 120, 180)], cancel, Ok(&[]));
}

#[test]
fn a_time_is_blocked_unless_a_part_of_it_is_taken() {
    check(&[], block(1, 0, 240, 0), Ok(&[blocked(1, 0, 240)]));
    let beside = [held(2, 0, 60, 15), booked(3, 120, 180)];
    check(&beside, block(1, 60, 120, 0), Ok(&[blocked(1, 60, 120)]));
    let taken = Err(Rejection::SlotTaken);
    check(&beside, block(1, 0, 120, 0), taken);
    check(&beside, block(1, 60, 121, 0), taken);
    check(&[blocked(2, 0, 120)], block(1, 60, 180, 0), taken);
    check(&[blocked(1, 0, 120)], block(1, 60, 180, 0), taken);
    // An expired hold gives up its time.
    check(&[held(2, 0, 60, 15)], block(1, 0, 240, 15), Ok(&[released(2), blocked(1, 0, 240)]));
}

#[test]
fn a_closed_time_is_neither_held_nor_booked_until_it_is_open_again() {
    let closed = [blocked(1, 60, 120)];
    check(&closed, hold(1, 60, 120, 0), Err(Rejection::SlotTaken));
    check(&closed, book(1, 90, 150, 0), Err(Rejection::SlotTaken));
    check(&closed, hold(1, 120, 180, 0), Ok(&[held(1, 120, 180, 15)]));
    let open = Command::Unblock { block_id: block_id(1) };
    let unblocked = Event::Unblocked { block_id: block_id(1) };
    check(&closed, open.clone(), Ok(std::slice::from_ref(&unblocked)));
    check(&[], open, Ok(&[]));
    let opened = [blocked(1, 60, 120), unblocked];
    check(&opened, hold(1, 60, 120, 0), Ok(&[held(1, 60, 120, 15)]));
}

fn any_command() -> impl Strategy<Value = Command> {
    let number = 1_u128..6;
    let start = 0_i64..12;
    let length = 1_i64..4;
    (0..7, number, start, length, 0_i64..60).prop_map(|(kind, number, start, length, now)| {
        let booking_id = id(number);
        // A booking requests only one time, as all callers do.
        let start = (start + i64::try_from(number).unwrap()) * 30;
        let wanted = span(start, start + length * 30);
        match kind {
            0 => Command::Hold { booking_id, span: wanted, until: at(now + 15), now: at(now) },
            1 => Command::Extend { booking_id, until: at(now + 15) },
            2 => Command::Book { booking_id, span: wanted, now: at(now) },
            3 => Command::Cancel { booking_id },
            4 => Command::Block { block_id: block_id(number), span: wanted, now: at(now) },
            5 => Command::Unblock { block_id: block_id(number) },
            _ => Command::Release { booking_id },
        }
    })
}

#[test]
fn a_session_is_placed_where_its_booking_has_none_and_nothing_overlaps() {
    let place =
        |from: i64| Command::Place { booking_id: id(1), span: span(from, from + 60), now: at(0) };
    check(&[], place(0), Ok(&[booked(1, 0, 60)]));
    check(&[booked(2, 0, 60)], place(30), Err(Rejection::SlotTaken));
    check(&[booked(2, 0, 60)], place(60), Ok(&[booked(1, 60, 120)]));
    // Another session of its package is on this day.
    check(&[booked(1, 300, 360)], place(0), Err(Rejection::SlotTaken));
    check(&[booked(1, 30, 90), released(1)], place(0), Ok(&[booked(1, 0, 60)]));
    let clear = Command::Clear { now: at(15) };
    check(&[held(2, 0, 60, 15), held(3, 60, 120, 16)], clear, Ok(&[released(2)]));
}

proptest! {
    #[test]
    fn no_history_has_an_overlap(
        mut commands in prop::collection::vec((0_i64..5, any_command()), 1..60)
    ) {
        let mut state = super::State::default();
        let mut clock = 0;
        for (step, command) in &mut commands {
            clock += *step;
            if let Command::Hold { now, until, .. } = command {
                *now = at(clock);
                *until = at(clock + 15);
            }
            if let Command::Book { now, .. } | Command::Block { now, .. } = command {
                *now = at(clock);
            }
            let Ok(events) = PractitionerDay::decide(&state, command.clone()) else { continue };
            state = events.iter().fold(state, PractitionerDay::evolve);
            let spans = state.taken(at(clock));
            for (index, span) in spans.iter().enumerate() {
                for other in spans.iter().skip(index + 1) {
                    prop_assert!(!span.overlaps(other), "{span:?} and {other:?}");
                }
            }
        }
    }

    #[test]
    fn a_repeat_decides_nothing(commands in prop::collection::vec(any_command(), 1..30)) {
        let mut state = super::State::default();
        for command in commands {
            let Ok(events) = PractitionerDay::decide(&state, command.clone()) else { continue };
            state = events.iter().fold(state, PractitionerDay::evolve);
            // A repeated hold with another time is a different command.
            prop_assert_eq!(PractitionerDay::decide(&state, command), Ok(Vec::new()));
        }
    }
}
