//! A booking's payment state follows the sum of its refunds, in whatever parts and order they come.

use booking::app::cancel_booking::cancel_booking;
use booking::read_model::refunds;
use contract::booking::v1::{BookingState, CancelBookingRequest, CancelledBy, PaymentState};
use contract::payments::v1::{
    PaymentVerified, RefundDiscovered, RefundFailed, RefundProcessed, RefundRequested,
};
use kernel::id::Booking;
use kernel::{Id, Money};

use crate::cancels::asked;
use crate::world::{World, at, customer, new_package, owner};

/// A booking of ₹500 that is paid.
async fn single(world: &World) -> Id<Booking> {
    let id = world.hold(customer(1), at(1, 11)).await;
    world.pay(id, "pay_1").await;
    id
}

/// What belongs to a session of the package; a remainder is the last one's.
const SHARES: [i64; 3] = [150_000, 150_000, 150_001];

/// A package of three sessions that is paid.
async fn package(world: &World) -> Id<Booking> {
    let package = new_package([at(1, 11), at(2, 11), at(3, 11)]);
    let id = world.request(customer(1), package).await.unwrap();
    world.pay(id, "pay_1").await;
    id
}

async fn cancel(world: &World, id: Id<Booking>, session_number: i32) {
    let request = CancelBookingRequest { session_number, ..asked(id, CancelledBy::Practice) };
    cancel_booking(&world.app, owner(), request).await.unwrap();
}

fn requested(id: Id<Booking>, refund: &str, minor: i64, cause: &str) -> RefundRequested {
    RefundRequested {
        booking_id: id.to_string(),
        refund_id: refund.to_owned(),
        payment_id: "pay_1".to_owned(),
        amount: Some(Money::inr(minor).into()),
        cause: cause.to_owned(),
        ..RefundRequested::default()
    }
}

fn processed(id: Id<Booking>, refund: &str) -> RefundProcessed {
    RefundProcessed { booking_id: id.to_string(), refund_id: refund.to_owned() }
}

fn failed(id: Id<Booking>, refund: &str, minor: i64, reason: &str) -> RefundFailed {
    RefundFailed {
        booking_id: id.to_string(),
        refund_id: refund.to_owned(),
        reason: reason.to_owned(),
        r#final: true,
        amount: Some(Money::inr(minor).into()),
        given_by_bank: (reason == "lost_to_a_dispute").then(|| Money::inr(minor).into()),
    }
}

/// A refund that goes through.
async fn give_back(world: &World, id: Id<Booking>, (refund, minor): (&str, i64), cause: &str) {
    world.payments_say(&requested(id, refund, minor, cause)).await;
    world.payments_say(&processed(id, refund)).await;
}

async fn shown(world: &World, id: Id<Booking>) -> PaymentState {
    world.view(id).await.booking.payment_state()
}

async fn owed(world: &World, id: Id<Booking>) -> Option<i64> {
    world.view(id).await.booking.refund_owed.map(|owed| owed.minor_units)
}

#[tokio::test]
async fn parts_by_staff_are_added_up_while_the_session_stands() {
    let world = World::without_timers().await;
    let id = single(&world).await;
    give_back(&world, id, ("rfn_1", 20_000), "staff").await;
    assert_eq!(shown(&world, id).await, PaymentState::Paid);
    world.payments_say(&requested(id, "rfn_2", 30_000, "staff")).await;
    assert_eq!(shown(&world, id).await, PaymentState::Refunding);
    world.payments_say(&processed(id, "rfn_2")).await;
    assert_eq!(shown(&world, id).await, PaymentState::Refunded);
    assert_eq!(world.state(id).await, BookingState::Confirmed);
}

#[tokio::test]
async fn parts_by_staff_of_a_package_are_added_up() {
    let world = World::without_timers().await;
    let id = package(&world).await;
    for (number, share) in (1..).zip(SHARES) {
        assert_eq!(shown(&world, id).await, PaymentState::Paid);
        give_back(&world, id, (&format!("rfn_{number}"), share), "staff").await;
    }
    assert_eq!(shown(&world, id).await, PaymentState::Refunded);
}

#[tokio::test]
async fn sessions_that_were_cancelled_and_the_rest_by_staff_are_added_up() {
    let world = World::without_timers().await;
    let id = package(&world).await;
    for (number, share) in [(3, SHARES[2]), (2, SHARES[1])] {
        cancel(&world, id, number).await;
        give_back(&world, id, (&format!("rfn_{number}"), share), "cancelled").await;
        assert_eq!(shown(&world, id).await, PaymentState::Paid);
    }
    give_back(&world, id, ("rfn_1", 150_000), "staff").await;
    assert_eq!(shown(&world, id).await, PaymentState::Refunded);
}

#[tokio::test]
async fn a_part_by_staff_before_all_sessions_are_cancelled_counts() {
    let world = World::without_timers().await;
    let id = package(&world).await;
    give_back(&world, id, ("rfn_0", SHARES[2]), "staff").await;
    for number in [1, 2] {
        cancel(&world, id, number).await;
        give_back(&world, id, (&format!("rfn_{number}"), 150_000), "cancelled").await;
    }
    // Nothing is left for the third one.
    cancel(&world, id, 3).await;
    assert_eq!(world.state(id).await, BookingState::Cancelled);
    assert_eq!(shown(&world, id).await, PaymentState::Refunded);
}

#[tokio::test]
async fn a_cancellation_after_all_parts_finds_them() {
    let world = World::without_timers().await;
    let id = single(&world).await;
    give_back(&world, id, ("rfn_1", 25_000), "staff").await;
    give_back(&world, id, ("rfn_2", 25_000), "staff").await;
    cancel(&world, id, 0).await;
    assert_eq!(world.state(id).await, BookingState::Cancelled);
    assert_eq!(shown(&world, id).await, PaymentState::Refunded);
}

#[tokio::test]
async fn a_part_by_staff_and_the_rest_by_the_policy_are_added_up() {
    let world = World::without_timers().await;
    let id = single(&world).await;
    give_back(&world, id, ("rfn_1", 20_000), "staff").await;
    cancel(&world, id, 0).await;
    world.payments_say(&requested(id, "rfn_2", 30_000, "cancelled")).await;
    assert_eq!(shown(&world, id).await, PaymentState::Refunding);
    world.payments_say(&processed(id, "rfn_2")).await;
    assert_eq!(shown(&world, id).await, PaymentState::Refunded);
}

#[tokio::test]
async fn three_sessions_that_were_cancelled_one_by_one_are_added_up() {
    let world = World::without_timers().await;
    let id = package(&world).await;
    for (number, share) in (1..).zip(SHARES) {
        cancel(&world, id, number).await;
        give_back(&world, id, (&format!("rfn_{number}"), share), "cancelled").await;
    }
    assert_eq!(world.state(id).await, BookingState::Cancelled);
    assert_eq!(shown(&world, id).await, PaymentState::Refunded);
}

/// A part that went back before does not make a cancellation without a refund a refunded one.
#[tokio::test]
async fn a_part_is_not_the_whole_where_nothing_was_promised() {
    let world = World::without_timers().await;
    let id = single(&world).await;
    give_back(&world, id, ("rfn_1", 10_000), "staff").await;
    let late = CancelBookingRequest {
        refund: contract::booking::v1::CancellationRefund::None.into(),
        ..asked(id, CancelledBy::Customer)
    };
    cancel_booking(&world.app, owner(), late).await.unwrap();
    assert_eq!(shown(&world, id).await, PaymentState::Paid);
}

/// All orders of the same events, some of them twice, end with the same rows.
#[tokio::test]
async fn repeats_and_other_orders_give_the_same() {
    let orders: [&[usize]; 4] = [
        &[0, 1, 2, 3, 4, 5],
        &[5, 4, 3, 2, 1, 0],
        &[2, 0, 2, 5, 1, 0, 3, 4, 4],
        &[1, 3, 5, 0, 2, 4],
    ];
    let mut ends = Vec::new();
    for order in orders {
        let world = World::without_timers().await;
        let id = world.hold(customer(1), at(1, 11)).await;
        let verified = PaymentVerified {
            booking_id: id.to_string(),
            payment_id: "pay_1".to_owned(),
            amount: Some(Money::inr(45_000).into()),
        };
        let discovered = RefundDiscovered {
            booking_id: id.to_string(),
            refund_id: "rfn_2".to_owned(),
            payment_id: "pay_1".to_owned(),
            amount: Some(Money::inr(25_000).into()),
            ..RefundDiscovered::default()
        };
        for event in order {
            match event {
                0 => world.payments_say(&verified).await,
                1 => world.payments_say(&requested(id, "rfn_1", 20_000, "staff")).await,
                2 => world.payments_say(&discovered).await,
                3 => world.payments_say(&processed(id, "rfn_1")).await,
                4 => world.payments_say(&processed(id, "rfn_2")).await,
                _ => {
                    let elsewhere = requested(id, "rfn_9", 45_000, "double");
                    let second = RefundRequested { payment_id: "pay_2".to_owned(), ..elsewhere };
                    world.payments_say(&second).await;
                }
            }
        }
        ends.push((shown(&world, id).await, owed(&world, id).await));
    }
    assert_eq!(ends, [(PaymentState::Refunded, None); 4]);
}

#[tokio::test]
async fn what_failed_for_good_is_owed_until_staff_give_it() {
    let world = World::without_timers().await;
    let id = single(&world).await;
    cancel(&world, id, 0).await;
    world.payments_say(&requested(id, "rfn_1", 50_000, "cancelled")).await;
    world.payments_say(&failed(id, "rfn_1", 50_000, "payment_too_old")).await;
    assert_eq!(shown(&world, id).await, PaymentState::RefundFailed);
    assert_eq!(owed(&world, id).await, Some(50_000));
    // It was sent nevertheless.
    let version = world.view(id).await.booking.version;
    world.payments_say(&failed(id, "rfn_1", 50_000, "payment_too_old")).await;
    assert_eq!(world.view(id).await.booking.version, version, "a repeat changes nothing");
    world.payments_say(&processed(id, "rfn_1")).await;
    assert_eq!((shown(&world, id).await, owed(&world, id).await), (PaymentState::Refunded, None));
}

/// What staff wanted to give failed for good; then the whole booking is cancelled.
#[tokio::test]
async fn what_a_cancellation_gives_back_is_not_owed_besides() {
    let world = World::without_timers().await;
    let id = single(&world).await;
    world.payments_say(&requested(id, "rfn_1", 30_000, "staff")).await;
    world.payments_say(&failed(id, "rfn_1", 30_000, "payment_too_old")).await;
    assert_eq!(owed(&world, id).await, Some(30_000));
    cancel(&world, id, 0).await;
    world.payments_say(&requested(id, "rfn_2", 50_000, "cancelled")).await;
    assert_eq!((shown(&world, id).await, owed(&world, id).await), (PaymentState::Refunding, None));
    world.payments_say(&processed(id, "rfn_2")).await;
    assert_eq!((shown(&world, id).await, owed(&world, id).await), (PaymentState::Refunded, None));
    // What failed of another payment is owed all the same.
    let other = requested(id, "rfn_3", 50_000, "double");
    let other = RefundRequested { payment_id: "pay_2".to_owned(), ..other };
    world.payments_say(&other).await;
    world.payments_say(&failed(id, "rfn_3", 50_000, "payment_too_old")).await;
    assert_eq!(owed(&world, id).await, Some(50_000));
}

#[tokio::test]
async fn a_renewal_takes_the_place_of_what_failed() {
    let world = World::without_timers().await;
    let id = single(&world).await;
    cancel(&world, id, 0).await;
    world.payments_say(&requested(id, "rfn_1", 50_000, "cancelled")).await;
    let once = RefundFailed { r#final: false, ..failed(id, "rfn_1", 50_000, "failed") };
    world.payments_say(&once).await;
    assert_eq!((shown(&world, id).await, owed(&world, id).await), (PaymentState::Refunding, None));
    let again = RefundRequested {
        renewed: true,
        renews_refund_id: "rfn_1".to_owned(),
        ..requested(id, "rfn_2", 50_000, "cancelled")
    };
    world.payments_say(&again).await;
    world.payments_say(&processed(id, "rfn_2")).await;
    assert_eq!((shown(&world, id).await, owed(&world, id).await), (PaymentState::Refunded, None));
}

/// bugs.md B F2: a rest of less than the provider's least ends, and keeps nothing open.
#[tokio::test]
async fn a_rest_that_is_too_small_for_the_provider_is_not_owed() {
    let world = World::without_timers().await;
    let id = single(&world).await;
    give_back(&world, id, ("rfn_1", 49_950), "elsewhere").await;
    cancel(&world, id, 0).await;
    world.payments_say(&requested(id, "rfn_2", 50, "cancelled")).await;
    assert_eq!(shown(&world, id).await, PaymentState::Refunding);
    world.payments_say(&failed(id, "rfn_2", 50, "below_the_least")).await;
    assert_eq!((shown(&world, id).await, owed(&world, id).await), (PaymentState::Refunded, None));
}

/// What staff gave in place of a refund that was to be renewed is not to come a second time.
#[tokio::test]
async fn no_more_is_to_come_than_is_left() {
    let world = World::without_timers().await;
    let id = single(&world).await;
    cancel(&world, id, 0).await;
    let to_come = async || {
        let page = refunds::shown(world.app.store.pool(), id).await.unwrap();
        (page.back, page.coming)
    };
    world.payments_say(&requested(id, "rfn_1", 50_000, "cancelled")).await;
    let once = RefundFailed { r#final: false, ..failed(id, "rfn_1", 50_000, "failed") };
    world.payments_say(&once).await;
    assert_eq!(to_come().await, (0, 50_000));
    world.payments_say(&requested(id, "rfn_2", 50_000, "staff")).await;
    assert_eq!(to_come().await, (0, 50_000));
    world.payments_say(&processed(id, "rfn_2")).await;
    assert_eq!(to_come().await, (50_000, 0));
    // Another payment is another matter.
    let other = requested(id, "rfn_3", 50_000, "double");
    let other = RefundRequested { payment_id: "pay_2".to_owned(), ..other };
    world.payments_say(&other).await;
    assert_eq!(to_come().await, (50_000, 50_000));
}

/// The third failure in a row is final, also in events of a release that did not say so.
#[tokio::test]
async fn events_of_before_are_read_as_what_they_meant() {
    let world = World::without_timers().await;
    let id = single(&world).await;
    cancel(&world, id, 0).await;
    for number in 1..=3 {
        let renews = if number == 1 { String::new() } else { format!("rfn_{}", number - 1) };
        let asked = RefundRequested {
            renewed: number > 1,
            renews_refund_id: renews,
            ..requested(id, &format!("rfn_{number}"), 50_000, "cancelled")
        };
        world.payments_say(&asked).await;
        assert_eq!(shown(&world, id).await, PaymentState::Refunding);
        let old = RefundFailed {
            booking_id: id.to_string(),
            refund_id: format!("rfn_{number}"),
            reason: "failed".to_owned(),
            ..RefundFailed::default()
        };
        world.payments_say(&old).await;
    }
    assert_eq!(shown(&world, id).await, PaymentState::RefundFailed);
    assert_eq!(owed(&world, id).await, Some(50_000));
}

#[tokio::test]
async fn what_the_bank_gave_by_a_dispute_is_not_owed() {
    let world = World::without_timers().await;
    let id = single(&world).await;
    cancel(&world, id, 0).await;
    world.payments_say(&requested(id, "rfn_1", 50_000, "cancelled")).await;
    world.payments_say(&failed(id, "rfn_1", 50_000, "lost_to_a_dispute")).await;
    let booking = world.view(id).await.booking;
    assert_eq!(booking.payment_state(), PaymentState::Refunded);
    assert_eq!(
        (booking.refund_owed, booking.given_by_bank.map(|it| it.minor_units)),
        (None, Some(50_000))
    );
}

#[tokio::test]
async fn a_part_that_failed_is_owed_while_the_booking_stands_paid() {
    let world = World::without_timers().await;
    let id = package(&world).await;
    cancel(&world, id, 2).await;
    world.payments_say(&requested(id, "rfn_1", 150_000, "cancelled")).await;
    world.payments_say(&failed(id, "rfn_1", 150_000, "payment_too_old")).await;
    assert_eq!(shown(&world, id).await, PaymentState::Paid);
    assert_eq!(owed(&world, id).await, Some(150_000));
}

/// What the upgrade mends is noted, and what happens afterwards is not taken for a mend.
#[tokio::test]
async fn a_state_of_before_is_noted_with_what_it_was_mended_to() {
    let world = World::without_timers().await;
    let id = single(&world).await;
    let noted = async || -> Option<String> {
        sqlx::query_scalar("select mended_to from payment_states_before where booking_id = $1")
            .bind(id)
            .fetch_one(world.app.store.pool())
            .await
            .unwrap()
    };
    let before = "insert into payment_states_before (booking_id, payment_state)
                  select booking_id, 'paid' from bookings";
    world.db.as_owner(before).await.unwrap();
    assert_eq!(noted().await, None);
    give_back(&world, id, ("rfn_1", 50_000), "staff").await;
    assert_eq!(noted().await.as_deref(), Some("refunded"));
    // As if the upgrade had been before all that is told now.
    let earlier = "update payment_states_before set noted_at = '1969-01-01', mended_to = null";
    world.db.as_owner(earlier).await.unwrap();
    give_back(&world, id, ("rfn_2", 100), "staff").await;
    assert_eq!(noted().await, None);
}
