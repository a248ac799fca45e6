//! Rebuilt read models equal the original ones (I9 of the practice's invariants), as far as
//! booking's own events determine them. Facts from other services (payment states other than
//! "paid", the mail, the link) are not in this log.

use std::sync::Arc;

use booking::app::move_booking::move_own_booking;
use booking::app::open_checkout::open_checkout;
use booking::app::release_booking::release_booking;
use booking::contract::{read_booking_event, read_day_event};
use booking::read_model::project::DayKey;
use booking::read_model::rebuild::{self, Change};
use contract::booking::v1::BookingState;
use eventstore::{Metadata, Recorded, feed};
use kernel::Id;
use testkit::until_in_feed;

use crate::blocks::{block, unblock};
use crate::cancels::cancel_by_practice;
use crate::world::{World, at, customer, owner};

/// Both tables with all columns but one, in a fixed order. `requested_at` is when the request was
/// decided; a rebuild uses the time its event was recorded.
const ROWS: &str = "select coalesce(string_agg(line, E'\\n' order by line), '') from (
    select 'booking ' || (to_jsonb(b) - 'requested_at')::text as line from bookings b
    union all
    select 'slot ' || to_jsonb(s)::text from slot_reservations s) rows";

/// The number of bookings requested within a minute of their event.
const IN_TIME: &str = "select count(*) from bookings b
    join events e on e.stream_id = 'booking-' || b.booking_id and e.version = 1
    where e.recorded_at - b.requested_at between interval '0' and interval '1 minute'";

/// A history with every kind of change to times: held, expired, rebooked, released, paid late,
/// cancelled, closed and opened.
async fn live(world: &World) {
    let first = world.hold(customer(1), at(1, 12)).await;
    world.minutes_later(31).await;
    world.run_timers();
    world.reaches(first, BookingState::Expired).await;
    let second = world.hold(customer(2), at(1, 12)).await;
    world.pay(second, "pay_second").await;
    world.reaches(second, BookingState::MeetingScheduled).await;
    cancel_by_practice(world, owner(), second).await;
    let third = world.hold(customer(3), at(1, 12)).await;
    release_booking(&world.app, customer(3), third, "release-1").await.unwrap();
    world.pay(first, "pay_late").await;
    world.reaches(first, BookingState::MeetingScheduled).await;
    let closed = block(world, "16:00", "17:00").await.unwrap();
    unblock(world, closed).await.unwrap();
    let fourth = world.hold(customer(4), at(1, 16)).await;
    world.pay(fourth, "pay_fourth").await;
    world.reaches(fourth, BookingState::MeetingScheduled).await;
    // To another day, within a day, and to where another client was before.
    for times in [(at(1, 16), at(2, 16)), (at(2, 16), at(2, 17)), (at(2, 17), at(1, 15))] {
        let request = crate::moves::to(fourth, times);
        move_own_booking(&world.app, customer(4), request).await.unwrap();
    }
    block(world, "18:00", "18:30").await.unwrap();
    let fifth = world.hold(customer(5), at(2, 13)).await;
    // A booking whose hold was extended in between.
    let extended = world.hold(customer(5), at(2, 14)).await;
    open_checkout(&world.app, customer(5), extended, "checkout-1").await.unwrap();
    world.minutes_later(91).await;
    for id in [fifth, extended] {
        world.reaches(id, BookingState::Expired).await;
    }
}

fn change(world: &World, event: &Recorded) -> Change {
    if let Some(id) = event.stream_id.strip_prefix("booking-") {
        let id = Id::from_uuid(id.parse().unwrap());
        let (event, at) = (read_booking_event(event).unwrap(), event.recorded_at);
        return Change::Booking { id, event, at };
    }
    let (whose, date) = event.stream_id.strip_prefix("day-").unwrap().split_once('-').unwrap();
    let (from, to) = world.app.rules.bounds(date.parse().unwrap());
    let key = DayKey { practitioner_id: whose.to_owned(), from, to };
    Change::Day { key, event: read_day_event(event).unwrap() }
}

async fn rows(world: &World) -> String {
    sqlx::query_scalar(ROWS).fetch_one(world.app.store.pool()).await.unwrap()
}

async fn in_time(world: &World) -> i64 {
    sqlx::query_scalar(IN_TIME).fetch_one(world.app.store.pool()).await.unwrap()
}

#[tokio::test]
async fn rebuilt_rows_equal_the_original_rows() {
    let world = World::without_timers().await;
    live(&world).await;
    let (bookings, rows) = are_rebuilt(&world).await;
    assert!(rows >= 13, "{rows}");
    assert_eq!(bookings, 6);
}

/// Rebuilds the rows in batches of several sizes, and returns how many bookings and rows there are.
pub(crate) async fn are_rebuilt(world: &World) -> (i64, usize) {
    until_in_feed(&world.app.store).await.unwrap();
    let before = rows(world).await;
    let bookings = in_time(world).await;
    for size in [1, 3, 7, 1000] {
        world.db.as_owner("truncate bookings, slot_reservations").await.unwrap();
        assert_eq!(rows(world).await, "");
        let mut position = 0;
        loop {
            let events = feed::read(world.app.store.pool(), position, size).await.unwrap();
            let Some(last) = events.last() else { break };
            position = last.position;
            let changes: Vec<_> = events.iter().map(|event| change(world, event)).collect();
            let changes = Arc::new(changes);
            let written = world.app.store.write(Metadata::by("test", None), move |tx| {
                let changes = Arc::clone(&changes);
                Box::pin(async move { rebuild::write(tx, &changes).await })
            });
            written.await.unwrap();
        }
        assert_eq!(rows(world).await, before, "in batches of {size}");
        assert_eq!(in_time(world).await, bookings, "in batches of {size}");
    }
    (bookings, before.lines().count())
}
