//! Each mail at, one second before and one second after the instants that decide about it.

mod packages;
mod moves;
mod follow_ups;

use std::path::Path;

use contract::booking::v1::{Booking, BookingState, Contact, Session, SessionMode};
use contract::convert::to_wire;
use contract::reviews::v1::Review;
use kernel::{Id, Timestamp};
use practice::Practice;
use serde_json::json;
use uuid::Uuid;

use super::{INSIDE_WINDOW, NOT_WANTED, OVERTAKEN, Plan, TOO_LATE, local_time};
use crate::mails::facts::{BookingFacts, Facts};
use crate::mails::kind::Kind;
use crate::mails::kinds::plan;
use crate::mails::mail::{About, Mail, NewMail, State};
use crate::mails::payload::{BOOKED_AT, SECOND};

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

/// The session of these tests, at eleven in India, and its end three quarters of an hour later.
fn start() -> Timestamp {
    "2026-11-24T05:30:00Z".parse().unwrap()
}

fn end() -> Timestamp {
    start().plus_minutes(45)
}

/// A practice with reminders so many hours before a session.
fn practice(hours: i32, second_hours: i32) -> Practice {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/local/practice");
    let mut practice = practice::load(&folder).unwrap();
    practice.mails.reminder_hours = hours;
    practice.mails.second_reminder_hours = second_hours;
    practice
}

fn booking(state: BookingState) -> Facts {
    booking_at(state, start())
}

fn booking_at(state: BookingState, starts_at: Timestamp) -> Facts {
    let session = Session {
        starts_at: Some(to_wire(starts_at)),
        ends_at: Some(to_wire(starts_at.plus_minutes(45))),
        ..Session::default()
    };
    let booking = Booking {
        sessions: vec![session],
        mode: SessionMode::Online.into(),
        state: state.into(),
        contact: Some(Contact::default()),
        ..Booking::default()
    };
    Facts::Booking(Box::new(BookingFacts::complete(Some(booking), String::new()).unwrap()))
}

/// A mail about a booking that was made and queued ten days before its session.
fn mail(kind: Kind) -> Mail {
    queued(
        NewMail::of_booking(kind, Id::from_uuid(Uuid::from_u128(1))),
        start().plus_seconds(-10 * DAY),
    )
}

fn queued(new: NewMail, queued_at: Timestamp) -> Mail {
    Mail {
        id: new.id(),
        kind: new.kind,
        subject: new.subject,
        about: new.about,
        payload: new.payload,
        state: State::Queued,
        attempts: 0,
        due_at: queued_at,
        queued_at,
        first_tried_at: None,
        in_flight: false,
    }
}

/// The plan for a mail, so many seconds before (negative) or after an instant.
fn around(mail: &Mail, facts: &Facts, practice: &Practice, instant: Timestamp) -> [Plan; 3] {
    [-1, 0, 1].map(|seconds| plan(mail, facts, practice, instant.plus_seconds(seconds)))
}

#[test]
fn a_reminder_waits_for_its_hour_and_goes_out_until_the_session_begins() {
    let (practice, facts) = (practice(24, 0), booking(BookingState::MeetingScheduled));
    let (mail, due) = (mail(Kind::Reminder), start().plus_seconds(-DAY));
    let far = plan(&mail, &facts, &practice, due.plus_seconds(-9 * DAY));
    assert_eq!(far, Plan::Wait(due));
    let at_due = around(&mail, &facts, &practice, due);
    assert_eq!(at_due, [Plan::Wait(due), Plan::Send, Plan::Send]);
    let at_start = around(&mail, &facts, &practice, start());
    assert_eq!(at_start, [Plan::Send, Plan::Drop(TOO_LATE), Plan::Drop(TOO_LATE)]);
}

#[test]
fn a_booking_within_the_reminder_hours_is_not_reminded() {
    let (practice, facts) = (practice(24, 0), booking(BookingState::Confirmed));
    let (due, now) = (start().plus_seconds(-DAY), start().plus_seconds(-HOUR));
    for (seconds, expected) in [(-1, Plan::Send), (0, Plan::Send), (1, Plan::Drop(INSIDE_WINDOW))] {
        let booked_at = due.plus_seconds(seconds);
        let kept = json!({ BOOKED_AT: booked_at.to_string() });
        let said = Mail { payload: kept, ..mail(Kind::Reminder) };
        assert_eq!(plan(&said, &facts, &practice, now), expected, "booked {seconds} s after it");
        let silent = Mail { queued_at: booked_at, ..mail(Kind::Reminder) };
        assert_eq!(plan(&silent, &facts, &practice, now), expected, "queued {seconds} s after it");
    }
}

#[test]
fn the_booking_time_counts_and_not_the_time_of_consumption() {
    let (practice, facts) = (practice(24, 0), booking(BookingState::Confirmed));
    let booked_at = start().plus_seconds(-2 * DAY);
    let heard_at = start().plus_seconds(-2 * HOUR);
    let kept = json!({ BOOKED_AT: booked_at.to_string() });
    let late = Mail { payload: kept, queued_at: heard_at, ..mail(Kind::Reminder) };
    assert_eq!(plan(&late, &facts, &practice, heard_at), Plan::Send);
}

#[test]
fn two_reminders_share_the_time_before_a_session() {
    let (practice, facts) = (practice(24, 2), booking(BookingState::MeetingScheduled));
    let first = Mail { payload: json!({ SECOND: true }), ..mail(Kind::Reminder) };
    let second = mail(Kind::SecondReminder);
    let due = start().plus_seconds(-2 * HOUR);
    let of_first = around(&first, &facts, &practice, due);
    assert_eq!(of_first, [Plan::Send, Plan::Drop(TOO_LATE), Plan::Drop(TOO_LATE)]);
    let of_second = around(&second, &facts, &practice, due);
    assert_eq!(of_second, [Plan::Wait(due), Plan::Send, Plan::Send]);
    let at_start = around(&second, &facts, &practice, start());
    assert_eq!(at_start, [Plan::Send, Plan::Drop(TOO_LATE), Plan::Drop(TOO_LATE)]);
}

#[test]
fn a_reminder_without_a_second_one_goes_out_until_the_session_begins() {
    // Second reminders were enabled after this session was booked, so it has none.
    let (practice, facts) = (practice(24, 2), booking(BookingState::Confirmed));
    let alone = mail(Kind::Reminder);
    let of_second = around(&alone, &facts, &practice, start().plus_seconds(-2 * HOUR));
    assert_eq!(of_second, [Plan::Send; 3]);
    let at_start = around(&alone, &facts, &practice, start());
    assert_eq!(at_start, [Plan::Send, Plan::Drop(TOO_LATE), Plan::Drop(TOO_LATE)]);
}

#[test]
fn a_booking_between_both_reminders_gets_the_second_only() {
    let (practice, facts) = (practice(24, 2), booking(BookingState::Confirmed));
    let booked_at = start().plus_seconds(-5 * HOUR);
    let first = Mail { queued_at: booked_at, ..mail(Kind::Reminder) };
    let second = Mail { queued_at: booked_at, ..mail(Kind::SecondReminder) };
    let due = start().plus_seconds(-2 * HOUR);
    assert_eq!(plan(&first, &facts, &practice, booked_at), Plan::Drop(INSIDE_WINDOW));
    assert_eq!(plan(&second, &facts, &practice, booked_at), Plan::Wait(due));
    assert_eq!(plan(&second, &facts, &practice, due), Plan::Send);
    let hasty = Mail { queued_at: due.plus_seconds(1), ..second };
    let now = due.plus_seconds(1);
    assert_eq!(plan(&hasty, &facts, &practice, now), Plan::Drop(INSIDE_WINDOW));
}

#[test]
fn a_second_reminder_that_was_switched_off_is_not_sent() {
    let facts = booking(BookingState::Confirmed);
    let now = start().plus_seconds(-HOUR);
    let planned = plan(&mail(Kind::SecondReminder), &facts, &practice(24, 0), now);
    assert_eq!(planned, Plan::Drop(NOT_WANTED));
}

#[test]
fn settings_are_read_when_the_reminder_is_due() {
    let (facts, mail) = (booking(BookingState::Confirmed), mail(Kind::Reminder));
    let now = start().plus_seconds(-DAY);
    assert_eq!(plan(&mail, &facts, &practice(24, 0), now), Plan::Send);
    assert_eq!(plan(&mail, &facts, &practice(48, 0), now), Plan::Send);
    let due = start().plus_seconds(-6 * HOUR);
    assert_eq!(plan(&mail, &facts, &practice(6, 0), now), Plan::Wait(due));
}

#[test]
fn a_session_that_was_moved_takes_its_reminder_along() {
    let (practice, mail) = (practice(24, 0), mail(Kind::Reminder));
    let now = start().plus_seconds(-DAY);
    let later = booking_at(BookingState::Confirmed, start().plus_seconds(3 * DAY));
    let due = start().plus_seconds(2 * DAY);
    assert_eq!(plan(&mail, &later, &practice, now), Plan::Wait(due));
    let sooner = booking_at(BookingState::Confirmed, now.plus_seconds(HOUR));
    assert_eq!(plan(&mail, &sooner, &practice, now), Plan::Send);
    let over = booking_at(BookingState::Confirmed, now);
    assert_eq!(plan(&mail, &over, &practice, now), Plan::Drop(TOO_LATE));
}

#[test]
fn a_clock_that_was_put_back_is_waited_for() {
    let (practice, facts) = (practice(24, 0), booking(BookingState::Confirmed));
    let due = start().plus_seconds(-DAY);
    // It was queued by a clock that was ahead.
    let mail = Mail { queued_at: start().plus_seconds(-HOUR), ..mail(Kind::Reminder) };
    assert_eq!(plan(&mail, &facts, &practice, due.plus_seconds(-1)), Plan::Wait(due));
}

#[test]
fn a_session_that_does_not_take_place_is_not_reminded_of() {
    let practice = practice(24, 2);
    let now = start().plus_seconds(-3 * HOUR);
    for kind in [Kind::Reminder, Kind::SecondReminder] {
        for state in [
            BookingState::Cancelled,
            BookingState::Expired,
            BookingState::PaidUnplaced,
            BookingState::Completed,
            BookingState::NoShow,
        ] {
            let planned = plan(&mail(kind), &booking(state), &practice, now);
            assert_eq!(planned, Plan::Drop(OVERTAKEN), "{kind} {state:?}");
        }
    }
}

/// A late link is sent while there is a session to join; a late confirmation also states the
/// payment, so it is sent even after that.
#[test]
fn a_link_to_a_session_that_is_over_is_not_mailed() {
    let (practice, now) = (practice(24, 0), end().plus_minutes(90));
    for (state, link) in [
        (BookingState::Confirmed, Plan::Send),
        (BookingState::MeetingScheduled, Plan::Send),
        (BookingState::Completed, Plan::Drop(OVERTAKEN)),
        (BookingState::NoShow, Plan::Drop(OVERTAKEN)),
    ] {
        assert_eq!(plan(&mail(Kind::MeetingLink), &booking(state), &practice, now), link);
        for kind in [Kind::BookingConfirmed, Kind::PracticeNotice] {
            assert_eq!(plan(&mail(kind), &booking(state), &practice, now), Plan::Send, "{kind}");
        }
    }
}

#[test]
fn a_receipt_of_a_session_long_past_is_not_mailed_and_one_that_waited_is() {
    let (practice, facts) = (practice(24, 0), booking(BookingState::Completed));
    let limit = end().plus_seconds(14 * DAY);
    for (seconds, expected) in [(-1, Plan::Send), (0, Plan::Drop(TOO_LATE))] {
        let issued_at = limit.plus_seconds(seconds);
        let receipt = Mail { queued_at: issued_at, ..mail(Kind::Receipt) };
        assert_eq!(plan(&receipt, &facts, &practice, issued_at), expected, "{seconds} s after it");
    }
    let now = limit.plus_seconds(DAY);
    assert_eq!(plan(&mail(Kind::Receipt), &facts, &practice, now), Plan::Send);
}

/// The sheet of a Tuesday.
fn sheet() -> (Mail, Facts) {
    let date = "2026-11-24".parse().unwrap();
    let new = NewMail::about(Kind::DaySheet, "2026-11-24".to_owned(), About::Subject);
    (queued(new, start()), Facts::Day { date, sessions: Vec::new() })
}

#[test]
fn a_sheet_is_of_today_in_the_practices_zone() {
    let (practice, (mail, facts)) = (practice(24, 0), sheet());
    // India's midnight is half past six in the evening before by UTC.
    let begins: Timestamp = "2026-11-23T18:30:00Z".parse().unwrap();
    let due: Timestamp = "2026-11-24T01:30:00Z".parse().unwrap();
    let at_begin = around(&mail, &facts, &practice, begins);
    assert_eq!(at_begin, [Plan::Wait(due), Plan::Send, Plan::Send]);
    let at_end = around(&mail, &facts, &practice, begins.plus_seconds(DAY));
    assert_eq!(at_end, [Plan::Send, Plan::Drop(TOO_LATE), Plan::Drop(TOO_LATE)]);
}

#[test]
fn a_sheet_that_was_switched_off_is_not_sent() {
    let mut practice = practice(24, 0);
    practice.mails.day_sheet_at = None;
    let (mail, facts) = sheet();
    assert_eq!(plan(&mail, &facts, &practice, start()), Plan::Drop(NOT_WANTED));
}

#[test]
fn a_morning_that_the_clocks_skip_or_repeat_has_one_time() {
    let mut practice = practice(24, 0);
    practice.practice.zone = jiff::tz::TimeZone::get("Europe/Berlin").unwrap();
    let half_past_two = "02:30".parse().unwrap();
    let due = |date: &str| {
        local_time(&practice, date.parse().unwrap(), half_past_two).unwrap().to_string()
    };
    assert_eq!(due("2026-03-29"), "2026-03-29T01:30:00Z", "half past three, as there is none");
    assert_eq!(due("2026-10-25"), "2026-10-25T00:30:00Z", "the first of the two");
}

#[test]
fn mails_about_a_new_booking_do_not_wait_for_its_room() {
    let (practice, now) = (practice(24, 0), start().plus_seconds(-DAY));
    for kind in [Kind::BookingConfirmed, Kind::PracticeNotice] {
        for state in [BookingState::Confirmed, BookingState::MeetingScheduled] {
            assert_eq!(plan(&mail(kind), &booking(state), &practice, now), Plan::Send);
        }
        let cancelled = plan(&mail(kind), &booking(BookingState::Cancelled), &practice, now);
        assert_eq!(cancelled, Plan::Drop(OVERTAKEN));
    }
}

#[test]
fn everything_else_is_sent_at_once() {
    let (practice, facts) = (practice(24, 0), booking(BookingState::Cancelled));
    for kind in [
        Kind::BookingCancelled,
        Kind::CancellationNotice,
        Kind::RefundStarted,
        Kind::RefundDone,
        Kind::Receipt,
        Kind::DisputeNotice,
    ] {
        assert_eq!(plan(&mail(kind), &facts, &practice, start()), Plan::Send, "{kind}");
    }
}

#[test]
fn a_review_notice_is_sent_while_the_review_is_new() {
    let (practice, now) = (practice(24, 0), start());
    let review = |written: Timestamp| {
        Facts::Review(Review { created_at: Some(to_wire(written)), ..Review::default() })
    };
    let new = NewMail::about(
        Kind::ReviewNotice,
        "rvw_00000000000000000000000000000001".to_owned(),
        About::Subject,
    );
    let mail = queued(new, now);
    assert_eq!(plan(&mail, &review(now), &practice, now), Plan::Send);
    let old = now.plus_seconds(-14 * DAY);
    assert_eq!(plan(&mail, &review(old.plus_seconds(1)), &practice, now), Plan::Send);
    assert_eq!(plan(&mail, &review(old), &practice, now), Plan::Drop(TOO_LATE));
}
