//! Timers: polling and its end, polls of sold orders, retention, nightly jobs; and the feed.

use std::collections::BTreeMap;

use anyhow::Result;
use contract::payments::v1::CollectionState;
use serde_json::json;
use testkit::TestDatabase;

use crate::ledger::{agrees, left};
use crate::signed_webhooks::{event, send};
use crate::world::World;

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

#[tokio::test]
async fn an_order_is_polled_for_three_days_and_not_for_ever() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    let polling = "select count(*) from timers where kind = 'poll-order'";
    assert_eq!(world.number(polling).await?, 1);
    // Two days later it is still polled, rarely: money that arrives then is found.
    world.move_clock(2 * DAY).await?;
    world.pay(&order, json!({ "outcome": "failed" })).await?;
    world.until(held, "PaymentFailed").await?;
    assert_eq!(world.number(polling).await?, 1);
    world.move_clock(3 * DAY + 60).await?;
    world.until_number(polling, 0).await?;
    // A check after that still returns the current state.
    world.pay(&order, json!({})).await?;
    assert_eq!(world.check(held).await??, CollectionState::Paid);
    Ok(())
}

/// The provider captures by itself what is authorised in the order's time; a bank that finds the
/// money later leaves it to us.
#[tokio::test]
async fn money_that_the_provider_leaves_authorised_is_captured_by_us() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    let paid = world.pay(&order, json!({ "begun_minutes_ago": 73 * 60 })).await?;
    assert_eq!(paid["payment"]["status"], "authorized");
    assert_eq!(world.check(held).await??, CollectionState::Pending);
    world.until_number("select count(*) from payments where status = 'authorized'", 1).await?;
    world.move_clock(120).await?;
    world.until(held, "PaymentVerified").await?;
    let payments = world.provider_has("payments").await?;
    assert_eq!((payments.len(), payments[0]["status"].as_str()), (1, Some("captured")));
    Ok(())
}

/// Of two that the provider leaves, the second stays with it, and goes back by itself.
#[tokio::test]
async fn of_two_payments_that_are_left_authorised_one_is_captured() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    for again in [false, true] {
        world.pay(&order, json!({ "begun_minutes_ago": 73 * 60, "again": again })).await?;
    }
    world.check(held).await??;
    world.until_number("select count(*) from payments where status = 'authorized'", 2).await?;
    world.move_clock(120).await?;
    world.until(held, "PaymentVerified").await?;
    // A sold order is polled again; both payments are reported then.
    let asked = "select count(*) from timers where kind = 'ask-sold-order'
                 and payload->>'step' = '1'";
    let due = "update timers set due_at = clock_now() where kind = 'ask-sold-order'";
    world.database.as_owner(due).await?;
    world.until_number(asked, 1).await?;
    let hurry = "update timers set due_at = clock_now() where kind = 'poll-order'";
    world.database.as_owner(hurry).await?;
    let due = "select count(*) from timers where kind = 'poll-order' and due_at <= clock_now()";
    world.until_number(due, 0).await?;
    let payments = world.provider_has("payments").await?;
    assert_eq!(payments.iter().filter(|it| it["captured"] == true).count(), 1, "{payments:?}");
    Ok(())
}

/// Money that arrives within the hold must be recorded before the hold ends.
#[tokio::test]
async fn an_order_is_asked_for_shortly_before_its_hold_ends() -> Result<()> {
    let world = World::without_webhooks().await?;
    let before = world.store.now().await?;
    let held = world.held().await?;
    let after = world.store.now().await?;
    world.start(held).await?;
    let slow = "update timers set payload = jsonb_set(payload, '{step}', '6'),
                due_at = clock_now() where kind = 'poll-order'";
    world.database.as_owner(slow).await?;
    let next = "select count(*) from timers where kind = 'poll-order' and payload->>'step' = '7'";
    world.until_number(next, 1).await?;
    let due = "select (extract(epoch from due_at) * 1000000)::bigint from timers
               where kind = 'poll-order'";
    let due = world.number(due).await?;
    let (earliest, latest) = (before.plus_seconds(890).micros(), after.plus_seconds(890).micros());
    assert!((earliest..=latest).contains(&due), "{earliest} <= {due} <= {latest}");
    Ok(())
}

/// A webhook that was heard makes the next ones likely; a lost one is found all the same.
#[tokio::test]
async fn a_new_order_is_polled_later_while_webhooks_are_heard() -> Result<()> {
    let world = World::without_webhooks().await?;
    let waits = "select round(extract(epoch from due_at - clock_now()) / 10)::bigint from timers
                 where kind = 'poll-order'";
    world.start(world.held().await?).await?;
    assert_eq!(world.number(waits).await?, 0, "unheard of");
    world.database.as_owner("delete from timers where kind = 'poll-order'").await?;
    send(&world, event("settlement.processed", &[], 1)).await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    assert_eq!(world.number(waits).await?, 2);
    world.pay(&order, json!({})).await?;
    world.move_clock(21).await?;
    world.until(held, "PaymentVerified").await?;
    // After an hour of silence they are not counted on.
    world.move_clock(HOUR + 60).await?;
    world.start(world.held().await?).await?;
    assert_eq!(world.number(waits).await?, 0);
    Ok(())
}

/// Its payer pays twice, no webhook arrives, and the nightly list of payments does not report it.
#[tokio::test]
async fn a_sold_order_is_asked_again_until_its_session_is_over() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    world.pay(&order, json!({})).await?;
    world.check(held).await??;
    world.until_quiet().await?;
    let first = "select count(*) from timers where kind = 'ask-sold-order'
                 and payload->>'step' = '0' and due_at > clock_now() + interval '59 minutes'";
    assert_eq!(world.number(first).await?, 1);
    world.pay(&order, json!({ "again": true })).await?;
    world.move_clock(HOUR + 11 * 60).await?;
    // The provider itself gave back what came for a paid order; the books have to know it.
    world.until(held, "RefundProcessed").await?;
    let second = "select count(*) from timers where kind = 'ask-sold-order'
                  and payload->>'step' = '1' and payload->>'placed' = 'false' and is_bulk";
    world.until_number(second, 1).await?;
    // A provider that wants fewer questions gets fewer, and the order is not given up.
    let slower = json!({ "target": "orders.fetch.payments", "kind": "status", "status": 429 });
    world.fault(slower).await?;
    world.move_clock(8 * HOUR).await?;
    world.until_number("select count(*) from call_pace where pause_millis = 2000", 1).await?;
    let failed = "select count(*) from timers where kind = 'ask-sold-order'
                  and payload->>'step' = '1' and payload->>'failed' = '1'";
    world.until_number(failed, 1).await?;
    world.move_clock(9 * HOUR).await?;
    let third = "select count(*) from timers where kind = 'ask-sold-order'
                 and payload->>'step' = '2' and due_at <= clock_now() + interval '1 day'";
    world.until_number(third, 1).await?;
    world.until_number("select count(*) from call_pace where pause_millis = 1800", 1).await?;
    // The session and the banks' days are over.
    world.move_clock(5 * DAY).await?;
    world.until_number("select count(*) from timers where kind = 'ask-sold-order'", 0).await?;
    assert_eq!(world.count(held, "RefundProcessed").await?, 1);
    Ok(())
}

/// Booking may have been restored from a copy that is older than the sale.
#[tokio::test]
async fn a_sold_order_is_asked_although_booking_has_lost_its_booking() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (held, _payment) = world.paid().await?;
    world.booking.forgets(held.id);
    let due = "update timers set due_at = clock_now() where kind = 'ask-sold-order'";
    world.database.as_owner(due).await?;
    let asked = "select count(*) from timers where kind = 'ask-sold-order'
                 and payload->>'step' = '1' and payload->>'failed' = '0'";
    world.until_number(asked, 1).await
}

/// Of many orders that are due at once, all processes together ask for one a second.
#[tokio::test]
async fn sold_orders_that_are_due_at_once_are_asked_for_one_after_the_other() -> Result<()> {
    let world = World::without_webhooks().await?;
    for _ in 0..4 {
        world.paid().await?;
    }
    world.fault(json!({ "target": "orders.fetch.payments", "kind": "drop", "times": 0 })).await?;
    let now = "select (extract(epoch from clock_now()) * 1000)::bigint";
    let before = world.number(now).await?;
    let all_due = "update timers set due_at = clock_now() where kind = 'ask-sold-order'";
    world.database.as_owner(all_due).await?;
    let placed = "select count(*) from timers where kind = 'ask-sold-order'
                  and (payload->>'placed' = 'true' or payload->>'failed' = '1')";
    world.until_number(placed, 4).await?;
    let free = "select (extract(epoch from next_at) * 1000)::bigint from call_pace";
    assert!(world.number(free).await? >= before + 4_000, "four have taken four seconds");
    Ok(())
}

#[tokio::test]
async fn a_claim_restarts_three_days_of_polling() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    world.start(held).await?;
    world.move_clock(2 * DAY).await?;
    world.claim(held).await??;
    world.move_clock(3 * DAY + 60).await?;
    // It was polled, and polling goes on.
    let goes_on = "select count(*) from timers where kind = 'poll-order'
                   and due_at > clock_now() and payload->>'step' <> '0'";
    world.until_number(goes_on, 1).await?;
    world.move_clock(5 * DAY + 60).await?;
    world.until_number("select count(*) from timers where kind = 'poll-order'", 0).await?;
    Ok(())
}

#[tokio::test]
async fn a_poll_in_flight_does_not_undo_a_restart() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    let paid = world.pay(&order, json!({ "outcome": "authorized" })).await?;
    let slow = json!({ "target": "orders.fetch.payments", "kind": "delay", "delay_ms": 1500 });
    world.fault(slow).await?;
    let asking = "select count(*) from timers where kind = 'poll-order' and attempts = 1";
    world.until_number(asking, 1).await?;
    let text = |field: &str| paid[field].as_str().unwrap_or_default().to_owned();
    let state = world.answer(held, &text("payment_id"), &text("signature")).await??;
    assert_eq!(state, CollectionState::Pending);
    let since = "select (payload->>'since')::bigint from timers where kind = 'poll-order'";
    let hurried = world.number(since).await?;
    let next = "select count(*) from timers where kind = 'poll-order' and payload->>'step' = '1'";
    world.until_number(next, 1).await?;
    assert_eq!(world.number(since).await?, hurried, "the first question changed nothing");
    Ok(())
}

/// Idempotency keys have a limited retention.
#[tokio::test]
async fn callers_keys_are_deleted_after_thirty_days() -> Result<()> {
    let world = World::new().await?;
    let held = world.held().await?;
    world.start(held).await?;
    let keys = "select count(*) from idempotency_keys";
    world.until_quiet().await?;
    let before = world.number(keys).await?;
    assert!(before > 0);
    world.move_clock(28 * DAY).await?;
    let swept = "select count(*) from timers
                 where kind = 'sweep-webhooks' and due_at > clock_now()";
    world.until_number(swept, 1).await?;
    assert_eq!(world.number(keys).await?, before);
    world.move_clock(31 * DAY).await?;
    world.until_number(keys, 0).await
}

#[tokio::test]
async fn bodies_of_webhooks_are_deleted_after_ninety_days() -> Result<()> {
    let world = World::new().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    world.pay(&order, json!({})).await?;
    world.until(held, "PaymentVerified").await?;
    world.until_quiet().await?;
    let bodies = "select count(*) from webhook_inbox where raw is not null";
    assert_eq!(world.number(bodies).await?, 3);
    world.move_clock(91 * DAY).await?;
    world.until_number(bodies, 0).await?;
    let kept = "select count(*) from webhook_inbox where body_sha256 is not null";
    assert_eq!(world.number(kept).await?, 3);
    // Ids and hashes are never deleted, so the same body is never folded again.
    let replayed = event("payment.pending", &[], 1);
    send(&world, replayed.clone()).await?;
    world.until_quiet().await?;
    world.move_clock(400 * DAY).await?;
    world.until_number(bodies, 0).await?;
    send(&world, replayed).await?;
    assert_eq!(world.number(kept).await?, 4);
    assert_eq!(world.number(bodies).await?, 0);
    Ok(())
}

#[tokio::test]
async fn events_get_positions_for_consumers() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    world.pay(&order, json!({})).await?;
    assert_eq!(world.check(held).await??, CollectionState::Paid);
    world.until_number("select count(*) from feed", 4).await?;
    Ok(())
}

#[tokio::test]
async fn the_jobs_of_the_night_are_there_before_the_service_has_ever_started() -> Result<()> {
    let database = TestDatabase::new(&payments::MIGRATIONS).await?;
    let store = database.store()?;
    let jobs = "select kind || ' ' || to_char(due_at at time zone 'UTC', 'HH24:MI') from timers
                where subject = 'all' and due_at > clock_now() - interval '1 hour'
                  and due_at <= clock_now() + interval '1 day' and kind <> 'sweep-webhooks'
                union all select kind from timers where kind = 'sweep-webhooks' order by 1";
    let found: Vec<String> = sqlx::query_scalar(jobs).fetch_all(store.pool()).await?;
    let wanted =
        ["list-payments 20:30", "settle-day 21:00", "sweep-webhooks", "tell-unexplained 22:00"];
    assert_eq!(found, wanted);
    // A row that was lost comes back, and the others stay as they are.
    let stays = "select count(*) from timers where due_at = 'epoch'";
    database.as_owner("update timers set due_at = 'epoch' where kind = 'settle-day'").await?;
    database.as_owner("delete from timers where kind = 'list-payments'").await?;
    for _ in 0..2 {
        payments::app::nightly::start(&store).await?;
        let count: i64 = sqlx::query_scalar(stays).fetch_one(store.pool()).await?;
        assert_eq!(count, 1);
    }
    let count: i64 =
        sqlx::query_scalar("select count(*) from timers").fetch_one(store.pool()).await?;
    assert_eq!(count, 4);
    Ok(())
}

/// An uncaptured payment is voided by the provider days later; it never was captured money.
#[tokio::test]
async fn an_authorised_payment_that_the_provider_gives_back_was_never_money() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    let paid = world.pay(&order, json!({ "begun_minutes_ago": 73 * 60 })).await?;
    let payment_id = paid["payment_id"].as_str().unwrap_or_default();
    world.tell("/api/give-back", &json!({ "payment_id": payment_id })).await?;
    testkit::until("it is back", async || {
        let state = world.check(held).await??;
        Ok((state == CollectionState::Refunded).then_some(()))
    })
    .await?;
    world.until_number("select count(*) from payments where status = 'refunded'", 1).await?;
    assert_eq!(left(&world).await?, BTreeMap::new(), "all accounts are even");
    assert_eq!(world.count(held, "PaymentVerified").await?, 0);
    assert_eq!(world.count(held, "RefundRequested").await?, 0, "nothing is given back twice");
    assert_eq!(world.provider_has("refunds").await?.len(), 1);
    agrees(&world).await
}
