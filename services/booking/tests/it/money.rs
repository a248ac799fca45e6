//! Payments that arrive in time, late or twice, and refunds.

use std::sync::Arc;

use booking::app::complete_booking::complete_booking;
use booking::app::open_checkout::open_checkout;
use booking::consumers::payments::OnPayments;
use booking::contract::booking_stream;
use contract::booking::v1::{BookingState, PaymentState};
use contract::payments::v1::{PaymentFailed, PaymentVerified, RefundProcessed, RefundRequested};
use eventstore::{Metadata, NewEvent, StoreError};
use kernel::id::Booking;
use kernel::{Id, Money};
use messaging::ReactionError;

use crate::world::{TIMERS, World, at, customer, new_request, reason};

async fn expired(world: &World, hour: i64) -> Id<Booking> {
    let id = world.hold(customer(1), at(0, hour)).await;
    open_checkout(&world.app, customer(1), id, "checkout-1").await.unwrap();
    world.minutes_later(31).await;
    world.reaches(id, BookingState::Expired).await;
    id
}

async fn payment_state(world: &World, id: Id<Booking>) -> PaymentState {
    world.view(id).await.booking.payment_state()
}

fn refund(id: Id<Booking>, cause: &str) -> RefundRequested {
    RefundRequested {
        booking_id: id.to_string(),
        refund_id: "rfn_1".to_owned(),
        payment_id: "pay_1".to_owned(),
        amount: Some(Money::inr(50_000).into()),
        cause: cause.to_owned(),
        ..RefundRequested::default()
    }
}

#[tokio::test]
async fn money_in_time_confirms_and_the_session_completes() {
    let world = World::new().await;
    let id = world.hold(customer(1), at(0, 11)).await;
    world.pay(id, "pay_1").await;
    let booking = world.reaches(id, BookingState::MeetingScheduled).await;
    assert_eq!(booking.payment_state(), PaymentState::Paid);
    assert_eq!(booking.held_until_at, None);
    assert_eq!(booking.join_url, "http://127.0.0.1:8090/m/room-1");
    assert_eq!(world.history("day-lead-2026-11-24").await, ["SlotHeld", "SlotBooked"]);
    // The same event again, and another payment, change nothing.
    world.pay(id, "pay_1").await;
    world.pay(id, "pay_2").await;
    // The hold's end does not end a booking.
    world.minutes_later(40).await;
    let other = world.request(customer(2), new_request("meditation", at(0, 11))).await;
    assert_eq!(reason(other), "SLOT_TAKEN");
    world.minutes_later(3 * 60).await;
    world.reaches(id, BookingState::Completed).await;
    assert_eq!(
        world.booking_history(id).await,
        ["BookingRequested", "BookingConfirmed", "MeetingScheduled", "BookingCompleted"]
    );
    assert_eq!(world.count(TIMERS).await, 0);
}

/// calcom #18011: a booking was cancelled although its payment succeeded, because the notification
/// came late. Here the booking is reinstated.
#[tokio::test]
async fn late_money_places_the_booking_again_while_its_time_is_free() {
    let world = World::new().await;
    let id = expired(&world, 15).await;
    world.pay(id, "pay_1").await;
    world.reaches(id, BookingState::MeetingScheduled).await;
    let history = world.booking_history(id).await;
    assert_eq!(history[2..4], ["BookingExpired", "BookingConfirmed"]);
    let reinstated = "select count(*) from events
                      where event_type = 'booking.v1.BookingConfirmed'
                        and (payload->>'reinstated')::boolean";
    assert_eq!(world.count(reinstated).await, 1);
    let other = world.request(customer(2), new_request("meditation", at(0, 15))).await;
    assert_eq!(reason(other), "SLOT_TAKEN");
}

/// fossunited#1698: capacity is checked again, under the lock, when a payment arrives. calcom
/// #18011 and #14040: a customer whose booking is not placed does not stay charged.
#[tokio::test]
async fn late_money_for_a_time_that_was_resold_is_refunded() {
    let world = World::new().await;
    let id = expired(&world, 15).await;
    let winner = world.hold(customer(2), at(0, 15)).await;
    world.pay(id, "pay_1").await;
    assert_eq!(world.state(id).await, BookingState::PaidUnplaced);
    assert_eq!(payment_state(&world, id).await, PaymentState::Paid);
    world.pay(winner, "pay_2").await;
    world.reaches(winner, BookingState::MeetingScheduled).await;
    world.payments_say(&refund(id, "unplaced")).await;
    assert_eq!(payment_state(&world, id).await, PaymentState::Refunding);
    let processed = RefundProcessed { booking_id: id.to_string(), refund_id: "rfn_1".to_owned() };
    world.payments_say(&processed).await;
    assert_eq!(payment_state(&world, id).await, PaymentState::Refunded);
    // Repeated events change nothing.
    let version = world.view(id).await.booking.version;
    world.payments_say(&refund(id, "unplaced")).await;
    world.payments_say(&processed).await;
    world.pay(id, "pay_1").await;
    assert_eq!(world.view(id).await.booking.version, version);
    assert_eq!(payment_state(&world, winner).await, PaymentState::Paid);
}

#[tokio::test]
async fn late_money_for_a_session_that_is_near_is_refunded() {
    let world = World::new().await;
    // Half past nine: eleven is an hour and a half away.
    let id = expired(&world, 11).await;
    world.pay(id, "pay_1").await;
    assert_eq!(world.state(id).await, BookingState::PaidUnplaced);
    assert_eq!(world.rooms.count(), 0);
    world.hold(customer(2), at(0, 11)).await;
}

#[tokio::test]
async fn late_money_of_a_customer_who_booked_anew_is_refunded() {
    let world = World::new().await;
    let id = expired(&world, 15).await;
    let anew = world.hold(customer(1), at(0, 16)).await;
    world.pay(id, "pay_1").await;
    assert_eq!(world.state(id).await, BookingState::PaidUnplaced);
    assert_eq!(world.state(anew).await, BookingState::Held);
}

#[tokio::test]
async fn money_for_a_released_booking_is_late_money() {
    let world = World::new().await;
    let id = world.hold(customer(1), at(0, 15)).await;
    booking::app::release_booking::release_booking(&world.app, customer(1), id, "release-1")
        .await
        .unwrap();
    world.pay(id, "pay_1").await;
    world.reaches(id, BookingState::MeetingScheduled).await;
}

#[tokio::test]
async fn a_failed_attempt_is_shown_and_forgotten_when_money_comes() {
    let world = World::without_timers().await;
    let id = world.hold(customer(1), at(1, 11)).await;
    let failed = PaymentFailed { booking_id: id.to_string(), payment_id: "pay_0".to_owned() };
    world.payments_say(&failed).await;
    assert_eq!(payment_state(&world, id).await, PaymentState::Failed);
    world.pay(id, "pay_1").await;
    world.payments_say(&failed).await;
    assert_eq!(payment_state(&world, id).await, PaymentState::Paid);
    // A second payment is refunded; the booking stands on the first.
    let second = RefundRequested { payment_id: "pay_2".to_owned(), ..refund(id, "double") };
    world.payments_say(&second).await;
    assert_eq!(payment_state(&world, id).await, PaymentState::Paid);
}

/// The practice closed the day in its settings and restarted after the hold had expired.
#[tokio::test]
async fn late_money_does_not_place_a_session_on_a_day_that_is_closed_since() {
    let world = World::new().await;
    let id = expired(&world, 14).await;
    let held = world.hold(customer(2), at(0, 15)).await;
    let day = world.app.rules.date_of(at(0, 14));
    let app = world.another(|practice| {
        practice.availability.closed_dates.insert(day);
    });
    for (booking, payment) in [(id, "pay_1"), (held, "pay_2")] {
        let verified = PaymentVerified {
            booking_id: booking.to_string(),
            payment_id: payment.to_owned(),
            amount: None,
        };
        world.react(Arc::new(OnPayments::new(Arc::clone(&app))), &verified).await;
    }
    assert_eq!(world.state(id).await, BookingState::PaidUnplaced);
    world.reaches(held, BookingState::MeetingScheduled).await;
}

#[tokio::test]
async fn money_for_an_unknown_booking_is_parked() {
    let world = World::without_timers().await;
    let reaction = Arc::new(OnPayments::new(Arc::clone(&world.app)));
    let verified = PaymentVerified {
        booking_id: eventstore::new_id::<Booking>().to_string(),
        payment_id: "pay_1".to_owned(),
        amount: None,
    };
    // An event that fails this way is parked, which raises an alert.
    let refused = world.try_react(reaction, &verified).await;
    assert!(matches!(refused, Err(ReactionError::Failed(_))), "{refused:?}");
    assert_eq!(world.count("select count(*) from events").await, 0);
}

/// A stream gets an event of a newer release, as before a rollback.
pub(crate) async fn of_tomorrow(world: &World, stream: &str) {
    let stream = stream.to_owned();
    let written = world.app.store.write(Metadata::by("test", None), move |tx| {
        let stream = stream.clone();
        Box::pin(async move {
            let event = NewEvent {
                event_id: eventstore::new_uuid(),
                event_type: "booking.v1.BookingForeseen".to_owned(),
                payload: serde_json::json!({ "bookingId": "bkg_1" }),
            };
            let version = tx.load(&stream).await?.version;
            tx.append(&stream, version, &[event]).await.map(drop)
        })
    });
    let written: Result<(), StoreError> = written.await;
    written.unwrap();
}

#[tokio::test]
async fn money_for_what_cannot_be_read_is_parked_and_other_money_is_taken_in() {
    for day_too in [false, true] {
        let world = World::without_timers().await;
        let id = world.hold(customer(1), at(0, 11)).await;
        let other = world.hold(customer(2), at(1, 11)).await;
        let stream = if day_too { "day-lead-2026-11-24".to_owned() } else { booking_stream(id) };
        of_tomorrow(&world, &stream).await;
        let reaction = Arc::new(OnPayments::new(Arc::clone(&world.app)));
        let verified = PaymentVerified {
            booking_id: id.to_string(),
            payment_id: "pay_1".to_owned(),
            amount: None,
        };
        // An event that fails this way is parked; one that only has to wait stops the whole
        // consumer.
        let refused = world.try_react(reaction, &verified).await;
        assert!(matches!(refused, Err(ReactionError::Failed(_))), "{stream}: {refused:?}");
        world.pay(other, "pay_2").await;
        assert_eq!(world.state(other).await, BookingState::Confirmed);
        // A request is answered with `UNAVAILABLE` and no details.
        let asked = open_checkout(&world.app, customer(1), id, "checkout-1").await.unwrap_err();
        let status = runtime::status::to_status(&asked);
        assert_eq!(status.code(), tonic::Code::Unavailable);
        assert!(!format!("{status:?}").contains("Foreseen"), "{status:?}");
    }
}

/// A row at three o'clock that belongs to no booking and is unknown to the day's log.
async fn stray_row(world: &World, until: &str) {
    world
        .db
        .as_owner(&format!(
            "insert into slot_reservations
                 (booking_id, practitioner_id, starts_at, ends_at, held_until_at, live)
             values (gen_random_uuid(), 'lead', '{}', '{}', {until}, true)",
            at(0, 15).plus_minutes(30),
            at(0, 16).plus_minutes(30),
        ))
        .await
        .unwrap();
}

/// fossunited#1698 again: the exclusion constraint, in addition to the day's log, prevents it.
#[tokio::test]
async fn money_is_refunded_when_only_the_rows_show_the_time_as_taken() {
    for until in ["null", "'2020-01-01'"] {
        let world = World::new().await;
        let id = expired(&world, 15).await;
        stray_row(&world, until).await;
        world.pay(id, "pay_1").await;
        assert_eq!(world.state(id).await, BookingState::PaidUnplaced);
        let history = world.booking_history(id).await;
        assert_eq!(history.last().map(String::as_str), Some("BookingUnplaced"));
        assert_eq!(world.count(TIMERS).await, 0);
    }
}

#[tokio::test]
async fn late_money_ignores_expired_holds() {
    let world = World::without_timers().await;
    let first = world.hold(customer(1), at(0, 15)).await;
    world.minutes_later(16).await;
    let second = world.hold(customer(2), at(0, 15)).await;
    world.minutes_later(16).await;
    world.pay(first, "pay_1").await;
    assert_eq!(world.state(first).await, BookingState::Confirmed);
    world.pay(second, "pay_2").await;
    assert_eq!(world.state(second).await, BookingState::PaidUnplaced);
}

#[tokio::test]
async fn a_session_that_is_still_to_come_keeps_its_timers() {
    let world = World::without_timers().await;
    let id = world.hold(customer(1), at(0, 11)).await;
    world.pay(id, "pay_1").await;
    let app = Arc::clone(&world.app);
    world
        .app
        .store
        .write(Metadata::by("test", None), move |tx| {
            let app = Arc::clone(&app);
            Box::pin(async move { complete_booking(tx, &app, (id, None)).await })
        })
        .await
        .unwrap();
    assert_eq!(world.state(id).await, BookingState::Confirmed);
    assert_eq!(world.count(TIMERS).await, 2);
    world.minutes_later(3 * 60).await;
    world.run_timers();
    world.reaches(id, BookingState::Completed).await;
    assert_eq!(world.count(TIMERS).await, 0);
}
