//! Holds start, are extended once, expire, and are released. Bugs of other booking systems that a
//! test prevents are named above it.

use booking::app::open_checkout::open_checkout;
use booking::app::release_booking::release_booking;
use contract::booking::v1::BookingState;
use contract::convert::{timestamp, to_wire};
use contract::payments::v1::PaymentClaimed;
use kernel::Timestamp;

use crate::world::{TIMERS, World, at, customer, new_request, reason};

fn instant(wire: Option<prost_types::Timestamp>) -> Timestamp {
    timestamp(&wire.unwrap()).unwrap()
}

/// An unpaid booking blocks no other (calcom #2170: unpaid bookings block the calendar
/// permanently).
#[tokio::test]
async fn a_hold_that_ends_frees_its_time() {
    let world = World::new().await;
    let id = world.hold(customer(1), at(1, 11)).await;
    let other = world.request(customer(2), new_request("meditation", at(1, 11))).await;
    assert_eq!(reason(other), "SLOT_TAKEN");
    world.minutes_later(15).await;
    let ended = world.reaches(id, BookingState::Expired).await;
    assert_eq!(ended.held_until_at, None);
    assert_eq!(world.booking_history(id).await, ["BookingRequested", "BookingExpired"]);
    assert_eq!(world.history("day-lead-2026-11-25").await, ["SlotHeld", "SlotReleased"]);
    world.hold(customer(2), at(1, 11)).await;
    assert_eq!(world.count(TIMERS).await, 1);
}

/// The same while no timer runs: a stopped process keeps no time occupied either (calcom #2170).
#[tokio::test]
async fn a_hold_that_has_run_out_makes_way_before_its_timer_says_so() {
    let world = World::without_timers().await;
    let first = world.hold(customer(1), at(1, 11)).await;
    world.minutes_later(15).await;
    let second = world.hold(customer(2), at(1, 11)).await;
    assert_eq!(
        world.history("day-lead-2026-11-25").await,
        ["SlotHeld", "SlotReleased", "SlotHeld"]
    );
    // The late timer expires the first booking and does not affect the second one's time.
    world.run_timers();
    world.reaches(first, BookingState::Expired).await;
    assert_eq!(world.state(second).await, BookingState::Held);
    let third = world.request(customer(3), new_request("meditation", at(1, 11))).await;
    assert_eq!(reason(third), "SLOT_TAKEN");
}

#[tokio::test]
async fn opening_checkout_extends_the_hold_once_to_thirty_minutes_from_its_start() {
    let world = World::new().await;
    let id = world.hold(customer(1), at(1, 11)).await;
    let first_end = instant(world.view(id).await.booking.held_until_at);
    world.minutes_later(3).await;
    open_checkout(&world.app, customer(1), id, "checkout-1").await.unwrap();
    let booking = world.view(id).await.booking;
    assert_eq!(booking.state(), BookingState::AwaitingPayment);
    assert!(booking.checkout_opened);
    assert_eq!(booking.held_until_at, Some(to_wire(first_end.plus_minutes(15))));
    world.minutes_later(3).await;
    open_checkout(&world.app, customer(1), id, "checkout-2").await.unwrap();
    let claim = PaymentClaimed { booking_id: id.to_string() };
    world.payments_say(&claim).await;
    let again = world.view(id).await.booking;
    assert_eq!(again.held_until_at, booking.held_until_at);
    assert_eq!(world.booking_history(id).await, ["BookingRequested", "BookingCheckoutOpened"]);
    assert_eq!(world.history("day-lead-2026-11-25").await, ["SlotHeld", "SlotHoldExtended"]);
    // It lasts beyond its first end but not beyond its second.
    world.minutes_later(10).await;
    let other = world.request(customer(2), new_request("meditation", at(1, 11))).await;
    assert_eq!(reason(other), "SLOT_TAKEN");
    world.minutes_later(14).await;
    world.reaches(id, BookingState::Expired).await;
    let late = open_checkout(&world.app, customer(1), id, "checkout-3").await;
    assert_eq!(reason(late), "HOLD_ENDED");
}

#[tokio::test]
async fn a_claim_extends_the_hold_once_too() {
    let world = World::without_timers().await;
    let id = world.hold(customer(1), at(1, 11)).await;
    let first_end = instant(world.view(id).await.booking.held_until_at);
    let claim = PaymentClaimed { booking_id: id.to_string() };
    world.payments_say(&claim).await;
    world.payments_say(&claim).await;
    let booking = world.view(id).await.booking;
    assert_eq!(booking.held_until_at, Some(to_wire(first_end.plus_minutes(15))));
    assert_eq!(booking.payment_state(), contract::booking::v1::PaymentState::Claimed);
    assert_eq!(world.booking_history(id).await.len(), 2);
}

#[tokio::test]
async fn a_time_is_given_back_only_while_checkout_was_never_opened() {
    let world = World::without_timers().await;
    let id = world.hold(customer(1), at(1, 11)).await;
    release_booking(&world.app, customer(1), id, "release-1").await.unwrap();
    assert_eq!(world.state(id).await, BookingState::Cancelled);
    assert_eq!(world.count(TIMERS).await, 0);
    // Again, with the same key and with another one.
    release_booking(&world.app, customer(1), id, "release-1").await.unwrap();
    release_booking(&world.app, customer(1), id, "release-2").await.unwrap();
    assert_eq!(world.booking_history(id).await, ["BookingRequested", "BookingReleased"]);
    let other = world.hold(customer(2), at(1, 11)).await;
    open_checkout(&world.app, customer(2), other, "checkout-1").await.unwrap();
    let late = release_booking(&world.app, customer(2), other, "release-3").await;
    assert_eq!(reason(late), "CHECKOUT_OPENED");
    assert_eq!(world.state(other).await, BookingState::AwaitingPayment);
}

#[tokio::test]
async fn another_customers_booking_can_not_be_changed() {
    let world = World::without_timers().await;
    let id = world.hold(customer(1), at(1, 11)).await;
    let opened = open_checkout(&world.app, customer(2), id, "checkout-1").await;
    assert_eq!(reason(opened), "BOOKING_NOT_FOUND");
    let released = release_booking(&world.app, customer(2), id, "release-1").await;
    assert_eq!(reason(released), "BOOKING_NOT_FOUND");
    let unknown = eventstore::new_id();
    let none = open_checkout(&world.app, customer(2), unknown, "checkout-2").await;
    assert_eq!(reason(none), "BOOKING_NOT_FOUND");
    assert_eq!(world.booking_history(id).await, ["BookingRequested"]);
}
