//! The mails about a package: one for all of it, and reminders and cancellations for each session.

use contract::booking::v1::{Booking, BookingState, Contact, Session};
use contract::convert::to_wire;
use kernel::Id;
use uuid::Uuid;

use super::{DAY, end, mail, practice, queued, start};
use crate::mails::facts::{BookingFacts, Facts};
use crate::mails::kind::Kind;
use crate::mails::kinds::plan;
use crate::mails::mail::{Mail, NewMail};
use crate::mails::planning::{OVERTAKEN, Plan, further_reminders};

/// Sessions at eleven, a week apart; the one of this number is cancelled.
fn package(state: BookingState, cancelled: usize) -> BookingFacts {
    let session = |number: usize| {
        let later = 7 * DAY * (i64::try_from(number).unwrap() - 1);
        Session {
            starts_at: Some(to_wire(start().plus_seconds(later))),
            ends_at: Some(to_wire(end().plus_seconds(later))),
            cancelled: number == cancelled,
            ..Session::default()
        }
    };
    let booking = Booking {
        sessions: (1..=3).map(session).collect(),
        state: state.into(),
        contact: Some(Contact::default()),
        ..Booking::default()
    };
    BookingFacts::complete(Some(booking), String::new()).unwrap()
}

/// The facts of a mail, as the worker loads them.
fn facts(mail: &Mail, facts: BookingFacts) -> Facts {
    Facts::Booking(Box::new(facts.about_session(mail.kind, mail.session_number()).unwrap()))
}

fn of_session(kind: Kind, number: usize) -> Mail {
    let new = NewMail::of_session(kind, Id::from_uuid(Uuid::from_u128(1)), number);
    queued(new, start().plus_seconds(-10 * DAY))
}

#[test]
fn the_first_reminder_brings_those_of_the_other_sessions() {
    let first = mail(Kind::Reminder);
    let whole = facts(&first, package(BookingState::Confirmed, 0));
    let further = further_reminders(&first, &whole);
    let subjects: Vec<String> = further.iter().map(|mail| mail.subject.clone()).collect();
    let id = &first.subject;
    assert_eq!(subjects, [format!("{id}/2"), format!("{id}/3")]);
    assert!(further.iter().all(|mail| mail.payload == first.payload));
    for other in [of_session(Kind::Reminder, 2), mail(Kind::FollowUp)] {
        let about = facts(&other, package(BookingState::Confirmed, 0));
        assert!(further_reminders(&other, &about).is_empty());
    }
}

#[test]
fn each_reminder_waits_for_its_own_session() {
    let practice = practice(24, 0);
    for (number, weeks) in [(2, 1), (3, 2)] {
        let mail = of_session(Kind::Reminder, number);
        let due = start().plus_seconds(7 * DAY * weeks - DAY);
        let about = facts(&mail, package(BookingState::Confirmed, 0));
        assert_eq!(plan(&mail, &about, &practice, start()), Plan::Wait(due));
        assert_eq!(plan(&mail, &about, &practice, due), Plan::Send);
        let gone = facts(&mail, package(BookingState::Confirmed, number));
        assert_eq!(plan(&mail, &gone, &practice, due), Plan::Drop(OVERTAKEN));
    }
    let first = mail(Kind::Reminder);
    let gone = facts(&first, package(BookingState::Confirmed, 1));
    assert_eq!(plan(&first, &gone, &practice, start().plus_seconds(-DAY)), Plan::Drop(OVERTAKEN));
}

#[test]
fn a_cancelled_session_has_a_mail_of_its_own_unless_all_are_cancelled() {
    let practice = practice(24, 0);
    let mail = of_session(Kind::BookingCancelled, 2);
    let one = facts(&mail, package(BookingState::Confirmed, 2));
    assert_eq!(plan(&mail, &one, &practice, start()), Plan::Send);
    let over = facts(&mail, package(BookingState::Completed, 2));
    assert_eq!(plan(&mail, &over, &practice, start()), Plan::Send);
    let all = facts(&mail, package(BookingState::Cancelled, 2));
    assert_eq!(plan(&mail, &all, &practice, start()), Plan::Drop(OVERTAKEN));
}

#[test]
fn the_follow_up_comes_after_the_last_session_that_was_not_cancelled() {
    let (practice, mail) = (practice(24, 0), mail(Kind::FollowUp));
    let minutes = i64::from(practice.mails.follow_up_minutes);
    for (cancelled, last) in [(1, 3), (3, 2)] {
        let due = end().plus_seconds(7 * DAY * (i64::from(last) - 1)).plus_minutes(minutes);
        let package = package(BookingState::Completed, cancelled);
        let about = facts(&mail, BookingFacts { attended_sessions: vec![last], ..package });
        assert_eq!(plan(&mail, &about, &practice, start()), Plan::Wait(due));
    }
}
