//! The file says when and where, and nothing private.

mod read_by_others;

use std::path::Path;

use contract::booking::v1 as wire;
use contract::convert::{practice_late_to_wire, to_wire};
use kernel::{Currency, Id, Money, PracticeLate, Timestamp};
use practice::Practice;
use uuid::Uuid;

use super::{cancellation, cancellation_of, filename};
use crate::domain::booking::Origin;
use crate::read_model::view::View;

/// The page at which sessions online are joined.
const JOIN: &str = "http://127.0.0.1:8080/join#key=aQ3xVw8Zr0LkT5yBn2HsJ7uGd4EfCm1PiO9oRtXvK6M";
/// The room, which is in no file.
const ROOM: &str = "http://127.0.0.1:8090/m/abcdefghijklmnopqrstuv";

fn file(practice: &Practice, view: &View) -> Option<String> {
    super::file(practice, view, JOIN)
}

fn practice() -> Practice {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/local/practice");
    let mut practice = practice::load(&folder).unwrap();
    practice.practice.name = "Sukoon; Body, Mind & \"Soul\"".to_owned();
    practice
}

fn view(state: wire::BookingState, join_url: &str, location: &str) -> View {
    let start = Timestamp::from_seconds(1_795_498_200).unwrap();
    View {
        customer_id: Id::from_uuid(Uuid::from_u128(1)),
        requested_at: start.plus_minutes(-3000),
        confirmed_on_claim: false,
        origin: Origin::Account,
        terms_missing: false,
        marks: Vec::new(),
        own_moves: vec![0],
        booking: wire::Booking {
            booking_id: "bkg_019340000000700080000000000000ab".to_owned(),
            service_id: "mental-health".to_owned(),
            service_title: "Mental Health Counselling".to_owned(),
            sessions: vec![wire::Session {
                starts_at: Some(to_wire(start)),
                ends_at: Some(to_wire(start.plus_minutes(90))),
                ..wire::Session::default()
            }],
            time_zone: "Asia/Kolkata".to_owned(),
            state: state.into(),
            join_url: join_url.to_owned(),
            location: location.to_owned(),
            contact: Some(wire::Contact {
                first_name: "Asha".to_owned(),
                last_name: "Rao".to_owned(),
                email: "asha@example.org".to_owned(),
                phone: "+919893012345".to_owned(),
                notes: "I have not slept".to_owned(),
            }),
            ..wire::Booking::default()
        },
    }
}

#[test]
fn a_session_says_until_when_how_much_goes_back() {
    let mut view = view(wire::BookingState::Confirmed, "", "Bhopal");
    let session = &mut view.booking.sessions[0];
    let refund = Some(Money { minor: 25_000, currency: Currency::Inr }.into());
    let practice_late = practice_late_to_wire(PracticeLate::Share(20));
    let step = wire::RefundStep { until_at: session.starts_at, refund, practice_late };
    session.refund_steps = vec![step];
    let text = file(&practice(), &view).unwrap().replace("\r\n ", "");
    let words = "until Tuesday 24 November 2026\\, 11:00 am IST we refund ₹250 \
                 (if we cancel then: all of it\\, and 20% of the price).";
    assert!(text.contains(words), "{text}");
}

#[test]
fn an_online_session_carries_the_page_that_leads_to_it() {
    let view = view(wire::BookingState::MeetingScheduled, ROOM, "");
    insta::assert_snapshot!("online", file(&practice(), &view).unwrap());
    assert_eq!(filename(&practice(), &view), "session-2026-11-24.ics");
}

#[test]
fn of_several_practitioners_the_file_names_the_sessions_own() {
    let mut practice = practice();
    let mut view = view(wire::BookingState::Confirmed, "", "");
    "Ravi Menon".clone_into(&mut view.booking.practitioner_name);
    assert!(!file(&practice, &view).unwrap().contains("Ravi"));
    practice.practitioners.push(practice::FurtherPractitioner {
        practitioner_id: "ravi".to_owned(),
        name: "Ravi Menon".to_owned(),
        weekdays: None,
        first_start: None,
        last_start: None,
        closed_dates: None,
        blocked_times: None,
    });
    // Long lines are folded.
    let unfolded = file(&practice, &view).unwrap().replace("\r\n ", "");
    assert!(unfolded.contains("With Ravi Menon."), "{unfolded}");
}

#[test]
fn a_session_in_person_carries_its_place() {
    let view = view(wire::BookingState::Confirmed, "", "Sukoon, Arera Colony, Bhopal");
    insta::assert_snapshot!("in_person", file(&practice(), &view).unwrap());
}

#[test]
fn a_cancelled_session_is_taken_out_of_the_calendar() {
    let view = view(wire::BookingState::Cancelled, ROOM, "");
    assert_eq!(file(&practice(), &view), None);
    insta::assert_snapshot!("cancelled", cancellation(&practice(), &view).unwrap());
}

#[test]
fn only_a_cancelled_booking_is_taken_out() {
    for state in [wire::BookingState::Confirmed, wire::BookingState::Held] {
        assert_eq!(cancellation(&practice(), &view(state, "", "")), None);
    }
}

#[test]
fn calendar_lines_end_with_crlf_and_are_folded() {
    let page = format!("https://sukoon.example/join#key={}", "x".repeat(200));
    let view = view(wire::BookingState::Confirmed, "", "");
    let text = super::file(&practice(), &view, &page).unwrap();
    assert!(text.starts_with("BEGIN:VCALENDAR\r\n") && text.ends_with("END:VCALENDAR\r\n"));
    for line in text.split("\r\n") {
        assert!(line.len() <= 75 && !line.contains('\n'), "{line}");
    }
    let unfolded = text.replace("\r\n ", "");
    assert!(unfolded.contains(&format!("\r\nURL:{page}\r\n")));
}

/// Each session of a package is an event with an id of its own that stays. One that was cancelled
/// is taken out by the same file.
#[test]
fn a_package_is_an_event_for_each_session() {
    let mut view = view(wire::BookingState::MeetingScheduled, ROOM, "");
    let first = view.booking.sessions[0].clone();
    let later = |days: i64| {
        let move_on = |at: &Option<_>| {
            let at: Timestamp = contract::convert::timestamp(at.as_ref().unwrap()).unwrap();
            Some(to_wire(at.plus_minutes(days * 24 * 60)))
        };
        let (starts_at, ends_at) = (move_on(&first.starts_at), move_on(&first.ends_at));
        wire::Session { starts_at, ends_at, ..wire::Session::default() }
    };
    view.booking.sessions.extend([later(7), later(14)]);
    let before = file(&practice(), &view).unwrap();
    view.booking.sessions[1].cancelled = true;
    let after = file(&practice(), &view).unwrap();
    let lines = |text: &str, key: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| line.starts_with(key));
        lines.map(|line| line[key.len()..].to_owned()).collect()
    };
    let ids: Vec<String> =
        (0..3).map(|number| format!("{}-{number}@", view.booking.booking_id)).collect();
    for text in [&before, &after] {
        let uids: Vec<String> =
            lines(text, "UID:").into_iter().filter(|uid| !uid.starts_with("alarm")).collect();
        assert_eq!(uids.len(), 3);
        assert!(uids.iter().zip(&ids).all(|(uid, id)| uid.starts_with(id.as_str())), "{uids:?}");
    }
    assert_eq!(lines(&before, "STATUS:"), ["CONFIRMED", "CONFIRMED", "CONFIRMED"]);
    assert_eq!(lines(&after, "STATUS:"), ["CONFIRMED", "CANCELLED", "CONFIRMED"]);
    assert_eq!(lines(&after, "SEQUENCE:"), ["1", "2", "1"]);
    assert!(lines(&before, "SUMMARY:")[1].starts_with("Session 2 of 3 with "));
}

/// A file cancels all that stands in it, so that of one session has that one alone.
#[test]
fn one_session_of_a_package_is_cancelled_by_a_file_of_its_own() {
    let mut view = view(wire::BookingState::MeetingScheduled, ROOM, "");
    let first = view.booking.sessions[0].clone();
    view.booking.sessions.extend([first.clone(), first]);
    assert_eq!(cancellation_of(&practice(), &view, 2), None);
    view.booking.sessions[1].cancelled = true;
    let text = cancellation_of(&practice(), &view, 2).unwrap();
    let id = format!("UID:{}-1@bookings.sukoon\r\n", view.booking.booking_id);
    for line in ["METHOD:CANCEL\r\n", "STATUS:CANCELLED\r\n", "SEQUENCE:2\r\n", id.as_str()] {
        assert!(text.contains(line), "{text}");
    }
    assert_eq!(text.matches("BEGIN:VEVENT").count(), 1);
    for other in [0, 1, 3, 4] {
        assert_eq!(cancellation_of(&practice(), &view, other), None, "{other}");
    }
}

/// Also of a session that a release before wrote a file of without its room.
#[test]
fn the_file_is_the_same_before_and_after_the_room_is_there() {
    let of = |state, room| file(&practice(), &view(state, room, "")).unwrap();
    let before = of(wire::BookingState::Confirmed, "");
    assert_eq!(before, of(wire::BookingState::MeetingScheduled, ROOM));
    assert!(before.contains("SEQUENCE:1\r\n"), "{before}");
}

#[test]
fn a_calendar_file_names_no_person_no_service_and_no_room() {
    let several = |state| {
        let mut view = view(state, ROOM, "");
        let first = view.booking.sessions[0].clone();
        view.booking.sessions.push(wire::Session { cancelled: true, ..first });
        view
    };
    let placed = several(wire::BookingState::MeetingScheduled);
    let in_person = view(wire::BookingState::Confirmed, ROOM, "Sukoon, Arera Colony, Bhopal");
    let texts = [
        file(&practice(), &placed),
        file(&practice(), &in_person),
        cancellation_of(&practice(), &placed, 2),
        cancellation(&practice(), &several(wire::BookingState::Cancelled)),
    ];
    for text in texts {
        let text = text.unwrap().replace("\r\n ", "").to_lowercase();
        for canary in ["mental", "counselling", "asha", "rao", "9893012345", "slept", "8090"] {
            assert!(!text.contains(canary), "{canary}: {text}");
        }
    }
}

#[test]
fn only_a_placed_booking_has_a_calendar_file() {
    for state in [
        wire::BookingState::Held,
        wire::BookingState::AwaitingPayment,
        wire::BookingState::Expired,
        wire::BookingState::Cancelled,
        wire::BookingState::PaidUnplaced,
    ] {
        assert_eq!(file(&practice(), &view(state, "", "")), None);
    }
}
