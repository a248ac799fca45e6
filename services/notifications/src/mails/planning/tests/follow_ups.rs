//! The thanks after a session: once staff said that the client came, else in the evening.

use contract::booking::v1::{Booking, BookingState, Contact, Session};
use contract::convert::to_wire;
use kernel::Timestamp;
use practice::Practice;

use super::{DAY, around, end, mail, practice, start};
use crate::mails::facts::{BookingFacts, Facts};
use crate::mails::kind::Kind;
use crate::mails::kinds::plan;
use crate::mails::planning::{OVERTAKEN, Plan, TOO_LATE};

/// The facts of the follow-up on sessions of three quarters of an hour that end at these instants;
/// to those of these numbers the client came.
fn facts(state: BookingState, ends: &[Timestamp], attended: &[i32]) -> Facts {
    let session = |end: &Timestamp| Session {
        starts_at: Some(to_wire(end.plus_minutes(-45))),
        ends_at: Some(to_wire(*end)),
        ..Session::default()
    };
    let booking = Booking {
        sessions: ends.iter().map(session).collect(),
        state: state.into(),
        contact: Some(Contact::default()),
        ..Booking::default()
    };
    let facts = BookingFacts::complete(Some(booking), String::new()).unwrap();
    let facts = BookingFacts { attended_sessions: attended.to_vec(), ..facts };
    Facts::Booking(Box::new(facts.about_session(Kind::FollowUp, None).unwrap()))
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn zoned(zone: &str) -> Practice {
    let mut practice = practice(24, 0);
    practice.practice.zone = jiff::tz::TimeZone::get(zone).unwrap();
    practice
}

/// When the follow-up on a session that ends at this instant is due.
fn due(practice: &Practice, end: &str, attended: &[i32]) -> String {
    let facts = facts(BookingState::Completed, &[at(end)], attended);
    match plan(&mail(Kind::FollowUp), &facts, practice, at(end)) {
        Plan::Wait(until) => until.to_string(),
        other => format!("{other:?}"),
    }
}

#[test]
fn without_a_mark_it_waits_until_the_evening_and_for_two_hours_at_least() {
    let india = zoned("Asia/Kolkata");
    for (end, until) in [
        ("2026-11-24T06:15:00Z", "2026-11-24T14:30:00Z"),
        // 17:59, 18:00, 18:01 and 19:30 in India.
        ("2026-11-24T12:29:00Z", "2026-11-24T14:30:00Z"),
        ("2026-11-24T12:30:00Z", "2026-11-24T14:30:00Z"),
        ("2026-11-24T12:31:00Z", "2026-11-24T14:31:00Z"),
        ("2026-11-24T14:00:00Z", "2026-11-24T16:00:00Z"),
        // A quarter past midnight: the evening of the day on which it began is over.
        ("2026-11-24T18:45:00Z", "2026-11-24T20:45:00Z"),
    ] {
        assert_eq!(due(&india, end, &[]), until, "{end}");
    }
}

#[test]
fn the_evening_is_that_of_the_practice() {
    // Ten in the morning in Auckland is still the day before by UTC.
    let auckland = zoned("Pacific/Auckland");
    assert_eq!(due(&auckland, "2026-11-23T21:45:00Z", &[]), "2026-11-24T07:00:00Z");
    // On the day on which Berlin's clocks are put back.
    let berlin = zoned("Europe/Berlin");
    assert_eq!(due(&berlin, "2026-10-25T09:00:00Z", &[]), "2026-10-25T19:00:00Z");
}

#[test]
fn once_the_client_came_it_waits_as_long_as_the_practice_chose() {
    let mut practice = zoned("Asia/Kolkata");
    assert_eq!(due(&practice, "2026-11-24T06:15:00Z", &[1]), "2026-11-24T07:15:00Z");
    // A mark of another session says nothing.
    assert_eq!(due(&practice, "2026-11-24T06:15:00Z", &[2]), "2026-11-24T14:30:00Z");
    practice.mails.follow_up_minutes = 0;
    let came = facts(BookingState::Completed, &[end()], &[1]);
    assert_eq!(plan(&mail(Kind::FollowUp), &came, &practice, end()), Plan::Send);
    // Longer than until the evening: with a mark or without one.
    practice.mails.follow_up_minutes = 24 * 60;
    for attended in [&[][..], &[1]] {
        assert_eq!(due(&practice, "2026-11-24T06:15:00Z", attended), "2026-11-25T06:15:00Z");
    }
}

#[test]
fn a_mark_that_comes_late_lets_it_go_at_once() {
    let (practice, mail) = (zoned("Asia/Kolkata"), mail(Kind::FollowUp));
    let evening = at("2026-11-24T14:30:00Z");
    let unmarked = facts(BookingState::Completed, &[end()], &[]);
    let wanted = [Plan::Wait(evening), Plan::Send, Plan::Send];
    assert_eq!(around(&mail, &unmarked, &practice, evening), wanted);
    let came = facts(BookingState::Completed, &[end()], &[1]);
    assert_eq!(plan(&mail, &came, &practice, evening.plus_minutes(-90)), Plan::Send);
}

#[test]
fn who_did_not_come_is_not_thanked_and_the_last_mark_counts() {
    let (practice, mail) = (zoned("Asia/Kolkata"), mail(Kind::FollowUp));
    let evening = at("2026-11-24T14:30:00Z");
    let missed = facts(BookingState::NoShow, &[end()], &[]);
    let wanted = [Plan::Wait(evening), Plan::Drop(OVERTAKEN), Plan::Drop(OVERTAKEN)];
    assert_eq!(around(&mail, &missed, &practice, evening), wanted);
    // The mark was wrong, and is changed before the evening.
    let came = facts(BookingState::Completed, &[end()], &[1]);
    assert_eq!(plan(&mail, &came, &practice, evening.plus_minutes(-1)), Plan::Send);
    let cancelled = facts(BookingState::Cancelled, &[end()], &[]);
    assert_eq!(plan(&mail, &cancelled, &practice, end()), Plan::Drop(OVERTAKEN));
}

#[test]
fn of_a_package_the_mark_of_the_last_session_counts() {
    let (practice, mail) = (zoned("Asia/Kolkata"), mail(Kind::FollowUp));
    let ends = [end(), end().plus_seconds(7 * DAY)];
    let soonest = ends[1].plus_minutes(60);
    let evening = at("2026-12-01T14:30:00Z");
    for (attended, until) in [(&[][..], evening), (&[1], evening), (&[2], soonest)] {
        let facts = facts(BookingState::Completed, &ends, attended);
        assert_eq!(plan(&mail, &facts, &practice, start()), Plan::Wait(until), "{attended:?}");
    }
}

#[test]
fn it_is_not_sent_weeks_late() {
    let (practice, mail) = (zoned("Asia/Kolkata"), mail(Kind::FollowUp));
    let (soonest, evening) = (end().plus_minutes(60), at("2026-11-24T14:30:00Z"));
    for (attended, due) in [(&[][..], evening), (&[1], soonest)] {
        let facts = facts(BookingState::Completed, &[end()], attended);
        let stale = around(&mail, &facts, &practice, due.plus_seconds(14 * DAY));
        assert_eq!(stale, [Plan::Send, Plan::Drop(TOO_LATE), Plan::Drop(TOO_LATE)]);
    }
}
