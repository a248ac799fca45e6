//! Packages: the times of all sessions are held, confirmed and given back together, or none is.

use std::collections::BTreeMap;
use std::sync::Arc;

use booking::error::Error;
use contract::booking::v1::{BookingState, RequestBookingRequest, Session};
use contract::convert::{timestamp, to_wire};
use futures::future::join_all;
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use testkit::sent_statements;

use crate::races::tally;
use crate::world::{
    TIMERS, World, at, customer, new_package, new_request, new_request_with, reason,
};

/// Sessions at an hour, from tomorrow on a week apart.
fn weekly(hour: i64) -> [Timestamp; 3] {
    [at(1, hour), at(8, hour), at(15, hour)]
}

async fn hold(world: &World, number: u128, starts: [Timestamp; 3]) -> Result<Id<Booking>, Error> {
    world.request(customer(number), new_package(starts)).await
}

const DAYS: [&str; 3] = ["day-lead-2026-11-25", "day-lead-2026-12-02", "day-lead-2026-12-09"];

async fn days(world: &World) -> [Vec<String>; 3] {
    let [first, second, third] = DAYS;
    [world.history(first).await, world.history(second).await, world.history(third).await]
}

fn starts(sessions: &[Session]) -> Vec<Timestamp> {
    sessions.iter().map(|it| timestamp(it.starts_at.as_ref().unwrap()).unwrap()).collect()
}

#[tokio::test]
async fn a_package_holds_a_time_on_each_of_its_days() {
    let world = World::without_timers().await;
    let [first, second, third] = weekly(11);
    let id = hold(&world, 1, [second, third, first]).await.unwrap();
    let booking = world.view(id).await.booking;
    assert_eq!(booking.state(), BookingState::Held);
    assert_eq!(starts(&booking.sessions), weekly(11), "in their order");
    let package = booking.package.unwrap();
    assert_eq!((package.package_id.as_str(), package.notice_hours), ("starter", 24));
    assert_eq!(booking.price.unwrap().minor_units, 450_001);
    let shares: Vec<i64> =
        booking.sessions.iter().map(|it| it.share.as_ref().unwrap().minor_units).collect();
    assert_eq!(shares, [150_000, 150_000, 150_001]);
    assert_eq!(days(&world).await, [["SlotHeld"], ["SlotHeld"], ["SlotHeld"]]);
    assert_eq!(world.count(TIMERS).await, 1, "its hold ends as one");
    // Another booking on one of the days.
    let taken = world.request(customer(2), new_request("meditation", second)).await;
    assert_eq!(reason(taken), "SLOT_TAKEN");
}

#[tokio::test]
async fn a_package_counts_as_one_live_hold() {
    let world = World::without_timers().await;
    hold(&world, 1, weekly(11)).await.unwrap();
    world.hold(customer(1), at(2, 11)).await;
    let third = world.request(customer(1), new_request("meditation", at(3, 11))).await;
    assert_eq!(reason(third), "TOO_MANY_HOLDS");
    assert_eq!(reason(hold(&world, 1, weekly(12)).await), "TOO_MANY_HOLDS");
}

#[tokio::test]
async fn nothing_is_held_when_one_of_the_times_is_taken() {
    let world = World::without_timers().await;
    for (number, [first, second, third]) in [(1, weekly(11)), (2, weekly(12)), (3, weekly(13))] {
        let taken = [first, second, third][usize::try_from(number).unwrap() - 1];
        world.hold(customer(number), taken).await;
        let before = world.count("select count(*) from events").await;
        assert_eq!(reason(hold(&world, 9, [first, second, third]).await), "SLOT_TAKEN");
        assert_eq!(world.count("select count(*) from events").await, before);
    }
    assert_eq!(world.count("select count(*) from slot_reservations").await, 3);
    assert_eq!(world.count("select count(*) from bookings").await, 3);
    // The other times are free.
    hold(&world, 9, [at(1, 12), at(8, 11), at(15, 11)]).await.unwrap();
}

#[tokio::test]
async fn dates_that_do_not_fit_the_package_are_refused() {
    let world = World::without_timers().await;
    let [first, second, third] = weekly(11);
    let good = new_package([first, second, third]);
    let further = |starts: &[Timestamp]| RequestBookingRequest {
        further_starts_at: starts.iter().copied().map(to_wire).collect(),
        ..good.clone()
    };
    let of = |package_id: &str, service_id: &str| RequestBookingRequest {
        package_id: package_id.to_owned(),
        service_id: service_id.to_owned(),
        ..good.clone()
    };
    for (request, why) in [
        (further(&[second]), "WRONG_SESSION_COUNT"),
        (further(&[second, third, at(20, 11)]), "WRONG_SESSION_COUNT"),
        (further(&[second, at(1, 15)]), "SAME_DATE"),
        (further(&[first, second]), "SAME_DATE"),
        (further(&[second, at(62, 11)]), "DATES_TOO_FAR_APART"),
        (further(&[second, at(15, 3)]), "SLOT_NOT_OFFERED"),
        (further(&[second, at(-1, 11)]), "SLOT_PAST"),
        (further(&[second, Timestamp::EPOCH]), "INVALID_START"),
        (further(&[second; 20]), "INVALID_START"),
        (of("", "meditation"), "INVALID_START"),
        (of("forever", "meditation"), "PACKAGE_NOT_OFFERED"),
        (of("starter", "free-consultation"), "PACKAGE_NOT_OFFERED"),
    ] {
        assert_eq!(reason(world.request(customer(1), request).await), why, "{why}");
    }
    assert_eq!(world.count("select count(*) from events").await, 0);
}

#[tokio::test]
async fn the_same_package_again_is_the_same_booking() {
    let world = World::without_timers().await;
    let request = new_package(weekly(11));
    let first = world.request(customer(1), request.clone()).await.unwrap();
    assert_eq!(world.request(customer(1), request).await.unwrap(), first);
    // Another key, and the dates in another order.
    let [one, two, three] = weekly(11);
    assert_eq!(hold(&world, 1, [three, one, two]).await.unwrap(), first);
    // A single session at one of its times is another booking.
    let single = world.request(customer(1), new_request("meditation", one)).await;
    assert_eq!(reason(single), "SLOT_TAKEN");
    // So is a package with another date, even if it shares the others.
    assert_eq!(reason(hold(&world, 1, [one, two, at(16, 11)]).await), "SLOT_TAKEN");
    assert_eq!(world.booking_history(first).await, ["BookingRequested"]);
}

#[tokio::test]
async fn the_days_lapse_with_the_hold_and_late_money_takes_all_of_them_back() {
    let world = World::without_timers().await;
    let late = hold(&world, 1, weekly(11)).await.unwrap();
    let lost = hold(&world, 2, weekly(12)).await.unwrap();
    world.minutes_later(16).await;
    world.hold(customer(3), at(8, 12)).await;
    world.pay(late, "pay_1").await;
    world.pay(lost, "pay_2").await;
    assert_eq!(world.state(late).await, BookingState::Confirmed);
    assert_eq!(world.state(lost).await, BookingState::PaidUnplaced);
    let live = "select count(*) from slot_reservations r join bookings b using (booking_id)
                where r.live and b.state = 'paid_unplaced'";
    assert_eq!(world.count(live).await, 0, "none of its times is kept");
    hold(&world, 4, [at(1, 12), at(9, 12), at(15, 12)]).await.unwrap();
}

#[tokio::test]
async fn all_sessions_are_with_one_practitioner() {
    let world = World::of_two().await;
    // Each of the two is free on two of the days only; together they would have all.
    let [first, second, third] = weekly(14);
    let block = async |number, practitioner_id, starts_at| {
        let request = new_request_with(practitioner_id, "meditation", starts_at);
        world.request(customer(number), request).await.unwrap();
    };
    block(1, "lead", second).await;
    block(2, "ravi", first).await;
    assert_eq!(reason(hold(&world, 9, weekly(14)).await), "SLOT_TAKEN");
    let free = [first, at(9, 14), third];
    let id = hold(&world, 9, free).await.unwrap();
    assert_eq!(world.view(id).await.booking.practitioner_id, "lead");
    // Lead has more sessions on these days than Ravi, who is free on all of them.
    let next = [at(1, 15), at(9, 15), at(15, 15)];
    let id = hold(&world, 10, next).await.unwrap();
    assert_eq!(world.view(id).await.booking.practitioner_id, "ravi");
    // A session that overlaps one of the package's, with the other practitioner.
    let other = new_request_with("lead", "meditation", at(9, 15));
    assert_eq!(reason(world.request(customer(10), other).await), "OVERLAPS_OWN_SESSION");
    let package = RequestBookingRequest {
        practitioner_id: "lead".to_owned(),
        ..new_package([at(2, 15), at(9, 15), at(16, 15)])
    };
    assert_eq!(reason(world.request(customer(10), package).await), "OVERLAPS_OWN_SESSION");
}

/// Each package shares a day and time with others. Those that are held stand whole, and nothing of
/// the others is left.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_overlapping_packages_each_is_held_whole_or_not_at_all() {
    let world = Arc::new(World::without_timers().await);
    let requests = (0..60_i64).map(|buyer| {
        // Of five times on each of six days; the sessions stand a day or two apart.
        let hour = 11 + buyer % 5;
        let day = 1 + buyer % 3;
        let package =
            new_package([at(day, hour), at(day + 1 + buyer % 2, hour), at(day + 3, hour)]);
        world.request(customer(3000 + u128::try_from(buyer).unwrap()), package)
    });
    let tally = tally(join_all(requests).await);
    let held = tally.get("held").copied().unwrap_or_default();
    assert!((5..=10).contains(&held), "{tally:?}");
    assert_eq!(tally, BTreeMap::from([("held", held), ("SLOT_TAKEN", 60 - held)]));
    let whole = "select count(*) from (select booking_id from slot_reservations where live
                 group by booking_id having count(*) = 3) whole";
    let held = i64::try_from(held).unwrap();
    assert_eq!(world.count(whole).await, held);
    assert_eq!(world.count("select count(*) from slot_reservations").await, 3 * held);
    assert_eq!(world.count("select count(*) from bookings").await, held);
    let slots = "select count(*) from events where event_type = 'booking.v1.SlotHeld'";
    assert_eq!(world.count(slots).await, 3 * held);
}

/// Statements, not rows: each is a round trip under the locks of the days.
#[tokio::test]
async fn a_package_of_three_takes_at_most_twice_the_statements_of_a_single_booking() {
    for world in [World::without_timers().await, World::of_two().await] {
        // The first requests fill the caches and prepare the statements.
        world.hold(customer(1), at(1, 14)).await;
        hold(&world, 2, weekly(15)).await.unwrap();
        let counted = async |number, request| {
            let before = sent_statements();
            world.request(customer(number), request).await.unwrap();
            sent_statements() - before
        };
        let single = counted(3, new_request("meditation", at(2, 14))).await;
        let package = counted(4, new_package([at(3, 14), at(4, 14), at(5, 14)])).await;
        println!("a package of three: {package} statements; a single session: {single}");
        assert!(single > 0 && package <= 2 * single, "{package} statements and {single}");
        assert_eq!(package, single, "all days are read and written together");
    }
}
