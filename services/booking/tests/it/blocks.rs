//! Times that staff close to customers, and open again.

use std::sync::Arc;

use booking::app::block_time::block_time;
use booking::app::list_slots::list_slots;
use booking::app::open_checkout::open_checkout;
use booking::app::staff_scope::Scope;
use booking::app::unblock_time::unblock_time;
use booking::error::Error;
use contract::booking::v1::{BlockTimeRequest, BookingState, ListSlotsRequest, UnblockTimeRequest};
use futures::future::join_all;
use kernel::id::Block;
use kernel::{CommandError, Id, Reject as _};

use crate::world::{World, at, customer, new_request, owner, reason};

const TOMORROW: &str = "2026-11-25";

fn asked(date: &str, from: &str, to: &str) -> BlockTimeRequest {
    BlockTimeRequest {
        idempotency_key: eventstore::new_uuid().to_string(),
        date: date.to_owned(),
        from_time: from.to_owned(),
        to_time: to.to_owned(),
        practitioner_id: String::new(),
    }
}

pub(crate) async fn block(world: &World, from: &str, to: &str) -> Result<Id<Block>, Error> {
    block_time(&world.app, owner(), asked(TOMORROW, from, to)).await
}

const ALL: Scope = Scope::Practice { shows_notes: true };

pub(crate) async fn unblock(world: &World, id: Id<Block>) -> Result<(), Error> {
    let request = UnblockTimeRequest { block_id: id.to_string() };
    unblock_time(&world.app, (owner(), &ALL), request).await
}

/// How many starts of an hour are free tomorrow.
async fn free(world: &World) -> usize {
    let request = ListSlotsRequest {
        service_id: "meditation".to_owned(),
        from_date: TOMORROW.to_owned(),
        days: 1,
        practitioner_id: String::new(),
    };
    let listed = list_slots(&world.app, request).await.unwrap();
    listed.days.iter().flat_map(|day| &day.slots).filter(|slot| slot.available).count()
}

#[tokio::test]
async fn a_closed_time_is_not_offered_until_it_is_open_again() {
    let world = World::without_timers().await;
    assert_eq!(free(&world).await, 7);
    // An hour from half past one overlaps the starts at one and at two.
    let id = block(&world, "13:30", "14:30").await.unwrap();
    assert_eq!(free(&world).await, 5);
    for hour in [13, 14] {
        let refused = world.request(customer(1), new_request("meditation", at(1, hour))).await;
        assert_eq!(reason(refused), "SLOT_TAKEN");
    }
    world.hold(customer(1), at(1, 12)).await;
    unblock(&world, id).await.unwrap();
    unblock(&world, id).await.unwrap();
    assert_eq!(free(&world).await, 6);
    world.hold(customer(2), at(1, 14)).await;
    let day = world.history("day-lead-2026-11-25").await;
    assert_eq!(day, ["SlotBlocked", "SlotHeld", "SlotUnblocked", "SlotHeld"]);
}

#[tokio::test]
async fn a_whole_day_is_closed_and_the_next_one_is_not() {
    let world = World::without_timers().await;
    let id = block(&world, "", "").await.unwrap();
    assert_eq!(free(&world).await, 0);
    world.hold(customer(1), at(2, 11)).await;
    world.hold(customer(2), at(0, 17)).await;
    let stored: (String, String) = sqlx::query_as(
        "select starts_at::text, ends_at::text from slot_reservations where block_id = $1",
    )
    .bind(id)
    .fetch_one(world.app.store.pool())
    .await
    .unwrap();
    // Midnight in Bhopal.
    let midnights = ("2026-11-24 18:30:00+00", "2026-11-25 18:30:00+00");
    assert_eq!((stored.0.as_str(), stored.1.as_str()), midnights);
}

#[tokio::test]
async fn a_block_never_displaces_a_booking() {
    let world = World::without_timers().await;
    let held = world.hold(customer(1), at(1, 11)).await;
    let booked = world.hold(customer(2), at(1, 13)).await;
    world.pay(booked, "pay_1").await;
    for (from, to) in [("", ""), ("10:00", "11:30"), ("13:59", "14:30")] {
        assert_eq!(reason(block(&world, from, to).await), "SLOT_TAKEN");
    }
    block(&world, "14:00", "15:00").await.unwrap();
    assert_eq!(reason(block(&world, "14:30", "15:30").await), "SLOT_TAKEN");
    // The hold expires before its timer fires.
    world.minutes_later(15).await;
    block(&world, "", "13:00").await.unwrap();
    assert_eq!(world.state(held).await, BookingState::Held);
    // Its payment is too late: the time is closed now.
    world.pay(held, "pay_2").await;
    assert_eq!(world.state(held).await, BookingState::PaidUnplaced);
}

#[tokio::test]
async fn late_money_finds_no_place_in_a_closed_time() {
    let world = World::new().await;
    let id = world.hold(customer(1), at(1, 15)).await;
    open_checkout(&world.app, customer(1), id, "checkout-1").await.unwrap();
    world.minutes_later(31).await;
    world.reaches(id, BookingState::Expired).await;
    block(&world, "15:30", "16:00").await.unwrap();
    world.pay(id, "pay_1").await;
    assert_eq!(world.state(id).await, BookingState::PaidUnplaced);
}

#[tokio::test]
async fn the_same_key_closes_once_and_invalid_times_are_rejected() {
    let world = World::without_timers().await;
    let request = asked(TOMORROW, "11:00", "12:00");
    let first = block_time(&world.app, owner(), request.clone()).await.unwrap();
    assert_eq!(block_time(&world.app, owner(), request.clone()).await.unwrap(), first);
    let other = BlockTimeRequest { to_time: "13:00".to_owned(), ..request };
    let reused = block_time(&world.app, owner(), other).await;
    assert_eq!(reason(reused), "IDEMPOTENCY_KEY_REUSED");
    for (wrong, why) in [
        (asked("", "11:00", "12:00"), "INVALID_DATE"),
        (asked("25-11-2026", "11:00", "12:00"), "INVALID_DATE"),
        (asked("2026-11-23", "", ""), "INVALID_DATE"),
        (asked("2100-01-01", "", ""), "INVALID_DATE"),
        (asked(TOMORROW, "15:00", "15:00"), "INVALID_TIME"),
        (asked(TOMORROW, "15:00", "14:00"), "INVALID_TIME"),
        (asked(TOMORROW, "", "00:00"), "INVALID_TIME"),
        (asked(TOMORROW, "24:00", ""), "INVALID_TIME"),
        (asked(TOMORROW, "3 pm", ""), "INVALID_TIME"),
        (asked(TOMORROW, "9:00", ""), "INVALID_TIME"),
    ] {
        assert_eq!(reason(block_time(&world.app, owner(), wrong).await), why);
    }
    assert_eq!(reason(unblock(&world, eventstore::new_id()).await), "BLOCK_NOT_FOUND");
    let nonsense = UnblockTimeRequest { block_id: "blk_1".to_owned() };
    let refused = unblock_time(&world.app, (owner(), &ALL), nonsense).await;
    assert_eq!(reason(refused), "BLOCK_NOT_FOUND");
    assert_eq!(world.count("select count(*) from events").await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_block_and_holds_at_once_one_side_wins_each_time() {
    let world = Arc::new(World::without_timers().await);
    let hours: Vec<_> = (0..6).flat_map(|day| [(1 + day, 11), (1 + day, 15)]).collect();
    let races = hours.into_iter().enumerate().map(|(number, (day, hour))| {
        let world = Arc::clone(&world);
        async move {
            let date = format!("2026-11-{}", 24 + day);
            let from = format!("{hour}:30");
            let closing = block_time(&world.app, owner(), asked(&date, &from, ""));
            let number = u128::try_from(number).unwrap();
            let holding = world.request(customer(number), new_request("meditation", at(day, hour)));
            let (closed, held) = tokio::join!(closing, holding);
            [closed.map(drop), held.map(drop)]
        }
    });
    for outcome in join_all(races).await.into_iter().flatten() {
        match outcome {
            Ok(()) => {}
            Err(CommandError::Rejected(why)) => assert_eq!(why.reason(), "SLOT_TAKEN"),
            Err(error) => panic!("{error:?}"),
        }
    }
    let overlaps = "select count(*) from slot_reservations a join slot_reservations b
                    on a.ctid < b.ctid and a.live and b.live and a.during && b.during";
    assert_eq!(world.count(overlaps).await, 0);
    let live = "select count(*) from slot_reservations where live";
    assert!(world.count(live).await >= 6, "each morning or afternoon has its winner");
}

#[tokio::test]
async fn the_rows_refuse_overlaps_that_a_wrong_day_allows() {
    let world = World::without_timers().await;
    let id = block(&world, "15:00", "16:00").await.unwrap();
    let unknown = world
        .db
        .as_owner(&format!(
            "insert into slot_reservations (booking_id, practitioner_id, starts_at, ends_at, live)
             values (gen_random_uuid(), 'lead', '{}', '{}', true)",
            at(1, 15),
            at(1, 16),
        ))
        .await;
    assert!(unknown.unwrap_err().to_string().contains("slots_do_not_overlap"));
    let ownerless = world
        .db
        .as_owner(&format!(
            "update slot_reservations set block_id = null where block_id = '{}'",
            id.uuid()
        ))
        .await;
    assert!(ownerless.unwrap_err().to_string().contains("have_an_owner"));
    // A row unknown to the day also prevents placing a late payment.
    let late = world.hold(customer(1), at(2, 15)).await;
    world.minutes_later(16).await;
    world
        .db
        .as_owner(&format!(
            "update slot_reservations set live = false where booking_id = '{}';
             insert into slot_reservations (block_id, practitioner_id, starts_at, ends_at, live)
             values (gen_random_uuid(), 'lead', '{}', '{}', true)",
            late.uuid(),
            at(2, 15),
            at(2, 16),
        ))
        .await
        .unwrap();
    world.pay(late, "pay_1").await;
    assert_eq!(world.state(late).await, BookingState::PaidUnplaced);
}
