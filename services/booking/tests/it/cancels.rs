//! Cancellations by staff: the refund by policy, the time free at once.

use booking::app::cancel_booking::{Cancelled, cancel_booking};
use booking::app::schedule_meeting::schedule_meeting;
use booking::error::Error;
use contract::booking::v1::{
    BookingState, CancelBookingRequest, CancellationRefund, CancelledBy, PaymentState,
};
use contract::payments::v1::{PaymentVerified, RefundDiscovered, RefundProcessed, RefundRequested};
use eventstore::Metadata;
use kernel::id::Booking;
use kernel::{Id, Money};
use staff::Staff;

use crate::world::{TIMERS, World, at, customer, owner, reason};

pub(crate) fn asked(id: Id<Booking>, by: CancelledBy) -> CancelBookingRequest {
    CancelBookingRequest {
        booking_id: id.to_string(),
        idempotency_key: eventstore::new_uuid().to_string(),
        cancelled_by: by.into(),
        refund: CancellationRefund::Unspecified.into(),
        session_number: 0,
    }
}

async fn cancel(world: &World, request: CancelBookingRequest) -> Result<Money, Error> {
    cancel_booking(&world.app, owner(), request).await.map(|cancelled| cancelled.refund)
}

pub(crate) async fn cancel_by_practice(world: &World, staff: Staff, id: Id<Booking>) -> Cancelled {
    cancel_booking(&world.app, staff, asked(id, CancelledBy::Practice)).await.unwrap()
}

async fn booked(world: &World, number: u128, hour: i64) -> Id<Booking> {
    let id = world.hold(customer(number), at(1, hour)).await;
    world.pay(id, &format!("pay_{number}")).await;
    id
}

/// calcom #14040: a rejected booking stayed charged. Here the practice's own cancellation refunds
/// everything.
#[tokio::test]
async fn a_customers_cancellation_is_refunded_until_a_day_before_and_the_practices_always() {
    let world = World::without_timers().await;
    // Two cancellations, 25 and 23 hours before the session.
    let early = booked(&world, 1, 11).await;
    let late = booked(&world, 2, 12).await;
    let own = booked(&world, 3, 13).await;
    world.minutes_later(60).await;
    let customer_wish = |id| asked(id, CancelledBy::Customer);
    assert_eq!(cancel(&world, customer_wish(early)).await.unwrap(), Money::inr(50_000));
    world.minutes_later(3 * 60).await;
    assert_eq!(cancel(&world, customer_wish(late)).await.unwrap(), Money::inr(0));
    let practice_wish = asked(own, CancelledBy::Practice);
    assert_eq!(cancel(&world, practice_wish).await.unwrap(), Money::inr(50_000));
    let refunds = "select count(*) from events where event_type = 'booking.v1.BookingCancelled'
                   and payload->'refund'->>'minorUnits' = '50000'";
    assert_eq!(world.count(refunds).await, 2);
}

#[tokio::test]
async fn staff_may_override_the_refund_policy() {
    let world = World::without_timers().await;
    let first = booked(&world, 1, 11).await;
    let second = booked(&world, 2, 12).await;
    world.minutes_later(20 * 60).await;
    let full = CancelBookingRequest {
        refund: CancellationRefund::Full.into(),
        ..asked(first, CancelledBy::Customer)
    };
    assert_eq!(cancel(&world, full).await.unwrap(), Money::inr(50_000));
    let none = CancelBookingRequest {
        refund: CancellationRefund::None.into(),
        ..asked(second, CancelledBy::Practice)
    };
    assert_eq!(cancel(&world, none).await.unwrap(), Money::inr(0));
}

#[tokio::test]
async fn a_cancelled_time_is_free_at_once_and_nothing_is_left_to_fire() {
    let world = World::new().await;
    let id = booked(&world, 1, 11).await;
    let before = world.reaches(id, BookingState::MeetingScheduled).await;
    assert_ne!(before.join_url, "");
    let request = asked(id, CancelledBy::Customer);
    cancel(&world, request.clone()).await.unwrap();
    let after = world.view(id).await.booking;
    assert_eq!((after.state(), after.join_url.as_str()), (BookingState::Cancelled, ""));
    assert!(after.version > before.version);
    assert_eq!(world.count(TIMERS).await, 0);
    let day = world.history("day-lead-2026-11-25").await;
    assert_eq!(day, ["SlotHeld", "SlotBooked", "SlotReleased"]);
    let next = world.hold(customer(2), at(1, 11)).await;
    // The same request again, and a different cancellation: the first answer, and no further
    // change.
    assert_eq!(cancel(&world, request).await.unwrap(), Money::inr(50_000));
    let other = CancelBookingRequest {
        refund: CancellationRefund::None.into(),
        ..asked(id, CancelledBy::Practice)
    };
    assert_eq!(cancel(&world, other).await.unwrap(), Money::inr(50_000));
    assert_eq!(world.booking_history(id).await.len(), 4);
    assert_eq!(world.state(next).await, BookingState::Held);
    // A second payment of the same order is not placed by booking.
    world.pay(id, "pay_9").await;
    assert_eq!(world.booking_history(id).await.len(), 4);
}

#[tokio::test]
async fn no_room_is_asked_for_once_the_booking_is_cancelled() {
    let world = World::without_timers().await;
    let id = booked(&world, 1, 11).await;
    cancel(&world, asked(id, CancelledBy::Practice)).await.unwrap();
    // A process that had claimed the timer before continues with it.
    schedule_meeting(&world.app, Metadata::by("test", None), id).await.unwrap();
    assert_eq!(world.rooms.count(), 0);
    assert_eq!(world.count(TIMERS).await, 0);
    assert_eq!(world.state(id).await, BookingState::Cancelled);
}

#[tokio::test]
async fn only_a_confirmed_booking_before_its_end_is_cancelled() {
    let world = World::without_timers().await;
    let held = world.hold(customer(1), at(1, 11)).await;
    let by_practice = |id| asked(id, CancelledBy::Practice);
    assert_eq!(reason(cancel(&world, by_practice(held)).await), "NOT_CANCELLABLE");
    let over = booked(&world, 2, 12).await;
    world.minutes_later(28 * 60).await;
    assert_eq!(reason(cancel(&world, by_practice(over)).await), "NOT_CANCELLABLE");
    let unknown = by_practice(eventstore::new_id());
    assert_eq!(reason(cancel(&world, unknown).await), "BOOKING_NOT_FOUND");
    for (wrong, why) in [
        (asked(over, CancelledBy::Unspecified), "INVALID_CANCELLED_BY"),
        (CancelBookingRequest { refund: 9, ..by_practice(over) }, "INVALID_REFUND"),
        (
            CancelBookingRequest { booking_id: String::new(), ..by_practice(over) },
            "BOOKING_NOT_FOUND",
        ),
        (
            CancelBookingRequest { idempotency_key: String::new(), ..by_practice(over) },
            "INVALID_IDEMPOTENCY_KEY",
        ),
    ] {
        assert_eq!(reason(cancel(&world, wrong).await), why);
    }
    let key = by_practice(booked(&world, 3, 15).await);
    cancel(&world, key.clone()).await.unwrap();
    let reused = CancelBookingRequest { cancelled_by: CancelledBy::Customer.into(), ..key };
    assert_eq!(reason(cancel(&world, reused).await), "IDEMPOTENCY_KEY_REUSED");
}

fn refund(id: Id<Booking>, refund_id: &str, minor: i64) -> RefundRequested {
    RefundRequested {
        booking_id: id.to_string(),
        refund_id: refund_id.to_owned(),
        payment_id: "pay_1".to_owned(),
        amount: Some(Money::inr(minor).into()),
        cause: "cancelled".to_owned(),
        ..RefundRequested::default()
    }
}

#[tokio::test]
async fn the_money_of_a_cancelled_booking_is_shown_on_its_way_back() {
    let world = World::without_timers().await;
    let id = booked(&world, 1, 11).await;
    let shown = async || world.view(id).await.booking.payment_state();
    // A partial refund of a booking that takes place leaves it paid.
    world.payments_say(&refund(id, "rfn_0", 10_000)).await;
    assert_eq!(shown().await, PaymentState::Paid);
    cancel(&world, asked(id, CancelledBy::Practice)).await.unwrap();
    world.payments_say(&refund(id, "rfn_1", 40_000)).await;
    assert_eq!(shown().await, PaymentState::Refunding);
    // The refund fails, and another one replaces it.
    world.payments_say(&refund(id, "rfn_2", 40_000)).await;
    let processed = |refund_id: &str| RefundProcessed {
        booking_id: id.to_string(),
        refund_id: refund_id.to_owned(),
    };
    world.payments_say(&processed("rfn_1")).await;
    assert_eq!(shown().await, PaymentState::Refunding);
    world.payments_say(&processed("rfn_2")).await;
    assert_eq!(shown().await, PaymentState::Refunded);
    assert_eq!(world.state(id).await, BookingState::Cancelled);
}

#[tokio::test]
async fn a_payment_that_an_offer_made_less_is_shown_as_back_when_all_of_it_is() {
    let world = World::without_timers().await;
    let id = world.hold(customer(1), at(1, 11)).await;
    let paid = PaymentVerified {
        booking_id: id.to_string(),
        payment_id: "pay_1".to_owned(),
        amount: Some(Money::inr(45_000).into()),
    };
    world.payments_say(&paid).await;
    let shown = async || world.view(id).await.booking.payment_state();
    world.payments_say(&refund(id, "rfn_1", 44_999)).await;
    assert_eq!(shown().await, PaymentState::Paid);
    world.payments_say(&refund(id, "rfn_2", 45_000)).await;
    assert_eq!(shown().await, PaymentState::Refunding);
}

#[tokio::test]
async fn a_refund_that_was_made_elsewhere_is_shown_too() {
    let world = World::without_timers().await;
    let id = booked(&world, 1, 11).await;
    let discovered = RefundDiscovered {
        booking_id: id.to_string(),
        refund_id: "rfn_1".to_owned(),
        payment_id: "pay_1".to_owned(),
        amount: Some(Money::inr(50_000).into()),
        provider_refund_id: "rfnd_1".to_owned(),
        ..RefundDiscovered::default()
    };
    world.payments_say(&discovered).await;
    let booking = world.view(id).await.booking;
    assert_eq!(booking.payment_state(), PaymentState::Refunding);
    assert_eq!(booking.state(), BookingState::Confirmed);
}
