//! The wait list: a freed time is held for the first client whom it fits, one at a time, in order.

use booking::app::free_session::Client;
use booking::app::release_booking::release_booking;
use booking::app::waiting::{decline_offer, join_waiting, leave_waiting, list_own_waiting};
use contract::booking::v1 as wire;
use contract::convert::to_wire;
use kernel::id::{Booking, Customer};
use kernel::{Id, Timestamp};
use testkit::until;
use tonic::Code;

use crate::cancels::cancel_by_practice;
use crate::grpc_harness::{GrpcHarness, refused};
use crate::moves::to;
use crate::world::{World, at, customer, new_request, owner, reason};

pub(crate) fn client(number: u128) -> Client {
    let email = format!("client-{number}@example.org");
    Client { proved_email: Some(email), ..customer(number).into() }
}

pub(crate) fn wish() -> wire::WaitingWish {
    wire::WaitingWish {
        service_id: "meditation".to_owned(),
        mode: wire::SessionMode::Online.into(),
        ..wire::WaitingWish::default()
    }
}

pub(crate) fn asked(wish: wire::WaitingWish) -> wire::JoinWaitingRequest {
    wire::JoinWaitingRequest {
        idempotency_key: eventstore::new_uuid().to_string(),
        wish: Some(wish),
        first_name: "Asha".to_owned(),
    }
}

pub(crate) async fn joined(world: &World, number: u128, wish: wire::WaitingWish) -> wire::Waiting {
    join_waiting(&world.app, client(number), asked(wish)).await.unwrap()
}

/// A time that is held, so that it can become free.
async fn held(world: &World, starts_at: Timestamp) -> Id<Booking> {
    world.hold(customer(1), starts_at).await
}

async fn freed(world: &World, id: Id<Booking>) {
    release_booking(&world.app, customer(1), id, "a-key-of-a-release").await.unwrap();
}

async fn entries(world: &World, number: u128) -> Vec<wire::Waiting> {
    list_own_waiting(&world.app, customer(number)).await.unwrap().waiting
}

async fn offer_now(world: &World, number: u128) -> Option<wire::WaitingOffer> {
    entries(world, number).await.into_iter().find_map(|entry| entry.offer)
}

pub(crate) async fn offered(world: &World, number: u128) -> wire::WaitingOffer {
    until("a time is offered", async || Ok(offer_now(world, number).await)).await.unwrap()
}

async fn all_offered(world: &World) {
    until("what is free was offered", async || {
        let waits = "select count(*) from timers where kind = 'offer-times'";
        Ok((world.count(waits).await == 0).then_some(()))
    })
    .await
    .unwrap();
}

async fn open(world: &World) -> i64 {
    world.count("select count(*) from waiting_offers where state = 'open'").await
}

fn declined(entry: &wire::Waiting, offer: &wire::WaitingOffer) -> wire::DeclineOfferRequest {
    let (waiting_id, offer_id) = (entry.waiting_id.clone(), offer.offer_id.clone());
    wire::DeclineOfferRequest { waiting_id, offer_id }
}

fn starts(offer: &wire::WaitingOffer) -> Option<prost_types::Timestamp> {
    offer.starts_at
}

#[tokio::test]
async fn a_freed_time_is_held_for_the_first_whom_it_fits_and_then_for_the_next() {
    let world = World::new().await;
    let id = held(&world, at(3, 11)).await;
    let evening = vec![wire::DayPart::Evening.into()];
    joined(&world, 10, wire::WaitingWish { day_parts: evening, ..wish() }).await;
    joined(&world, 11, wish()).await;
    let second = joined(&world, 12, wish()).await;
    freed(&world, id).await;
    let offer = offered(&world, 11).await;
    assert_eq!(starts(&offer), Some(to_wire(at(3, 11))));
    assert_eq!(offer.held_until_at.unwrap().seconds - to_wire(at(0, 9)).seconds, 2 * 60 * 60);
    // No other client can have it meanwhile.
    let taken = world.request(customer(2), new_request("meditation", at(3, 11))).await;
    assert_eq!(reason(taken), "SLOT_TAKEN");
    assert_eq!((offer_now(&world, 10).await, offer_now(&world, 12).await), (None, None));
    world.minutes_later(121).await;
    let next = offered(&world, 12).await;
    assert_eq!(offer_now(&world, 11).await, None);
    assert_eq!(world.history("day-lead-2026-11-27").await.len(), 5, "held, freed, offered twice");
    // The last one whom it fits declines: then it is free for all.
    decline_offer(&world.app, customer(12), &declined(&second, &next)).await.unwrap();
    all_offered(&world).await;
    assert_eq!(open(&world).await, 0);
    world.hold(customer(2), at(3, 11)).await;
    let lapsed = "select count(*) from waiting_entries where offers_lapsed = 1";
    assert_eq!(world.count(lapsed).await, 2);
}

#[tokio::test]
async fn the_client_takes_what_is_held_and_leaves_the_list_with_the_payment() {
    let world = World::new().await;
    let id = held(&world, at(3, 11)).await;
    joined(&world, 11, wish()).await;
    joined(&world, 11, wire::WaitingWish { notice_minutes: 60, ..wish() }).await;
    freed(&world, id).await;
    offered(&world, 11).await;
    // What is refused leaves it as it is.
    world.hold(customer(11), at(4, 12)).await;
    let many = world.request(customer(11), new_request("meditation", at(4, 13))).await;
    assert_eq!(reason(many), "TOO_MANY_HOLDS", "what is offered counts as a hold");
    assert_eq!(open(&world).await, 1);
    let booking = world.hold(customer(11), at(3, 11)).await;
    let history = world.history("day-lead-2026-11-27").await;
    assert_eq!(history[history.len() - 2..], ["SlotUnblocked", "SlotHeld"]);
    all_offered(&world).await;
    assert_eq!((open(&world).await, entries(&world, 11).await.len()), (0, 2));
    world.pay(booking, "pay_11").await;
    assert_eq!(entries(&world, 11).await, []);
    let blocks = "select count(*) from slot_reservations where live and block_id is not null";
    assert_eq!(world.count(blocks).await, 0);
}

#[tokio::test]
async fn a_time_that_is_taken_and_not_paid_goes_to_the_next() {
    let world = World::new().await;
    let id = held(&world, at(3, 11)).await;
    joined(&world, 11, wish()).await;
    joined(&world, 12, wish()).await;
    freed(&world, id).await;
    offered(&world, 11).await;
    let booking = world.hold(customer(11), at(3, 11)).await;
    world.minutes_later(16).await;
    world.reaches(booking, wire::BookingState::Expired).await;
    assert_eq!(starts(&offered(&world, 12).await), Some(to_wire(at(3, 11))));
    assert_eq!(offer_now(&world, 11).await, None, "no client is asked twice for one time");
}

#[tokio::test]
async fn a_service_that_cannot_be_booked_holds_up_no_other() {
    let world = World::new().await;
    let id = held(&world, at(3, 11)).await;
    joined(&world, 11, wish()).await;
    joined(&world, 12, wish()).await;
    // Its price was taken away after it was waited for.
    sqlx::query("update waiting_entries set service_id = 'free-lunch' where customer_id = $1")
        .bind(customer(11))
        .execute(world.app.store.pool())
        .await
        .unwrap();
    freed(&world, id).await;
    offered(&world, 12).await;
}

#[tokio::test]
async fn two_hundred_clients_and_one_time() {
    let world = World::new().await;
    let id = held(&world, at(3, 11)).await;
    let numbers = 1_000..1_200;
    let mut all = Vec::new();
    for number in numbers {
        all.push((number, joined(&world, number, wish()).await));
    }
    freed(&world, id).await;
    for (number, entry) in &all {
        let offer = offered(&world, *number).await;
        assert_eq!(open(&world).await, 1, "one offer at a time");
        decline_offer(&world.app, customer(*number), &declined(entry, &offer)).await.unwrap();
    }
    all_offered(&world).await;
    assert_eq!(open(&world).await, 0);
    let asked = "select count(*) from (select distinct customer_id from waiting_offers) each";
    assert_eq!(world.count(asked).await, 200);
    assert_eq!(world.count("select count(*) from waiting_offers").await, 200);
}

#[tokio::test]
async fn staff_can_close_a_day_with_a_time_that_is_offered() {
    let world = World::new().await;
    let id = held(&world, at(3, 11)).await;
    for number in [11, 12] {
        joined(&world, number, wish()).await;
    }
    freed(&world, id).await;
    offered(&world, 11).await;
    let block = wire::BlockTimeRequest {
        idempotency_key: eventstore::new_uuid().to_string(),
        date: "2026-11-27".to_owned(),
        ..wire::BlockTimeRequest::default()
    };
    booking::app::block_time::block_time(&world.app, owner(), block).await.unwrap();
    all_offered(&world).await;
    assert_eq!(open(&world).await, 0, "it is withdrawn, and no other client is asked");
    let ends = "select count(*) from timers where kind = 'offer-end'";
    assert_eq!(world.count(ends).await, 0);
}

#[tokio::test]
async fn the_clock_of_an_offer_stands_still_at_night() {
    let world = World::new().await;
    let id = held(&world, at(3, 11)).await;
    joined(&world, 11, wish()).await;
    world.minutes_later(10).await;
    freed(&world, id).await;
    let morning = offered(&world, 11).await;
    world.minutes_later(121).await;
    until("the offer of the morning is over", async || Ok((open(&world).await == 0).then_some(())))
        .await
        .unwrap();
    // Else what has lapsed may still be offered to the one who joins now.
    all_offered(&world).await;
    joined(&world, 12, wish()).await;
    // Half past eight in the evening, and half past eight in the morning.
    world.minutes_later(9 * 60 + 19).await;
    let again = held(&world, at(3, 11)).await;
    release_booking(&world.app, customer(1), again, "release-of-the-evening").await.unwrap();
    let evening = offered(&world, 12).await;
    assert_eq!(starts(&evening), starts(&morning));
    world.minutes_later(12 * 60).await;
    all_offered(&world).await;
    assert_eq!(offer_now(&world, 12).await, Some(evening));
    world.minutes_later(61).await;
    until("it is over", async || Ok((open(&world).await == 0).then_some(()))).await.unwrap();
}

#[tokio::test]
async fn the_rest_of_a_day_that_was_closed_is_offered() {
    let world = World::new().await;
    joined(&world, 11, wish()).await;
    // Closed since midnight; it is nine in the morning.
    let block = wire::BlockTimeRequest {
        idempotency_key: eventstore::new_uuid().to_string(),
        date: "2026-11-24".to_owned(),
        ..wire::BlockTimeRequest::default()
    };
    let id = booking::app::block_time::block_time(&world.app, owner(), block).await.unwrap();
    crate::blocks::unblock(&world, id).await.unwrap();
    let offer = offered(&world, 11).await;
    assert!(offer.starts_at.unwrap().seconds < to_wire(at(1, 0)).seconds, "it is today");
}

#[tokio::test]
async fn what_becomes_free_at_night_is_offered_at_eight() {
    let world = World::new().await;
    joined(&world, 13, wish()).await;
    world.minutes_later(12 * 60 + 30).await;
    let id = held(&world, at(3, 11)).await;
    freed(&world, id).await;
    until("the morning is waited for", async || {
        let waits = "select count(*) from timers where kind = 'offer-times'
                     and due_at > clock_now() + interval '10 hours'";
        Ok((world.count(waits).await == 1).then_some(()))
    })
    .await
    .unwrap();
    assert_eq!(offer_now(&world, 13).await, None);
    world.minutes_later(11 * 60).await;
    offered(&world, 13).await;
}

#[tokio::test]
async fn who_declines_is_asked_about_what_became_free_with_another_practitioner_meanwhile() {
    let world = World::of_two().await;
    world.run_timers();
    let mut held = Vec::new();
    for (practitioner, day) in [("lead", 3), ("ravi", 4)] {
        let request = crate::world::new_request_with(practitioner, "meditation", at(day, 14));
        let booking = world.request(customer(1), request).await.unwrap();
        held.push(booking);
    }
    let entry = joined(&world, 11, wish()).await;
    freed(&world, held[0]).await;
    let first = offered(&world, 11).await;
    release_booking(&world.app, customer(1), held[1], "another-key-of-it").await.unwrap();
    all_offered(&world).await;
    assert_eq!(open(&world).await, 1, "one offer each");
    decline_offer(&world.app, customer(11), &declined(&entry, &first)).await.unwrap();
    let second = offered(&world, 11).await;
    assert_eq!(second.practitioner_id, "ravi");
    assert_eq!(starts(&second), Some(to_wire(at(4, 14))));
}

#[tokio::test]
async fn an_earlier_time_moves_the_booking() {
    let harness = GrpcHarness::new().await;
    let world = &harness.world;
    let id = world.hold(customer(11), at(5, 11)).await;
    world.pay(id, "pay_11").await;
    let earlier = wire::WaitingWish { earlier_than_booking_id: id.to_string(), ..wish() };
    let entry = joined(world, 11, earlier.clone()).await;
    assert_eq!(entry.earlier_than_at, Some(to_wire(at(5, 11))));
    joined(world, 12, wish()).await;
    for (day, is_offered) in [(6, false), (3, true)] {
        let other = held(world, at(day, 14)).await;
        release_booking(&world.app, customer(1), other, &format!("release-on-{day}"))
            .await
            .unwrap();
        all_offered(world).await;
        assert_eq!(offer_now(world, 11).await.is_some(), is_offered, "{day}");
    }
    let request = to(id, (at(5, 11), at(3, 14)));
    let moved = harness.public().move_own_booking(harness.by(customer(11), request)).await;
    let booking = moved.unwrap().into_inner().booking.unwrap();
    assert_eq!(booking.sessions[0].starts_at, Some(to_wire(at(3, 14))));
    assert_eq!(entries(world, 11).await, [], "what was wanted is there");
    assert_eq!(world.count("select count(*) from waiting_offers where state = 'taken'").await, 1);
    // Another's booking, or one that is gone, can't be had earlier.
    let theirs = join_waiting(&world.app, client(12), asked(earlier)).await;
    assert_eq!(reason(theirs), "BOOKING_NOT_FOUND");
}

#[tokio::test]
async fn who_leaves_waits_for_an_offer_that_is_being_made() {
    let world = World::without_timers().await;
    let entry = joined(&world, 11, wish()).await;
    // An offer takes the client's lock before it looks whether the entry stands.
    let mut offer = world.app.store.pool().begin().await.unwrap();
    sqlx::query("select take_locks($1)")
        .bind(vec![booking::repository::customer_lock(customer(11))])
        .execute(&mut *offer)
        .await
        .unwrap();
    let app = std::sync::Arc::clone(&world.app);
    let leave = wire::LeaveWaitingRequest { waiting_id: entry.waiting_id };
    let leaving =
        tokio::spawn(async move { leave_waiting(&app, customer(11), &leave).await.unwrap() });
    until("the client's lock is waited for", async || {
        let waits = "select count(*) from pg_locks l join pg_database d on d.oid = l.database
                     where d.datname = current_database() and l.locktype = 'advisory'
                       and not l.granted";
        Ok((world.count(waits).await == 1).then_some(()))
    })
    .await
    .unwrap();
    assert_eq!(entries(&world, 11).await.len(), 1);
    offer.commit().await.unwrap();
    leaving.await.unwrap();
    assert_eq!(entries(&world, 11).await, []);
}

#[tokio::test]
async fn what_is_wrong_is_named_and_changes_nothing() {
    let harness = GrpcHarness::new().await;
    let world = &harness.world;
    let ask = async |wish: wire::WaitingWish| {
        let request = harness.by_proved(customer(11), asked(wish));
        harness.waiting().join_waiting(request).await
    };
    let unproved = harness.by(customer(11), asked(wish()));
    let unproved = harness.waiting().join_waiting(unproved).await;
    refused(unproved, Code::FailedPrecondition, "ADDRESS_NOT_PROVED", "");
    let invalid = Code::InvalidArgument;
    let past = "2026-11-23".to_owned();
    let unread = "24 November".to_owned();
    let too_long = wire::WaitingWish { notice_minutes: 2_881, ..wish() };
    let wrong = [
        (wire::WaitingWish { from_date: unread, ..wish() }, "INVALID_WISH", "wish.from_date"),
        (wire::WaitingWish { until_date: past, ..wish() }, "INVALID_WISH", "wish.until_date"),
        (wire::WaitingWish { weekdays: vec![8], ..wish() }, "INVALID_WISH", "wish.weekdays"),
        (wire::WaitingWish { day_parts: vec![0], ..wish() }, "INVALID_WISH", "wish.day_parts"),
        (too_long, "INVALID_WISH", "wish.notice_minutes"),
        (wire::WaitingWish { mode: 9, ..wish() }, "INVALID_MODE", "mode"),
    ];
    for (wish, reason, field) in wrong {
        refused(ask(wish).await, invalid, reason, field);
    }
    let nothing = wire::WaitingWish { service_id: "dance".to_owned(), ..wish() };
    refused(ask(nothing).await, Code::NotFound, "SERVICE_NOT_FOUND", "service_id");
    assert_eq!(world.count("select count(*) from waiting_entries").await, 0);
    for notice_minutes in [0, 1, 2, 3, 4, 4] {
        ask(wire::WaitingWish { notice_minutes, ..wish() }).await.unwrap();
    }
    let sixth = ask(wire::WaitingWish { notice_minutes: 9, ..wish() }).await;
    refused(sixth, Code::FailedPrecondition, "TOO_MANY_WAITING", "");
    let entry = entries(world, 11).await.remove(0);
    let leave = wire::LeaveWaitingRequest { waiting_id: entry.waiting_id };
    let theirs = leave_waiting(&world.app, customer(12), &leave).await;
    assert_eq!(reason(theirs), "WAITING_NOT_FOUND");
    for _press in 0..2 {
        leave_waiting(&world.app, customer(11), &leave).await.unwrap();
    }
    assert_eq!(entries(world, 11).await.len(), 4);
}

#[tokio::test]
async fn the_entry_of_a_cancelled_booking_ends_and_its_offer_goes_on() {
    let world = World::new().await;
    let id = world.hold(customer(11), at(5, 11)).await;
    world.pay(id, "pay_11").await;
    let earlier = wire::WaitingWish { earlier_than_booking_id: id.to_string(), ..wish() };
    joined(&world, 11, earlier).await;
    let soon = wire::WaitingWish { until_date: "2026-11-27".to_owned(), ..wish() };
    joined(&world, 12, soon).await;
    let other = held(&world, at(3, 11)).await;
    freed(&world, other).await;
    offered(&world, 11).await;
    cancel_by_practice(&world, owner(), id).await;
    assert_eq!(starts(&offered(&world, 12).await), Some(to_wire(at(3, 11))));
    let owner: Vec<Id<Customer>> =
        sqlx::query_scalar("select customer_id from waiting_offers where state = 'open'")
            .fetch_all(world.app.store.pool())
            .await
            .unwrap();
    assert_eq!(owner, [customer(12)], "one offer each");
}
