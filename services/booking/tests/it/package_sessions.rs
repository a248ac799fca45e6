//! The sessions of a confirmed package: each ends, or is cancelled, by itself.

use booking::app::cancel_booking::{Cancelled, cancel_booking};
use booking::app::list_bookings::list_day_sessions;
use booking::error::Error;
use contract::booking::v1::{BookingState, CancelBookingRequest, CancelledBy, PaymentState};
use kernel::id::Booking;
use kernel::{Id, Money};
use testkit::until;

use crate::cancels::asked;
use crate::world::{TIMERS, World, at, customer, new_package, owner, reason};

/// A paid package: sessions at eleven in the next three days.
async fn placed(world: &World, number: u128) -> Id<Booking> {
    let package = new_package([at(1, 11), at(2, 11), at(3, 11)]);
    let id = world.request(customer(number), package).await.unwrap();
    world.pay(id, &format!("pay_{number}")).await;
    id
}

async fn cancel(
    world: &World,
    (id, session_number): (Id<Booking>, i32),
    by: CancelledBy,
) -> Result<Cancelled, Error> {
    let request = CancelBookingRequest { session_number, ..asked(id, by) };
    cancel_booking(&world.app, owner(), request).await
}

#[tokio::test]
async fn each_session_has_a_timer_and_the_last_one_completes_the_booking() {
    let world = World::new().await;
    let id = placed(&world, 1).await;
    world.reaches(id, BookingState::MeetingScheduled).await;
    assert_eq!(world.rooms.count(), 1, "one room for all sessions");
    assert_eq!(world.rooms.asked()[0]["duration_minutes"], 60);
    assert_eq!(world.count(TIMERS).await, 3);
    let begun = ["BookingRequested", "BookingConfirmed", "MeetingScheduled"];
    for done in 1..=2 {
        world.minutes_later(if done == 1 { 27 * 60 } else { 24 * 60 }).await;
        until("a session is completed", async || {
            let history = world.booking_history(id).await;
            Ok((history.len() == begun.len() + done).then_some(()))
        })
        .await
        .unwrap();
        assert_eq!(world.state(id).await, BookingState::MeetingScheduled);
    }
    world.minutes_later(24 * 60).await;
    world.reaches(id, BookingState::Completed).await;
    let ended = ["BookingSessionCompleted"; 3];
    let whole = [&begun[..], &ended[..], &["BookingCompleted"]].concat();
    assert_eq!(world.booking_history(id).await, whole);
    until("no timer is left", async || Ok((world.count(TIMERS).await == 0).then_some(())))
        .await
        .unwrap();
}

#[tokio::test]
async fn one_session_is_cancelled_and_the_others_stay() {
    let world = World::without_timers().await;
    let id = placed(&world, 1).await;
    let cancelled = cancel(&world, (id, 2), CancelledBy::Customer).await.unwrap();
    assert_eq!((cancelled.refund, cancelled.unpaid), (Money::inr(150_000), false));
    let booking = world.view(id).await.booking;
    assert_eq!(booking.state(), BookingState::Confirmed);
    assert_eq!(booking.payment_state(), PaymentState::Paid);
    let marks: Vec<bool> = booking.sessions.iter().map(|it| it.cancelled).collect();
    assert_eq!(marks, [false, true, false]);
    let history = ["BookingRequested", "BookingConfirmed", "BookingSessionCancelled"];
    assert_eq!(world.booking_history(id).await, history);
    assert_eq!(world.count(TIMERS).await, 3, "two sessions and the room");
    // Its time is free, and only its own.
    world.hold(customer(2), at(2, 11)).await;
    let sheet = list_day_sessions(&world.app, "2026-11-26").await.unwrap();
    assert!(sheet.is_empty());
    assert_eq!(list_day_sessions(&world.app, "2026-11-27").await.unwrap().len(), 1);
    // Again: the same answer, and nothing new.
    let again = cancel(&world, (id, 2), CancelledBy::Practice).await.unwrap();
    assert_eq!(again.refund, Money::inr(150_000));
    assert_eq!(world.booking_history(id).await, history);
    for (number, why) in [(4, "SESSION_NOT_FOUND"), (-1, "SESSION_NOT_FOUND")] {
        assert_eq!(reason(cancel(&world, (id, number), CancelledBy::Customer).await), why);
    }
}

#[tokio::test]
async fn what_is_left_is_cancelled_with_the_policy_of_each_session() {
    let world = World::without_timers().await;
    let id = placed(&world, 1).await;
    // Twenty hours before the first session: its share is kept, those of the others go back.
    world.minutes_later(6 * 60).await;
    let cancelled = cancel(&world, (id, 0), CancelledBy::Customer).await.unwrap();
    assert_eq!(cancelled.refund, Money::inr(300_001));
    let booking = world.view(id).await.booking;
    assert_eq!(booking.state(), BookingState::Cancelled);
    let live = "select count(*) from slot_reservations where live";
    assert_eq!((world.count(live).await, world.count(TIMERS).await), (0, 0));
    let refunds = "select sum((payload->'refund'->>'minorUnits')::bigint)::bigint from events
                   where event_type = 'booking.v1.BookingSessionCancelled'";
    assert_eq!(world.count(refunds).await, 300_001);
    let all = "select (payload->'refund'->>'minorUnits')::bigint from events
               where event_type = 'booking.v1.BookingCancelled'";
    assert_eq!(world.count(all).await, 300_001);
}

#[tokio::test]
async fn a_session_that_took_place_stays_when_the_rest_is_cancelled() {
    let world = World::without_timers().await;
    let id = placed(&world, 1).await;
    world.minutes_later(27 * 60).await;
    let cancelled = cancel(&world, (id, 0), CancelledBy::Practice).await.unwrap();
    assert_eq!(cancelled.refund, Money::inr(300_001));
    let history = world.booking_history(id).await;
    let ends = ["SessionCompleted", "SessionCancelled", "SessionCancelled", "Completed"];
    assert_eq!(history[2..], ends.map(|end| format!("Booking{end}")));
    assert_eq!(world.state(id).await, BookingState::Completed);
    let single = world.hold(customer(2), at(5, 11)).await;
    world.pay(single, "pay_2").await;
    let wrong = cancel(&world, (single, 2), CancelledBy::Customer).await;
    assert_eq!(reason(wrong), "SESSION_NOT_FOUND");
    let whole = cancel(&world, (single, 1), CancelledBy::Customer).await.unwrap();
    assert_eq!(whole.refund, Money::inr(50_000));
}
