//! Concurrent requests are committed in batches, and each gets the same answer as if it ran alone.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use booking::contract::{booking_stream, day_stream};
use booking::error::Error;
use contract::booking::v1::{BookingState, RequestBookingRequest};
use contract::convert::timestamp;
use futures::future::{join_all, join3, join4};
use kernel::id::{Booking, Customer};
use kernel::{CommandError, Id, Timestamp};
use sqlx::Connection as _;
use testkit::until;
use tokio::sync::oneshot;

use crate::money::of_tomorrow;
use crate::world::{TIMERS, World, at, customer, new_request, reason};

/// A different time for each request; the first forty are each on a different day.
fn apart(number: u128) -> Timestamp {
    let number = i64::try_from(number).unwrap();
    at(1 + number % 40, 11 + number / 40)
}

/// Requests for times on different days, each of a different customer.
fn requests(numbers: Range<u128>) -> Vec<(Id<Customer>, RequestBookingRequest)> {
    numbers.map(|n| (customer(100 + n), new_request("meditation", apart(n)))).collect()
}

/// Sends all requests concurrently.
async fn ask(
    world: &World,
    requests: &[(Id<Customer>, RequestBookingRequest)],
) -> Vec<Result<Id<Booking>, Error>> {
    join_all(
        requests
            .iter()
            .map(|(customer, new_request)| world.request(*customer, new_request.clone())),
    )
    .await
}

/// Requests on few days: every seventh is on the same day.
fn close(numbers: Range<u128>) -> Vec<(Id<Customer>, RequestBookingRequest)> {
    let time = |n: u128| {
        let number = i64::try_from(n).unwrap();
        at(1 + number % 7, 11 + number / 7)
    };
    numbers.map(|n| (customer(100 + n), new_request("meditation", time(n)))).collect()
}

/// The number of transactions that wrote the existing bookings.
const TRANSACTIONS: &str = "select count(distinct xmin::text) from bookings";

#[tokio::test]
async fn concurrent_requests_are_batched_and_each_event_names_its_own_actor() {
    let world = World::without_timers().await;
    // The first request fills the catalogue's cache, so that no request is delayed by it.
    world.hold(customer(1), apart(39)).await;
    let before = world.count(TRANSACTIONS).await;
    let requests = close(0..26);
    let held: Vec<_> = ask(&world, &requests).await.into_iter().map(Result::unwrap).collect();
    // On a slow machine a batch may hit the lock timeout, and each request then runs alone.
    let transactions = world.count(TRANSACTIONS).await - before;
    assert!(transactions < 26, "{transactions} transactions for 26 bookings");
    assert_eq!(held.iter().collect::<BTreeSet<_>>().len(), 26);
    for ((customer, new_request), id) in requests.iter().zip(&held) {
        let view = world.view(*id).await;
        assert_eq!(view.customer_id, *customer);
        assert_eq!(view.booking.state(), BookingState::Held);
        assert_eq!(view.booking.sessions[0].starts_at, new_request.starts_at);
        let date = world.app.rules.date_of(timestamp(&new_request.starts_at.unwrap()).unwrap());
        // Each event names its actor and its booking.
        for stream in [booking_stream(*id), day_stream("lead", date)] {
            let mut events = world.app.store.load(&stream).await.unwrap();
            events.retain(|event| event.metadata.correlation == Some(id.to_string()));
            assert_eq!(events.len(), 1, "{stream}");
            assert_eq!(events[0].metadata.actor, customer.to_string());
        }
    }
    assert_eq!(world.count("select count(*) from outbox").await, 54);
    let own_timers = "select count(*) from timers where metadata->>'correlation' = subject";
    assert_eq!((world.count(TIMERS).await, world.count(own_timers).await), (27, 27));
    // Repeated concurrently, each request gets its own answer.
    let again: Vec<_> = ask(&world, &requests).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(again, held);
    assert_eq!(world.count("select count(*) from events").await, 54);
}

#[tokio::test]
async fn a_rejected_request_does_not_affect_the_others_of_its_batch() {
    let world = World::without_timers().await;
    world.hold(customer(1), at(1, 15)).await;
    let used = new_request("meditation", at(1, 16));
    let first = world.request(customer(2), used.clone()).await.unwrap();
    let other = RequestBookingRequest {
        starts_at: new_request("meditation", at(3, 16)).starts_at,
        ..used.clone()
    };
    let taken = world.request(customer(3), new_request("meditation", at(1, 15)));
    let past = world.request(customer(4), new_request("meditation", at(-1, 15)));
    let never = world.request(customer(5), new_request("meditation", at(1, 3)));
    let reused = world.request(customer(2), other);
    let again = world.request(customer(2), used);
    let own = world.request(customer(1), new_request("meditation", at(1, 15)));
    let odd = join_all([taken, past, never, reused, again, own]);
    let twins = [8, 9].map(|n| world.request(customer(n), new_request("meditation", at(2, 16))));
    let (some, others) = (requests(10..14), requests(14..20));
    let before = world.count(TRANSACTIONS).await;
    let (some, odd, twins, others) =
        join4(ask(&world, &some), odd, join_all(twins), ask(&world, &others)).await;
    for good in some.into_iter().chain(others) {
        good.unwrap();
    }
    let mut odd = odd.into_iter();
    for why in ["SLOT_TAKEN", "SLOT_PAST", "SLOT_NOT_OFFERED", "IDEMPOTENCY_KEY_REUSED"] {
        assert_eq!(reason(odd.next().unwrap()), why);
    }
    assert_eq!(odd.next().unwrap().unwrap(), first);
    odd.next().unwrap().unwrap();
    // Either of the two may come first.
    let (held, refused): (Vec<_>, Vec<_>) = twins.into_iter().partition(Result::is_ok);
    assert_eq!(held.len(), 1);
    assert!(refused.into_iter().all(|answer| reason(answer) == "SLOT_TAKEN"));
    assert_eq!(world.count("select count(*) from bookings").await, 13);
    assert_eq!(world.count("select count(*) from events").await, 26);
    let transactions = world.count(TRANSACTIONS).await - before;
    assert!(transactions <= 8, "{transactions} transactions: who was refused took others along");
}

/// The exclusion constraint rejects a whole statement; the other requests succeed all the same.
#[tokio::test]
async fn a_row_unknown_to_the_day_rejects_one_request_and_not_the_others() {
    let world = World::without_timers().await;
    let unknown = Id::<Booking>::from_uuid(uuid::Uuid::from_u128(7));
    world
        .db
        .as_owner(&format!(
            "insert into slot_reservations (booking_id, practitioner_id, starts_at, ends_at, live)
             values ('{}', 'lead', '{}', '{}', true)",
            unknown.uuid(),
            apart(4),
            apart(4).plus_minutes(60),
        ))
        .await
        .unwrap();
    let mut answers = ask(&world, &requests(0..12)).await;
    assert_eq!(reason(answers.remove(4)), "SLOT_TAKEN");
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    assert_eq!(world.count("select count(*) from bookings").await, 11);
    assert_eq!(world.count("select count(*) from events").await, 22);
}

#[tokio::test]
async fn a_database_error_of_one_request_fails_only_that_one() {
    let world = World::without_timers().await;
    let odd = "alter table booking_contacts add check (email <> 'odd@example.org')";
    world.db.as_owner(odd).await.unwrap();
    let mut requests = requests(0..12);
    requests[5].1.contact.as_mut().unwrap().email = "odd@example.org".to_owned();
    let mut answers = ask(&world, &requests).await;
    let refused = answers.remove(5);
    assert!(matches!(refused, Err(CommandError::Unavailable(_))), "{refused:?}");
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    assert_eq!(world.count("select count(*) from bookings").await, 11);
    assert_eq!(world.count("select count(*) from events").await, 22);
}

/// The other requests of its batch are granted.
#[tokio::test]
async fn a_day_that_cannot_be_read_fails_only_its_own_request() {
    let world = World::without_timers().await;
    let requests = requests(0..12);
    let day = format!("day-lead-{}", world.app.rules.date_of(apart(5)));
    of_tomorrow(&world, &day).await;
    let mut answers = ask(&world, &requests).await;
    let refused = answers.remove(5);
    assert!(matches!(refused, Err(CommandError::Unavailable(_))), "{refused:?}");
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    assert_eq!(world.count("select count(*) from bookings").await, 11);
}

/// Holds a day's lock, like a process that hangs, until it is released.
async fn hold_lock(
    world: &World,
    name: &str,
) -> (oneshot::Sender<()>, tokio::task::JoinHandle<()>) {
    let options = world.app.store.pool().connect_options();
    let mut other = sqlx::PgConnection::connect_with(&options).await.unwrap();
    let name = name.to_owned();
    let (release, released) = oneshot::channel::<()>();
    let (has, ready) = oneshot::channel();
    let holder = tokio::spawn(async move {
        let mut kept = other.begin().await.unwrap();
        sqlx::query("select take_locks($1)").bind([name]).execute(&mut *kept).await.unwrap();
        has.send(()).unwrap();
        released.await.ok();
        kept.rollback().await.unwrap();
    });
    ready.await.unwrap();
    (release, holder)
}

async fn all_held(world: &World, requests: &[(Id<Customer>, RequestBookingRequest)]) {
    let held = ask(world, requests).await;
    assert!(held.iter().all(Result::is_ok), "{held:?}");
}

#[tokio::test]
async fn a_contended_lock_delays_only_the_request_that_needs_it() {
    let world = World::without_timers().await;
    let (release, holder) = hold_lock(&world, "day lead 2026-11-25").await;
    let (before, behind) = (requests(1..6), requests(6..12));
    let later = requests(12..40);
    let all_but_one = async || {
        let there = world.count("select count(*) from bookings").await;
        Ok((there == 39).then_some(()))
    };
    let waits = world.request(customer(1), new_request("meditation", at(1, 11)));
    // Requests of the same batch, before and after it, and requests that arrive later.
    let first = all_held(&world, &before);
    let rest = async {
        all_held(&world, &behind).await;
        all_held(&world, &later).await;
        until("only one waits", all_but_one).await.unwrap();
        release.send(()).unwrap();
    };
    let ((), waited, ()) = join3(first, waits, rest).await;
    waited.unwrap();
    holder.await.unwrap();
    assert_eq!(world.count("select count(*) from bookings").await, 40);
}

/// One of eight requests waits for a lock, and its batch with it. Every other caller of the eight
/// goes away: in one round the batch's leader does.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_leader_of_a_batch_may_disconnect_during_the_commit() {
    let world = Arc::new(World::without_timers().await);
    for round in 0..2_u128 {
        let day = world.app.rules.date_of(apart(39));
        let (release, holder) = hold_lock(&world, &format!("day lead {day}")).await;
        let calls: Vec<_> = (0..8)
            .map(|number| {
                let world = Arc::clone(&world);
                let time = if number == 3 { 39 + 40 * round } else { round * 8 + number };
                tokio::spawn(async move {
                    let request = new_request("meditation", apart(time));
                    world.request(customer(100 + round * 8 + number), request).await
                })
            })
            .collect();
        let waits = "select count(*) from pg_locks where locktype = 'advisory' and not granted";
        let one_waits = async || Ok((world.count(waits).await > 0).then_some(()));
        until("a run waits for the lock", one_waits).await.unwrap();
        let goes = |number: usize| u128::from(number % 2 == 1) == round;
        calls.iter().enumerate().filter(|(n, _)| goes(*n)).for_each(|(_, call)| call.abort());
        let stayed = calls.into_iter().enumerate().filter(|(number, _)| !goes(*number));
        let mut waiting = Vec::new();
        for (number, call) in stayed {
            if number == 3 {
                waiting.push(call);
            } else {
                call.await.unwrap().unwrap();
            }
        }
        release.send(()).unwrap();
        holder.await.unwrap();
        for call in waiting {
            call.await.unwrap().unwrap();
        }
    }
}

/// The caller that leads a batch may go away at any moment; the other callers, and all later ones,
/// still get their answers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_that_disconnect_leak_no_permit_and_lose_no_answer() {
    let world = Arc::new(World::without_timers().await);
    let call = |number: u128| {
        let world = Arc::clone(&world);
        tokio::spawn(async move {
            world.request(customer(100 + number), new_request("meditation", apart(number))).await
        })
    };
    for round in 0..6_u128 {
        let calls: Vec<_> = (0..16).map(|n| call(round * 16 + n)).collect();
        for (yields, gone) in calls.iter().step_by(2).enumerate() {
            for _ in 0..(yields + usize::try_from(round).unwrap()) % 5 {
                tokio::task::yield_now().await;
            }
            gone.abort();
        }
        for kept in calls.into_iter().skip(1).step_by(2) {
            kept.await.unwrap().unwrap();
        }
    }
    let held = world.count("select count(*) from bookings").await;
    let events = world.count("select count(*) from events").await;
    assert!(held >= 48, "{held} bookings for 48 who waited");
    world.hold(customer(1), apart(100)).await;
    assert!(world.count("select count(*) from events").await >= events + 2);
}
