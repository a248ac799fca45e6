//! The mails and the reminders of a move, at booking's answers of before it, of it and of a later
//! one.

use contract::booking::v1::BookingState;
use kernel::{Id, Timestamp};
use practice::Mails;
use serde_json::json;
use uuid::Uuid;

use super::{DAY, HOUR, booking_at, mail, practice, queued, start};
use crate::consumers::booking::Move;
use crate::mails::facts::Facts;
use crate::mails::kind::Kind;
use crate::mails::kinds::plan;
use crate::mails::mail::Mail;
use crate::mails::payload::SECOND;
use crate::mails::planning::{INSIDE_WINDOW, OVERTAKEN, Plan, further_reminders};

fn moved_at() -> Timestamp {
    start().plus_seconds(-5 * DAY)
}

/// The move of this number to the start of these tests, from a day later.
fn moved(number: i32) -> Move {
    Move {
        booking: Id::from_uuid(Uuid::from_u128(1)),
        session: 1,
        number,
        by: "customer",
        from: start().plus_seconds(DAY),
        to: start(),
        moved_at: moved_at(),
        is_handed_over: false,
    }
}

fn mails(second_reminder_hours: i32) -> Mails {
    practice(24, second_reminder_hours).mails
}

fn reminder(number: i32) -> Mail {
    queued(moved(number).reminders(&mails(0)).remove(0), moved_at())
}

/// What booking answers when a session was moved so often.
fn answer(moves: i32, starts_at: Timestamp) -> Facts {
    let mut facts = booking_at(BookingState::Confirmed, starts_at);
    if let Facts::Booking(facts) = &mut facts {
        facts.booking.sessions[0].moves = moves;
    }
    facts
}

#[test]
fn each_move_has_mails_and_reminders_of_its_own() {
    let [first, second] = [moved(1), moved(2)];
    let subjects = |of: &Move| -> Vec<String> {
        let all = of.mails().into_iter().chain(of.reminders(&mails(2)));
        all.map(|mail| format!("{} {}", mail.kind, mail.subject)).collect()
    };
    let id = first.booking;
    let wanted = ["booking_moved", "move_notice", "reminder", "second_reminder"];
    assert_eq!(subjects(&first), wanted.map(|kind| format!("{kind} {id}/1/move 1")));
    assert_eq!(subjects(&second), wanted.map(|kind| format!("{kind} {id}/1/move 2")));
    assert_eq!(first.reminders(&mails(2))[0].payload[SECOND], json!(true));
    assert_eq!(first.reminders(&mails(0)).len(), 1);
}

#[test]
fn a_later_move_overtakes_the_mails_of_before() {
    let practice = practice(24, 0);
    let told = queued(moved(1).mails().remove(0), moved_at());
    for (mail, at) in [(told, moved_at()), (reminder(1), start().plus_seconds(-HOUR))] {
        assert_eq!(plan(&mail, &answer(1, start()), &practice, at), Plan::Send);
        // Also where it is moved back to the same time.
        assert_eq!(plan(&mail, &answer(3, start()), &practice, at), Plan::Drop(OVERTAKEN));
    }
    let first = mail(Kind::Reminder);
    assert_eq!(plan(&first, &answer(1, start()), &practice, moved_at()), Plan::Drop(OVERTAKEN));
}

#[test]
fn an_answer_of_before_the_move_is_asked_for_again() {
    let practice = practice(24, 0);
    let before = answer(0, start().plus_seconds(DAY));
    for mail in moved(1).mails().into_iter().chain(moved(1).reminders(&practice.mails)) {
        let mail = queued(mail, moved_at());
        let soon = Plan::Wait(moved_at().plus_minutes(1));
        assert_eq!(plan(&mail, &before, &practice, moved_at()), soon, "{}", mail.kind);
        let much_later = moved_at().plus_minutes(60);
        let given_up = plan(&mail, &before, &practice, much_later);
        assert_eq!(given_up, Plan::Drop(OVERTAKEN), "booking has lost the move: {}", mail.kind);
    }
    // An answer with the new time is no answer of before.
    let due = Plan::Wait(start().plus_seconds(-DAY));
    assert_eq!(plan(&reminder(1), &answer(0, start()), &practice, moved_at()), due);
}

#[test]
fn a_reminder_counts_from_its_move() {
    let late = Move { moved_at: start().plus_seconds(-HOUR), ..moved(1) };
    let mail = queued(late.reminders(&mails(0)).remove(0), late.moved_at);
    let planned = plan(&mail, &answer(1, start()), &practice(24, 0), late.moved_at);
    assert_eq!(planned, Plan::Drop(INSIDE_WINDOW), "the mail about the move says the time");
}

#[test]
fn a_reminder_of_a_move_is_about_one_session() {
    let mail = reminder(1);
    assert_eq!(mail.session_number(), Some(1));
    assert!(further_reminders(&mail, &answer(1, start())).is_empty());
}
