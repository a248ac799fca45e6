//! What metrics tell about times: held, held too long, booked for the week, and taken twice.

use booking::read_model::gauges;
use testkit::figures;

use crate::world::{World, at, customer};

#[tokio::test]
async fn holds_and_sessions_are_counted_and_a_hold_that_nothing_ended_is_told() {
    let world = World::without_timers().await;
    let paid = world.hold(customer(1), at(1, 11)).await;
    world.pay(paid, "pay_1").await;
    world.hold(customer(2), at(1, 14)).await;
    let pool = world.app.store.pool();
    let told = figures(&gauges::times(pool).await.unwrap());
    assert_eq!(told["sukoon.holds"], 1);
    assert_eq!(told["sukoon.holds.overdue"], 0);
    assert_eq!(told["sukoon.sessions.ahead"], 1);
    assert_eq!(told["sukoon.bookings.overlapping"], 0);
    // No timer runs, so the hold stays beyond its end.
    world.minutes_later(20).await;
    let late = figures(&gauges::times(pool).await.unwrap());
    assert_eq!((late["sukoon.holds"], late["sukoon.holds.overdue"]), (1, 1));
}

/// The constraint refuses it; the gauge is there for a database whose constraint was lost.
#[tokio::test]
async fn two_bookings_of_one_time_are_told() {
    let world = World::without_timers().await;
    let one = world.hold(customer(1), at(1, 11)).await;
    world.pay(one, "pay_1").await;
    let twice = "alter table slot_reservations drop constraint slots_do_not_overlap;
                 insert into slot_reservations
                     (booking_id, practitioner_id, starts_at, ends_at, held_until_at, live)
                 select gen_random_uuid(), practitioner_id, starts_at + interval '5 minutes',
                        ends_at, held_until_at, live
                 from slot_reservations";
    world.db.as_owner(twice).await.unwrap();
    let told = figures(&gauges::times(world.app.store.pool()).await.unwrap());
    assert_eq!(told["sukoon.bookings.overlapping"], 1);
}
