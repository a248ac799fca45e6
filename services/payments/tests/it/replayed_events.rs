//! Events of booking from before this release, or from before their money was known: they are
//! consumed again or stored, and the money is processed the same way in each order.

use anyhow::Result;
use contract::booking::v1::{
    BookingCancelled, BookingCompleted, BookingRequested, BookingUnplaced,
};
use contract::common::v1::Money as WireMoney;
use contract::payments::v1::CollectionState;
use eventstore::NewEvent;
use serde_json::json;
use sqlx::Connection as _;

use crate::signed_webhooks::{PAYMENT, captured, send};
use crate::world::{Held, PRICE, World};

const AT_THE_END: &str = "select count(*) from checkpoints where source = 'booking'
                          and event_id is not null and position = ";

async fn happens<M>(world: &World, event: M) -> Result<()>
where
    M: prost::Message + prost::Name,
{
    world.booking.publishes(NewEvent::of(&event)?, None).await
}

async fn requested(world: &World, held: Held) -> Result<()> {
    let (booking_id, customer_id) = (held.id.to_string(), held.customer.to_string());
    happens(world, BookingRequested { booking_id, customer_id, ..Default::default() }).await
}

async fn unplaced(world: &World, held: Held, payment_id: &str) -> Result<()> {
    let (booking_id, payment_id) = (held.id.to_string(), payment_id.to_owned());
    happens(world, BookingUnplaced { booking_id, payment_id }).await
}

async fn cancelled(world: &World, held: Held, minor_units: i64) -> Result<()> {
    let refund = Some(WireMoney { minor_units, currency_code: "INR".to_owned() });
    let booking_id = held.id.to_string();
    happens(world, BookingCancelled { booking_id, refund, ..Default::default() }).await
}

/// Waits until this many events of booking are consumed.
async fn until_taken_in(world: &World, events: i64) -> Result<()> {
    testkit::until("booking's events were taken in", async || {
        let sql = format!("{AT_THE_END}{events}");
        let count: i64 =
            sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_one(world.store.pool()).await?;
        Ok((count == 1).then_some(()))
    })
    .await?;
    assert_eq!(world.number("select count(*) from parked_events").await?, 0);
    Ok(())
}

/// Everything about the checkpoint that the release brings, as its migration does it.
async fn upgrade(world: &World) -> Result<()> {
    let migration =
        include_str!("../../../../migrations/payments/20261121500003_move_checkpoints.sql");
    let first = migration.split("-- While a deploy rolls").next().unwrap_or_default();
    world.database.as_owner(first).await
}

#[tokio::test]
async fn events_skipped_by_the_previous_release_are_consumed() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (held, _payment) = world.paid().await?;
    requested(&world, held).await?;
    until_taken_in(&world, 1).await?;
    // As a release before did: it moves its checkpoint behind an event that it does not know, and
    // keeps no event's id, by which a feed that was restored would be known.
    let skip = "alter table checkpoints disable trigger user;
                insert into checkpoints (consumer, source) values ('payments-on-booking', 'booking')
                on conflict do nothing;
                update checkpoints set position = 2, event_id = null where source = 'booking';
                alter table checkpoints enable trigger user;";
    world.database.as_owner(skip).await?;
    happens(&world, BookingCompleted { booking_id: held.id.to_string() }).await?;
    let later = world.held().await?;
    requested(&world, later).await?;
    until_taken_in(&world, 3).await?;
    assert_eq!(world.count(held, "PaymentEarned").await?, 0, "it was skipped");
    upgrade(&world).await?;
    world.until(held, "PaymentEarned").await?;
    until_taken_in(&world, 3).await?;
    assert_eq!(world.count(held, "PaymentEarned").await?, 1);
    Ok(())
}

#[tokio::test]
async fn a_process_of_the_release_before_waits_and_skips_nothing() -> Result<()> {
    let world = World::without_webhooks().await?;
    requested(&world, world.held().await?).await?;
    until_taken_in(&world, 1).await?;
    // What it would write knows nothing of the event at the position.
    let mut owner = sqlx::PgConnection::connect(&world.database.owner_url).await?;
    let moved = sqlx::query("update checkpoints set position = 2 where source = 'booking'");
    let refused = moved.execute(&mut owner).await.unwrap_err();
    let code =
        refused.as_database_error().and_then(sqlx::error::DatabaseError::code).unwrap_or_default();
    assert_eq!(code, "55000", "not about the data, so it waits and parks nothing");
    requested(&world, world.held().await?).await?;
    until_taken_in(&world, 2).await
}

#[tokio::test]
async fn money_that_could_not_be_placed_goes_back_also_when_it_is_learnt_of_later() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    requested(&world, held).await?;
    // Not even an order is known, and then an order without its payment.
    unplaced(&world, held, PAYMENT).await?;
    until_taken_in(&world, 2).await?;
    let order = world.start(held).await?.order_id;
    unplaced(&world, held, PAYMENT).await?;
    until_taken_in(&world, 3).await?;
    send(&world, captured(&order, 1)).await?;
    let asked = world.until(held, "RefundRequested").await?;
    assert_eq!(asked.payload["cause"], "unplaced");
    assert_eq!(asked.payload["amount"]["minorUnits"], PRICE.to_string());
    unplaced(&world, held, PAYMENT).await?;
    until_taken_in(&world, 4).await?;
    assert_eq!(world.count(held, "RefundRequested").await?, 1);
    Ok(())
}

#[tokio::test]
async fn a_cancellation_is_done_with_the_money_that_is_learnt_of_later() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    requested(&world, held).await?;
    cancelled(&world, held, 20_000).await?;
    until_taken_in(&world, 2).await?;
    let order = world.start(held).await?.order_id;
    world.pay(&order, json!({})).await?;
    assert_eq!(world.check(held).await??, CollectionState::Paid);
    let asked = world.until(held, "RefundRequested").await?;
    assert_eq!(asked.payload["cause"], "cancelled");
    assert_eq!(asked.payload["amount"]["minorUnits"], "20000");
    let kept = world.until(held, "PaymentRetained").await?;
    assert_eq!(kept.payload["amount"]["minorUnits"], "30000");
    cancelled(&world, held, 20_000).await?;
    until_taken_in(&world, 3).await?;
    assert_eq!(world.count(held, "RefundRequested").await?, 1);
    assert_eq!(world.count(held, "PaymentRetained").await?, 1);
    Ok(())
}

#[tokio::test]
async fn money_that_comes_after_a_cancellation_goes_back_because_of_that() -> Result<()> {
    let world = World::without_webhooks().await?;
    for is_learnt_first in [true, false] {
        let held = world.held().await?;
        requested(&world, held).await?;
        let order = world.start(held).await?.order_id;
        cancelled(&world, held, PRICE).await?;
        let state = "select count(*) from known_bookings where state = 'cancelled'";
        world.until_number(state, if is_learnt_first { 1 } else { 2 }).await?;
        let paid = world.pay(&order, json!({})).await?;
        let payment_id = paid["payment_id"].as_str().unwrap_or_default().to_owned();
        if is_learnt_first {
            world.check(held).await??;
        }
        unplaced(&world, held, &payment_id).await?;
        world.check(held).await??;
        let asked = world.until(held, "RefundRequested").await?;
        assert_eq!(asked.payload["cause"], "cancelled", "its mail speaks of no time that ran out");
        world.until(held, "RefundProcessed").await?;
        assert_eq!(world.count(held, "RefundRequested").await?, 1);
        world.until_number(state, if is_learnt_first { 1 } else { 2 }).await?;
    }
    assert_eq!(world.number("select count(*) from parked_events").await?, 0);
    Ok(())
}

/// A failover may lose what was decided while the provider has done it.
#[tokio::test]
async fn a_refund_that_is_decided_again_is_the_same_to_the_provider() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (held, _payment) = world.paid().await?;
    cancelled(&world, held, 20_000).await?;
    let first = world.until(held, "RefundRequested").await?;
    world.until(held, "RefundProcessed").await?;
    // An outbox row without its event would stop the relay, which no failover leaves behind.
    testkit::until_at_rest(&world.store).await?;
    let lost = "set local session_replication_role = replica;
                delete from feed where seq in (
                    select seq from events where event_type ~ '[.](Refund|PaymentRetained)');
                delete from events where event_type ~ '[.](Refund|PaymentRetained)';
                delete from timers where kind = 'refund';
                delete from refunds;";
    world.database.as_owner(lost).await?;
    cancelled(&world, held, 20_000).await?;
    let again = world.until(held, "RefundRequested").await?;
    world.until(held, "RefundProcessed").await?;
    assert_eq!(again.payload["refundId"], first.payload["refundId"]);
    assert_eq!(world.provider_has("refunds").await?.len(), 1);
    Ok(())
}

#[tokio::test]
async fn an_event_of_unknown_money_is_parked() -> Result<()> {
    let world = World::without_webhooks().await?;
    unplaced(&world, world.held().await?, PAYMENT).await?;
    world.until_number("select count(*) from parked_events", 1).await
}

#[tokio::test]
async fn an_entry_that_a_process_of_the_release_before_did_not_write_is_written() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (held, _payment) = world.paid().await?;
    happens(&world, BookingCompleted { booking_id: held.id.to_string() }).await?;
    world.until(held, "PaymentEarned").await?;
    let entries = "select count(*) from ledger_entries";
    assert_eq!(world.number(entries).await?, 2);
    world
        .database
        .as_owner(
            "alter table ledger_entries disable trigger user;
             alter table ledger_lines disable trigger user;
             delete from ledger_lines where entry_id in
                 (select entry_id from ledger_entries where kind = 'earned');
             delete from ledger_entries where kind = 'earned';
             alter table ledger_entries enable trigger user;
             alter table ledger_lines enable trigger user;",
        )
        .await?;
    assert_eq!(world.number(entries).await?, 1);
    for _ in 0..2 {
        payments::app::backfill_ledger::backfill_ledger(&world.store).await?;
        assert_eq!(world.number(entries).await?, 2);
    }
    let earned = "select sum(amount_minor)::bigint from ledger_lines where account = 'revenue'";
    assert_eq!(world.number(earned).await?, -PRICE);
    Ok(())
}
