//! A practice of two practitioners: what each offers, and which one gives a session for anyone.

use std::collections::BTreeMap;
use std::sync::Arc;

use booking::app::block_time::block_time;
use booking::app::list_bookings::list_blocked_times;
use booking::app::list_slots::list_slots;
use booking::app::request_booking::request_booking;
use booking::app::staff_scope::Scope;
use booking::consumers::payments::OnPayments;
use contract::booking::v1::{
    BlockTimeRequest, BookingState, ListBlockedTimesRequest, ListSlotsRequest,
};
use contract::convert::to_wire;
use contract::payments::v1::PaymentVerified;
use futures::future::join_all;
use kernel::Id;
use kernel::id::Booking;

use crate::races::tally;
use crate::slots::hours;
use crate::world::{
    World, at, customer, new_request, new_request_with, owner, practice_of_two, reason,
};

const TOMORROW: &str = "2026-11-25";

fn slots_with(practitioner_id: &str, service: &str) -> ListSlotsRequest {
    ListSlotsRequest {
        service_id: service.to_owned(),
        from_date: TOMORROW.to_owned(),
        days: 1,
        practitioner_id: practitioner_id.to_owned(),
    }
}

/// The starts of an hour tomorrow; occupied ones are negative.
async fn starts(world: &World, practitioner_id: &str) -> Vec<i64> {
    let listed = list_slots(&world.app, slots_with(practitioner_id, "meditation")).await.unwrap();
    hours(listed.days.first().unwrap())
}

/// The practitioner of a booking.
async fn giver(world: &World, id: Id<Booking>) -> String {
    world.view(id).await.booking.practitioner_id
}

/// Holds an hour of meditation tomorrow.
async fn hold_with(world: &World, number: u128, practitioner_id: &str, hour: i64) -> Id<Booking> {
    let request = new_request_with(practitioner_id, "meditation", at(1, hour));
    world.request(customer(number), request).await.unwrap()
}

#[tokio::test]
async fn a_start_is_free_for_anyone_when_one_of_them_is_free() {
    let world = World::of_two().await;
    assert_eq!(starts(&world, "lead").await, [11, 12, 13, 14, 15, 16, 17]);
    assert_eq!(starts(&world, "ravi").await, [13, 14, 15, 16, 17]);
    hold_with(&world, 1, "lead", 11).await;
    hold_with(&world, 2, "lead", 14).await;
    hold_with(&world, 3, "ravi", 14).await;
    hold_with(&world, 4, "ravi", 15).await;
    assert_eq!(starts(&world, "lead").await, [-11, 12, 13, -14, 15, 16, 17]);
    assert_eq!(starts(&world, "ravi").await, [13, -14, -15, 16, 17]);
    assert_eq!(starts(&world, "").await, [-11, 12, 13, -14, 15, 16, 17]);
    let next = |practitioner_id: &str| {
        let request = slots_with(practitioner_id, "meditation");
        list_slots(&world.app, ListSlotsRequest { from_date: String::new(), ..request })
    };
    assert_eq!(next("ravi").await.unwrap().next_available_at, Some(to_wire(at(0, 13))));
    assert_eq!(next("").await.unwrap().next_available_at, Some(to_wire(at(0, 11))));
}

#[tokio::test]
async fn an_unknown_or_unsuitable_practitioner_is_refused() {
    let world = World::of_two().await;
    for (practitioner_id, service, why) in [
        ("asha", "meditation", "PRACTITIONER_NOT_FOUND"),
        ("Lead", "meditation", "PRACTITIONER_NOT_FOUND"),
        ("lead", "karmic-healing", "PRACTITIONER_NOT_OFFERED"),
    ] {
        let listed = list_slots(&world.app, slots_with(practitioner_id, service)).await;
        assert_eq!(reason(listed), why);
        let request = new_request_with(practitioner_id, service, at(1, 14));
        assert_eq!(reason(world.request(customer(1), request).await), why);
    }
    for stored in ["select count(*) from events", "select count(*) from idempotency_keys"] {
        assert_eq!(world.count(stored).await, 0);
    }
    // What only one of them gives is theirs when it is asked of anyone.
    let request = new_request("karmic-healing", at(1, 14));
    let id = world.request(customer(1), request).await.unwrap();
    assert_eq!(giver(&world, id).await, "ravi");
    let too_early = world.request(customer(2), new_request("karmic-healing", at(1, 11))).await;
    assert_eq!(reason(too_early), "SLOT_NOT_OFFERED");
    let alone = World::without_timers().await;
    let request = new_request("karmic-healing", at(1, 14));
    assert_eq!(reason(alone.request(customer(1), request).await), "PRACTITIONER_NOT_OFFERED");
}

#[tokio::test]
async fn anyone_is_the_one_with_the_fewest_sessions_of_the_day() {
    let world = World::of_two().await;
    let hold = async |number, hour| giver(&world, hold_with(&world, number, "", hour).await).await;
    // At eleven only one of them works. Then the other one has fewer sessions, and so on in turn.
    assert_eq!(hold(1, 11).await, "lead");
    assert_eq!(hold(2, 14).await, "ravi");
    assert_eq!(hold(3, 15).await, "lead");
    assert_eq!(hold(4, 16).await, "ravi");
    // Now each has two sessions.
    assert_eq!(hold(5, 17).await, "lead");
    assert_eq!(hold(6, 17).await, "ravi");
    let full = world.request(customer(7), new_request("meditation", at(1, 17))).await;
    assert_eq!(reason(full), "SLOT_TAKEN");
    // Another day counts by itself.
    let id = world.request(customer(8), new_request("meditation", at(2, 14))).await.unwrap();
    assert_eq!(giver(&world, id).await, "lead");
    let booking = world.view(id).await.booking;
    assert_eq!(booking.practitioner_name, "Meera Joshi");
    let day = world.history("day-ravi-2026-11-25").await;
    assert_eq!(day, ["SlotHeld", "SlotHeld", "SlotHeld"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_fifty_buyers_of_one_start_with_two_practitioners_two_get_it() {
    let world = World::of_two().await;
    let buyers = (0..50)
        .map(|buyer| world.request(customer(1000 + buyer), new_request("meditation", at(1, 14))));
    let tally = tally(join_all(buyers).await);
    assert_eq!(tally, BTreeMap::from([("held", 2), ("SLOT_TAKEN", 48)]));
    for day in ["day-lead-2026-11-25", "day-ravi-2026-11-25"] {
        assert_eq!(world.history(day).await, ["SlotHeld"]);
    }
    // The attempts that were refused have left nothing.
    assert_eq!(world.count("select count(*) from bookings").await, 2);
    assert_eq!(world.count("select count(*) from events").await, 4);
    assert_eq!(world.count("select count(*) from idempotency_keys").await, 2);
    assert_eq!(world.count(crate::world::TIMERS).await, 2);
}

#[tokio::test]
async fn a_repeated_request_for_anyone_gets_the_same_hold() {
    let world = World::of_two().await;
    hold_with(&world, 9, "lead", 12).await;
    let request = new_request("meditation", at(1, 14));
    let first = world.request(customer(1), request.clone()).await.unwrap();
    assert_eq!(giver(&world, first).await, "ravi");
    assert_eq!(world.request(customer(1), request).await.unwrap(), first);
    // Another key, and the practitioner by name.
    for wanted in ["", "ravi"] {
        assert_eq!(hold_with(&world, 1, wanted, 14).await, first);
    }
    assert_eq!(world.count("select count(*) from bookings").await, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_who_asks_ten_times_at_once_has_one_hold() {
    let world = World::of_two().await;
    let asked = (0..10).map(|_| world.request(customer(1), new_request("meditation", at(1, 14))));
    let mut held: Vec<_> = join_all(asked).await.into_iter().map(Result::unwrap).collect();
    held.dedup();
    assert_eq!(held.len(), 1);
    assert_eq!(world.count("select count(*) from bookings").await, 1);
}

#[tokio::test]
async fn one_client_has_no_two_sessions_at_a_time() {
    let world = World::of_two().await;
    let first = hold_with(&world, 1, "lead", 14).await;
    let overlapping = [
        new_request_with("ravi", "meditation", at(1, 14)),
        new_request_with("ravi", "energy-healing", at(1, 13)),
        new_request("energy-healing", at(1, 14)),
        new_request("karmic-healing", at(1, 13)),
    ];
    for request in overlapping.clone() {
        assert_eq!(reason(world.request(customer(1), request).await), "OVERLAPS_OWN_SESSION");
    }
    world.pay(first, "pay_1").await;
    for request in overlapping.clone() {
        assert_eq!(reason(world.request(customer(1), request).await), "OVERLAPS_OWN_SESSION");
    }
    // The next hour is free for the same client, and the same hour for another one.
    hold_with(&world, 1, "ravi", 15).await;
    hold_with(&world, 2, "ravi", 14).await;
}

#[tokio::test]
async fn a_hold_that_has_ended_is_no_session() {
    let world = World::of_two().await;
    hold_with(&world, 1, "lead", 14).await;
    world.minutes_later(16).await;
    let id = hold_with(&world, 1, "ravi", 14).await;
    assert_eq!(giver(&world, id).await, "ravi");
}

/// The first session was not paid in time, and its client has booked the hour with another
/// practitioner meanwhile.
#[tokio::test]
async fn late_money_places_no_second_session_at_the_same_time() {
    let world = World::of_two().await;
    world.run_timers();
    let request = new_request_with("lead", "energy-healing", at(1, 14));
    let late = world.request(customer(1), request).await.unwrap();
    world.minutes_later(16).await;
    world.reaches(late, BookingState::Expired).await;
    let other = hold_with(&world, 1, "ravi", 15).await;
    world.pay(other, "pay_1").await;
    world.pay(late, "pay_2").await;
    assert_eq!(world.state(late).await, BookingState::PaidUnplaced);
    world.reaches(other, BookingState::MeetingScheduled).await;
}

fn block(practitioner_id: &str) -> BlockTimeRequest {
    BlockTimeRequest {
        idempotency_key: eventstore::new_uuid().to_string(),
        date: TOMORROW.to_owned(),
        from_time: "14:00".to_owned(),
        to_time: "16:00".to_owned(),
        practitioner_id: practitioner_id.to_owned(),
    }
}

#[tokio::test]
async fn a_closed_time_is_one_practitioners() {
    let world = World::of_two().await;
    block_time(&world.app, owner(), block("ravi")).await.unwrap();
    assert_eq!(starts(&world, "ravi").await, [13, -14, -15, 16, 17]);
    assert_eq!(starts(&world, "").await, [11, 12, 13, 14, 15, 16, 17]);
    let unknown = block_time(&world.app, owner(), block("asha")).await;
    assert_eq!(reason(unknown), "PRACTITIONER_NOT_FOUND");
    // Without a name it is the first practitioner's.
    block_time(&world.app, owner(), block("")).await.unwrap();
    assert_eq!(starts(&world, "").await, [11, 12, 13, -14, -15, 16, 17]);
    let request = ListBlockedTimesRequest { from_date: TOMORROW.to_owned(), days: 1 };
    let all = Scope::Practice { shows_notes: true };
    let closed = list_blocked_times(&world.app, &request, &all).await.unwrap().found;
    let whose: Vec<&str> = closed.iter().map(|time| time.practitioner_id.as_str()).collect();
    assert_eq!(whose, ["lead", "ravi"]);
}

/// Streams and rows of a practice from before it had a second practitioner.
#[tokio::test]
async fn what_was_booked_before_belongs_to_the_first_practitioner() {
    let world = World::without_timers().await;
    let held = world.hold(customer(1), at(1, 14)).await;
    let booked = world.hold(customer(2), at(1, 15)).await;
    world.pay(booked, "pay_1").await;
    let app = world.another(|practice| *practice = practice_of_two());
    let listed = list_slots(&app, slots_with("lead", "meditation")).await.unwrap();
    assert_eq!(hours(&listed.days[0]), [11, 12, 13, -14, -15, 16, 17]);
    let request = new_request("meditation", at(1, 14));
    let other = request_booking(&app, customer(3), request).await.unwrap();
    assert_eq!(other.view.booking.practitioner_name, "Ravi Menon");
    let own = request_booking(&app, customer(2), new_request("meditation", at(1, 15))).await;
    assert_eq!(reason(own.map(|held| held.id)), "OVERLAPS_OWN_SESSION");
    verify(&world, &app, held).await;
    assert_eq!(world.state(held).await, BookingState::Confirmed);
    assert_eq!(giver(&world, held).await, "lead");
    assert_eq!(
        world.history("day-lead-2026-11-25").await,
        ["SlotHeld", "SlotHeld", "SlotBooked", "SlotBooked"]
    );
}

/// A payment is taken in by another process.
async fn verify(world: &World, app: &Arc<booking::app::App>, id: Id<Booking>) {
    let verified = PaymentVerified {
        booking_id: id.to_string(),
        payment_id: format!("pay_{id}"),
        amount: None,
    };
    world.react(Arc::new(OnPayments::new(Arc::clone(app))), &verified).await;
}

/// Their block was deleted from the practice's file while they had bookings.
#[tokio::test]
async fn bookings_of_a_former_practitioner_go_on() {
    let world = World::of_two().await;
    let paid = hold_with(&world, 1, "ravi", 14).await;
    let late = hold_with(&world, 2, "ravi", 16).await;
    let app = world.another(|practice| practice.practitioners.clear());
    verify(&world, &app, paid).await;
    assert_eq!(world.state(paid).await, BookingState::Confirmed);
    let view = booking::read_model::view::load(app.store.pool(), &app.practice, paid).await;
    let booking = view.unwrap().unwrap().booking;
    assert_eq!(
        (booking.practitioner_id.as_str(), booking.practitioner_name.as_str()),
        ("ravi", "Sukoon")
    );
    // What is no longer offered is not placed anew: the money goes back.
    world.minutes_later(16).await;
    verify(&world, &app, late).await;
    assert_eq!(world.state(late).await, BookingState::PaidUnplaced);
    let request = new_request_with("ravi", "meditation", at(1, 15));
    let gone = request_booking(&app, customer(3), request).await.map(|held| held.id);
    assert_eq!(reason(gone), "PRACTITIONER_NOT_FOUND");
}
