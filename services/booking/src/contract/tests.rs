//! The stored form of every event: a change is noticed, and it is read as it was written.

use eventstore::{NewEvent, Recorded};
use kernel::{Id, Money, Timestamp};
use uuid::Uuid;

use super::{booking_event, day_event, read_booking_event, read_day_event};
use crate::domain::booking::{
    self, Attendance, CancelledBy, ConfirmationBasis, Facts, MeetingId, Mode, MoveProposal,
    MovedBy, Origin, Package, PaymentId,
};
use crate::domain::day;
use crate::domain::span::Span;

fn at(minutes: i64) -> Timestamp {
    Timestamp::from_seconds(1_795_498_200).unwrap().plus_minutes(minutes)
}

fn facts() -> Facts {
    Facts {
        booking_id: Id::from_uuid(Uuid::from_u128(0x0193_4000_0000_7000_8000_0000_0000_00ab)),
        customer_id: Id::from_uuid(Uuid::from_u128(7)),
        service_id: "energy-healing".to_owned(),
        service_title: "Energy Healing".to_owned(),
        price: Money::inr(110_000),
        package: None,
        sessions: vec![Span::new(at(0), at(90)).unwrap()],
        practitioner_id: "lead".to_owned(),
        mode: Mode::InPerson,
        origin: Origin::Account,
        policy: None,
    }
}

fn stored(new: &NewEvent) -> Recorded {
    Recorded {
        event_id: new.event_id,
        stream_id: "any".to_owned(),
        version: 1,
        position: 0,
        event_type: new.event_type.clone(),
        payload: new.payload.clone(),
        metadata: eventstore::Metadata::default(),
        recorded_at: at(0),
    }
}

fn cancelled(by: CancelledBy, minor: i64) -> booking::Event {
    booking::Event::Cancelled { by, refund: Money::inr(minor), unpaid: false, by_grace: false }
}

#[test]
fn a_bookings_events_are_stored_like_this() {
    let payment = || PaymentId("pay_1".to_owned());
    for event in [
        booking::Event::Requested { facts: facts(), until: at(15) },
        booking::Event::CheckoutOpened { until: at(30) },
        booking::Event::Confirmed {
            basis: ConfirmationBasis::Payment(payment()),
            reinstated: true,
        },
        booking::Event::Paid { payment: payment() },
        cancelled(CancelledBy::Customer, 110_000),
        booking::Event::MeetingScheduled { meeting: MeetingId("room_1".to_owned()) },
        booking::Event::Expired,
        booking::Event::Released,
        booking::Event::Unplaced { payment: payment() },
        booking::Event::AttendanceMarked {
            number: 1,
            attendance: Attendance::Late,
            no_show: false,
        },
        booking::Event::Moved {
            number: 1,
            from: Span::new(at(0), at(90)).unwrap(),
            to: Span::new(at(1440), at(1530)).unwrap(),
            by: MovedBy::Practice,
            move_number: 2,
            practitioner: None,
        },
        booking::Event::MoveProposed(MoveProposal {
            number: 1,
            session: 2,
            starts_at: at(2880),
            choose_until: at(1440),
            opens_again: true,
        }),
        booking::Event::MoveProposalWithdrawn { session: 2, number: 1 },
        booking::Event::Completed,
    ] {
        let new = booking_event(facts().booking_id, &event).unwrap();
        insta::assert_json_snapshot!(new.event_type.clone(), new.payload);
        assert_eq!(read_booking_event(&stored(&new)).unwrap(), event);
        assert!(read_day_event(&stored(&new)).is_err());
    }
}

#[test]
fn a_days_events_are_stored_like_this() {
    let booking_id = facts().booking_id;
    let block_id = Id::from_uuid(booking_id.uuid());
    let span = Span::new(at(0), at(90)).unwrap();
    for event in [
        day::Event::Held { booking_id, span, until: at(15) },
        day::Event::HoldExtended { booking_id, until: at(30) },
        day::Event::Booked { booking_id, span },
        day::Event::Released { booking_id },
        day::Event::Blocked { block_id, span },
        day::Event::Unblocked { block_id },
    ] {
        let new = day_event(&event).unwrap();
        insta::assert_json_snapshot!(new.event_type.clone(), new.payload);
        assert_eq!(read_day_event(&stored(&new)).unwrap(), event);
        assert!(read_booking_event(&stored(&new)).is_err());
    }
}

#[test]
fn an_accepted_claim_names_no_payment_and_no_refund_is_an_amount_too() {
    let on_claim = booking::Event::Confirmed { basis: ConfirmationBasis::Claim, reinstated: false };
    let without = cancelled(CancelledBy::Practice, 0);
    let refund = Money::inr(110_000);
    let unpaid = booking::Event::Cancelled {
        by: CancelledBy::Practice,
        refund,
        unpaid: true,
        by_grace: false,
    };
    let free = booking::Event::Confirmed { basis: ConfirmationBasis::Free, reinstated: false };
    for (name, event) in [
        ("confirmed_free", free),
        ("claim_accepted", on_claim),
        ("cancelled_without_refund", without),
        ("cancelled_unpaid", unpaid),
    ] {
        let new = booking_event(facts().booking_id, &event).unwrap();
        insta::assert_json_snapshot!(name, new.payload);
        assert_eq!(read_booking_event(&stored(&new)).unwrap(), event);
    }
}

#[test]
fn streams_are_named_by_what_they_are_of() {
    let id = facts().booking_id;
    assert_eq!(super::booking_stream(id), "booking-01934000-0000-7000-8000-0000000000ab");
    let date = jiff::civil::date(2026, 11, 24);
    assert_eq!(super::day_stream("lead", date), "day-lead-2026-11-24");
}

/// A package of two sessions, a day apart.
fn package() -> Facts {
    Facts {
        package: Some(Package {
            id: "starter".to_owned(),
            title: "Starter Package".to_owned(),
            notice_hours: 24,
        }),
        sessions: [0, 1440].map(|from| Span::new(at(from), at(from + 90)).unwrap()).to_vec(),
        ..facts()
    }
}

#[test]
fn the_events_of_a_package_are_stored_like_this() {
    let share = Money::inr(55_000);
    for (name, event) in [
        ("package_requested", booking::Event::Requested { facts: package(), until: at(15) }),
        ("session_completed", booking::Event::SessionCompleted { number: 1, share }),
        (
            "session_cancelled",
            booking::Event::SessionCancelled {
                number: 2,
                by: CancelledBy::Customer,
                share,
                refund: Money::inr(0),
                unpaid: true,
                with_all: false,
                by_grace: true,
            },
        ),
    ] {
        let new = booking_event(facts().booking_id, &event).unwrap();
        insta::assert_json_snapshot!(name, new.payload);
        assert_eq!(read_booking_event(&stored(&new)).unwrap(), event);
    }
}

/// A request from before there were packages, word for word.
#[test]
fn an_older_request_reads_as_a_single_session() {
    let mut new = booking_event(
        facts().booking_id,
        &booking::Event::Requested { facts: facts(), until: at(15) },
    )
    .unwrap();
    new.payload = serde_json::json!({
        "bookingId": "bkg_019340000000700080000000000000ab",
        "customerId": "usr_00000000000000000000000000000007",
        "serviceId": "energy-healing",
        "serviceTitle": "Energy Healing",
        "price": { "minorUnits": "110000", "currencyCode": "INR" },
        "sessions": [{ "startsAt": "2026-11-24T05:30:00Z", "endsAt": "2026-11-24T07:00:00Z" }],
        "practitionerId": "lead",
        "mode": "SESSION_MODE_IN_PERSON",
        "heldUntilAt": "2026-11-24T05:45:00Z"
    });
    let read = read_booking_event(&stored(&new)).unwrap();
    assert_eq!(read, booking::Event::Requested { facts: facts(), until: at(15) });
}

#[test]
fn a_move_to_another_practitioner_reads_as_it_was_written() {
    let span = Span::new(at(0), at(90)).unwrap();
    let event = booking::Event::Moved {
        number: 1,
        from: span,
        to: span,
        by: MovedBy::CustomerAsked,
        move_number: 1,
        practitioner: Some("ravi".to_owned()),
    };
    let new = booking_event(facts().booking_id, &event).unwrap();
    assert_eq!(new.payload["practitionerId"], "ravi");
    assert_eq!(read_booking_event(&stored(&new)).unwrap(), event);
}

#[test]
fn a_session_has_a_number_from_one() {
    let event = booking::Event::SessionCompleted { number: 1, share: Money::inr(1) };
    let mut new = booking_event(facts().booking_id, &event).unwrap();
    for wrong in [serde_json::json!(0), serde_json::json!(-1)] {
        new.payload["sessionNumber"] = wrong;
        assert!(read_booking_event(&stored(&new)).is_err());
    }
}

#[test]
fn a_booking_by_phone_reads_as_it_was_written() {
    let by_phone = Facts { origin: Origin::Phone, ..facts() };
    let customer_id = Id::from_uuid(Uuid::from_u128(8));
    for event in [
        booking::Event::Requested { facts: by_phone, until: at(0) },
        booking::Event::Adopted { customer_id },
        booking::Event::PageRequested { number: 2, renewed: false },
        booking::Event::ConsentCodeRequested { number: 3 },
        booking::Event::PageCodeRequested { number: 4 },
    ] {
        let new = booking_event(facts().booking_id, &event).unwrap();
        assert_eq!(read_booking_event(&stored(&new)).unwrap(), event);
    }
}
