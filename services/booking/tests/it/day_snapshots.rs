//! A day is loaded from the version of its snapshot; the log stays the source of truth.

use booking::app::request_booking::request_booking;
use booking::contract::day_stream;
use contract::booking::v1::BookingState;
use practice::LEAD_ID;

use crate::world::{World, at, customer, new_request, reason};

const DAY: &str = "day-lead-2026-11-25";

/// Resets the day to its first event, like a restore from a backup under a running process.
async fn restore(world: &World) {
    let behind = format!("select seq from events where stream_id = '{DAY}' and version > 1");
    world
        .db
        .as_owner(&format!(
            "alter table events disable trigger user;
             delete from outbox where seq in ({behind});
             delete from feed where seq in ({behind});
             delete from slot_reservations where booking_id in
                 (select booking_id from bookings where customer_id <> '{first}');
             delete from events where stream_id = '{DAY}' and version > 1;
             alter table events enable trigger user",
            first = customer(1).uuid()
        ))
        .await
        .unwrap();
}

#[tokio::test]
async fn a_snapshot_is_dropped_after_a_restore_of_the_day() {
    let world = World::without_timers().await;
    let date = "2026-11-25".parse().unwrap();
    assert_eq!(day_stream(LEAD_ID, date), DAY);
    for number in 1..=3 {
        world.hold(customer(number), at(1, 11 + i64::try_from(number).unwrap())).await;
    }
    // The snapshot now has the second hold, at one.
    let refused = world.request(customer(4), new_request("meditation", at(1, 13))).await;
    assert_eq!(reason(refused), "SLOT_TAKEN");
    restore(&world).await;
    // As many events as in the snapshot, but different ones.
    let theirs = new_request("meditation", at(1, 15));
    request_booking(&world.another(|_same| {}), customer(8), theirs).await.unwrap();
    world.hold(customer(5), at(1, 13)).await;
    world.hold(customer(6), at(1, 14)).await;
    // The first hold is still there, and so are those made after the restore.
    for hour in [12, 13, 14, 15] {
        let refused = world.request(customer(7), new_request("meditation", at(1, hour))).await;
        assert_eq!(reason(refused), "SLOT_TAKEN");
    }
    let history = world.history(DAY).await;
    assert_eq!(history, ["SlotHeld", "SlotHeld", "SlotHeld", "SlotHeld"]);
}

#[tokio::test]
async fn another_process_may_have_changed_the_day() {
    let world = World::without_timers().await;
    let other = world.another(|_same| {});
    world.hold(customer(1), at(1, 12)).await;
    world.hold(customer(2), at(1, 13)).await;
    let theirs = new_request("meditation", at(1, 14));
    request_booking(&other, customer(3), theirs).await.unwrap();
    // The rows would reject it too; without them the day alone must.
    world.db.as_owner("delete from slot_reservations").await.unwrap();
    for hour in [12, 13, 14] {
        let refused = world.request(customer(4), new_request("meditation", at(1, hour))).await;
        assert_eq!(reason(refused), "SLOT_TAKEN");
    }
    world.hold(customer(5), at(1, 15)).await;
    let refused = world.request(customer(6), new_request("meditation", at(1, 14))).await;
    assert_eq!(reason(refused), "SLOT_TAKEN");
}

/// What is confirmed or ends is decided from the snapshot on, however much the day has seen.
#[tokio::test]
async fn a_confirmation_reads_of_the_day_what_is_new() {
    let world = World::without_timers().await;
    let mut held = Vec::new();
    for (number, hour) in [(1, 12), (2, 13), (3, 14)] {
        held.push(world.hold(customer(number), at(1, hour)).await);
    }
    let refused = world.request(customer(4), new_request("meditation", at(1, 13))).await;
    assert_eq!(reason(refused), "SLOT_TAKEN");
    // It would be an error to read this event again.
    let unreadable = format!(
        "alter table events disable trigger user;
         update events set payload = '{{}}' where stream_id = '{DAY}' and version = 1;
         alter table events enable trigger user"
    );
    world.db.as_owner(&unreadable).await.unwrap();
    world.pay(held[1], "pay_aaaaaaaaaaaaaa").await;
    world.pay(held[2], "pay_bbbbbbbbbbbbbb").await;
    let states = [world.state(held[1]).await, world.state(held[2]).await];
    assert_eq!(states, [BookingState::Confirmed, BookingState::Confirmed]);
}
