//! When a mail is tried again, and how it keeps its identity.

use kernel::id::Booking;
use kernel::{Id, Timestamp};
use serde_json::Value;
use uuid::Uuid;

use super::{About, CLAIM_SECONDS, Kind, Mail, MailId, NewMail, State};
use crate::sending::KEEP_EVERY;

fn booking(number: u128) -> Id<Booking> {
    Id::from_uuid(Uuid::from_u128(number))
}

fn tried(attempts: i32, first_tried_at: Option<Timestamp>) -> Mail {
    Mail {
        id: MailId::from_uuid(Uuid::from_u128(1)),
        kind: Kind::BookingConfirmed,
        about: About::Booking(booking(1)),
        payload: Value::Null,
        state: State::Retrying,
        attempts,
        due_at: Timestamp::EPOCH,
        waits_for_link_until: None,
        first_tried_at,
        on_its_way: false,
    }
}

fn wait(attempts: i32, dice: u16) -> i64 {
    let next = tried(attempts, None).next_try(Timestamp::EPOCH, dice);
    next.unwrap().seconds_since(Timestamp::EPOCH)
}

#[test]
fn waits_double_from_half_a_minute_to_an_hour() {
    let waits: Vec<i64> = (0..9).map(|attempts| wait(attempts, 0)).collect();
    assert_eq!(waits, [30, 60, 120, 240, 480, 960, 1920, 3600, 3600]);
    assert_eq!(wait(i32::MAX, 0), 3600);
}

#[test]
fn waits_are_spread_by_a_fifth() {
    assert_eq!((wait(0, 0), wait(0, u16::MAX)), (30, 36));
    assert_eq!((wait(20, 0), wait(20, u16::MAX)), (3600, 4320));
}

#[test]
fn a_mail_is_tried_for_three_days() {
    let first = Timestamp::EPOCH;
    let almost = first.plus_minutes(72 * 60 - 1);
    assert!(tried(80, Some(first)).next_try(almost, 0).is_some());
    assert_eq!(tried(80, Some(first)).next_try(first.plus_minutes(72 * 60), 0), None);
}

#[test]
fn a_claim_is_kept_well_before_it_ends() {
    let pause = i64::try_from(KEEP_EVERY.as_secs()).unwrap();
    assert!(pause * 3 <= CLAIM_SECONDS);
}

#[test]
fn the_same_mail_has_the_same_id_and_another_one_has_not() {
    let id = |kind, number| NewMail::of_booking(kind, booking(number)).id();
    assert_eq!(id(Kind::BookingConfirmed, 1), id(Kind::BookingConfirmed, 1));
    assert_ne!(id(Kind::BookingConfirmed, 1), id(Kind::PracticeNotice, 1));
    assert_ne!(id(Kind::BookingConfirmed, 1), id(Kind::BookingConfirmed, 2));
}

#[test]
fn every_kind_is_known_by_its_name() {
    for kind in Kind::ALL {
        assert_eq!(kind.name().parse(), Ok(kind));
    }
    assert!("newsletter".parse::<Kind>().is_err());
    for state in State::ALL {
        assert_eq!(state.name().parse(), Ok(state));
    }
}
