//! Concurrent requests for the same time.

use std::collections::BTreeMap;
use std::sync::Arc;

use booking::error::Error;
use contract::booking::v1::BookingState;
use futures::future::join_all;
use kernel::{CommandError, Id, Reject as _};

use crate::world::{World, at, customer, new_request, reason};

/// The number of times each outcome occurred.
pub(crate) fn tally<T>(results: Vec<Result<T, Error>>) -> BTreeMap<&'static str, usize> {
    let mut tally = BTreeMap::new();
    for result in results {
        let outcome = match result {
            Ok(_) => "held",
            Err(CommandError::Rejected(rejection)) => rejection.reason(),
            Err(error) => panic!("{error:?}"),
        };
        *tally.entry(outcome).or_default() += 1;
    }
    tally
}

/// calcom #10789: two people were confirmed in one slot.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_fifty_buyers_of_one_slot_one_gets_it() {
    let world = World::without_timers().await;
    let buyers = (0..50).map(|buyer| {
        let request = new_request("meditation", at(1, 11));
        world.request(customer(1000 + buyer), request)
    });
    let tally = tally(join_all(buyers).await);
    assert_eq!(tally, BTreeMap::from([("held", 1), ("SLOT_TAKEN", 49)]));
    let day = world.history("day-lead-2026-11-25").await;
    assert_eq!(day, ["SlotHeld"]);
    assert_eq!(world.count("select count(*) from bookings").await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn overlapping_sessions_of_different_services_exclude_each_other() {
    let world = World::without_timers().await;
    // Ninety minutes at eleven overlap the hour at twelve; the hour at one overlaps neither.
    let requests = (0..30).map(|buyer| {
        let (service, hour) = match buyer % 3 {
            0 => ("energy-healing", 11),
            1 => ("meditation", 12),
            _ => ("meditation", 13),
        };
        world.request(customer(2000 + buyer), new_request(service, at(1, hour)))
    });
    let tally = tally(join_all(requests).await);
    assert_eq!(tally.get("held"), Some(&2));
    assert_eq!(tally.get("SLOT_TAKEN"), Some(&28));
    let overlaps = world
        .count(
            "select count(*) from slot_reservations a join slot_reservations b
             on a.booking_id < b.booking_id and a.live and b.live and a.during && b.during",
        )
        .await;
    assert_eq!(overlaps, 0);
}

/// calcom #10789 and fossunited#1698 at payment: both customers have paid, one hold had expired,
/// and the time is assigned again under its lock. No payment is lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_who_pay_for_one_slot_at_once_one_is_confirmed_and_one_is_refunded() {
    let world = World::without_timers().await;
    let first = world.hold(customer(1), at(0, 15)).await;
    world.minutes_later(16).await;
    let second = world.hold(customer(2), at(0, 15)).await;
    world.minutes_later(16).await;
    let third = world.hold(customer(3), at(0, 15)).await;
    world.minutes_later(16).await;
    let paid = [(first, "pay_1"), (second, "pay_2"), (third, "pay_3")];
    join_all(paid.map(|(id, payment)| world.pay(id, payment))).await;
    let mut states = Vec::new();
    for (id, _payment) in paid {
        states.push(world.state(id).await);
    }
    let count = |new_request| states.iter().filter(|state| **state == new_request).count();
    assert_eq!(count(BookingState::Confirmed), 1, "{states:?}");
    // payments refunds each of these.
    assert_eq!(count(BookingState::PaidUnplaced), 2, "{states:?}");
    let refused = "select count(*) from events where event_type = 'booking.v1.BookingUnplaced'";
    assert_eq!(world.count(refused).await, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_customer_gets_two_holds_of_twenty() {
    let world = World::without_timers().await;
    let requests = (0..20).map(|number| {
        let starts_at = at(1 + number / 5, 11 + number % 5);
        world.request(customer(1), new_request("meditation", starts_at))
    });
    let tally = tally(join_all(requests).await);
    assert_eq!(tally, BTreeMap::from([("held", 2), ("TOO_MANY_HOLDS", 18)]));
    // A customer who releases a time may hold another.
    let held: Id<_> = sqlx::query_scalar("select booking_id from bookings limit 1")
        .fetch_one(world.app.store.pool())
        .await
        .unwrap();
    booking::app::release_booking::release_booking(&world.app, customer(1), held, "release-1")
        .await
        .unwrap();
    world.hold(customer(1), at(9, 11)).await;
    let one_more = world.request(customer(1), new_request("meditation", at(9, 12))).await;
    assert_eq!(reason(one_more), "TOO_MANY_HOLDS");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_request_many_times_at_once_is_one_booking() {
    let world = Arc::new(World::without_timers().await);
    let request = new_request("meditation", at(1, 11));
    let answers = join_all((0..12).map(|_| world.request(customer(1), request.clone()))).await;
    let mut ids: Vec<_> = answers.into_iter().map(Result::unwrap).collect();
    ids.dedup();
    assert_eq!(ids.len(), 1);
    assert_eq!(world.booking_history(ids[0]).await, ["BookingRequested"]);
}
