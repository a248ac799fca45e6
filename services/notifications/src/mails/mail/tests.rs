//! When a mail is tried again, and how it keeps its identity.

use kernel::id::Booking;
use kernel::{Id, Timestamp};
use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};
use serde_json::Value;
use uuid::Uuid;

use super::{About, Kind, Mail, MailId, NewMail, State};

fn booking(number: u128) -> Id<Booking> {
    Id::from_uuid(Uuid::from_u128(number))
}

fn tried(attempts: i32, first_tried_at: Option<Timestamp>) -> Mail {
    Mail {
        id: MailId::from_uuid(Uuid::from_u128(1)),
        kind: Kind::BookingConfirmed,
        subject: booking(1).to_string(),
        about: About::Booking(booking(1)),
        payload: Value::Null,
        state: State::Retrying,
        attempts,
        due_at: Timestamp::EPOCH,
        queued_at: Timestamp::EPOCH,
        first_tried_at,
        in_flight: false,
    }
}

fn wait(attempts: i32, jitter: u16) -> i64 {
    let next = tried(attempts, None).next_try(Timestamp::EPOCH, jitter);
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
fn the_same_mail_has_the_same_id_and_another_one_has_not() {
    let id = |kind, number| NewMail::of_booking(kind, booking(number)).id();
    assert_eq!(id(Kind::BookingConfirmed, 1), id(Kind::BookingConfirmed, 1));
    assert_ne!(id(Kind::BookingConfirmed, 1), id(Kind::PracticeNotice, 1));
    assert_ne!(id(Kind::BookingConfirmed, 1), id(Kind::BookingConfirmed, 2));
}

#[test]
fn every_kind_is_known_by_its_name() {
    for kind in Kind::ALL {
        assert_eq!(kind.name().parse(), Ok(*kind));
    }
    assert!("newsletter".parse::<Kind>().is_err());
    for state in State::ALL {
        assert_eq!(state.name().parse(), Ok(state));
        assert_eq!(State::of_wire(state.wire()), Some(state));
    }
}

#[test]
fn mails_to_the_practice_codes_and_notices_are_not_counted() {
    let free: Vec<&str> =
        Kind::ALL.iter().filter(|kind| !kind.is_counted()).map(|kind| kind.name()).collect();
    let wanted = [
        "account_invitation",
        "account_notice",
        "cancellation_notice",
        "confirm_address",
        "contact_message",
        "day_sheet",
        "dispute_notice",
        "leave_address",
        "move_notice",
        "new_address",
        "practice_notice",
        "reauthentication",
        "recover_password",
        "refund_asked_notice",
        "refund_failed_notice",
        "review_notice",
        "room_missing_notice",
        "sign_in_code",
    ];
    assert_eq!(free, wanted);
    for kind in Kind::ALL.iter().filter(|kind| kind.can_be_unsubscribed()) {
        assert!(kind.is_counted(), "whose mails can end is known by the same hash: {kind}");
    }
}

#[test]
fn mails_of_a_paid_booking_are_never_delayed() {
    let waits: Vec<&str> =
        Kind::ALL.iter().filter(|kind| kind.is_rate_limited()).map(|kind| kind.name()).collect();
    let wanted = ["contact_acknowledgement", "follow_up", "hold_ended", "meditation_guide"];
    assert_eq!(waits, wanted);
    for kind in Kind::ALL.iter().filter(|kind| kind.is_rate_limited()) {
        assert!(kind.is_counted(), "only what counts can wait: {kind}");
    }
    for kind in Kind::ALL.iter().filter(|kind| kind.hourly_max().is_some()) {
        assert!(kind.is_rate_limited(), "only what waits has a number of its own: {kind}");
    }
}

proptest! {
    /// With any jitter, the next attempt lies between the plain wait and a fifth more, and the
    /// waits never shrink except by that fifth.
    #[test]
    fn the_next_try_is_spread_and_nothing_else(
        attempts in -3_i32..200,
        jitter in any::<u16>(),
        other in any::<u16>(),
    ) {
        let plain = wait(attempts, 0);
        let spread = wait(attempts, jitter);
        prop_assert!((30..=3600).contains(&plain));
        prop_assert!(spread >= plain && spread <= plain + plain / 5, "{plain} {spread}");
        prop_assert!(wait(attempts.saturating_add(1), other) >= plain);
        if jitter < other {
            prop_assert!(spread <= wait(attempts, other));
        }
    }

    /// From its first try a mail is tried for exactly three days, and always later than now.
    #[test]
    fn a_mail_ends_three_days_after_its_first_try(
        since in 0_i64..400_000,
        attempts in 0_i32..200,
        jitter in any::<u16>(),
    ) {
        let first = Timestamp::EPOCH;
        let now = first.plus_seconds(since);
        let next = tried(attempts, Some(first)).next_try(now, jitter);
        prop_assert_eq!(next.is_some(), since < 72 * 60 * 60);
        if let Some(next) = next {
            prop_assert!(next.seconds_since(now) >= 30);
        }
        prop_assert!(tried(attempts, None).next_try(now, jitter).is_some(), "a first try");
    }
}
