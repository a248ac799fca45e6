//! Receipts that cannot be issued: refunds and earnings go on without them, and they are issued
//! once the reason is gone.

use anyhow::{Context as _, Result};
use contract::booking::v1::{BookingCancelled, BookingCompleted, BookingConfirmed};
use contract::payments::v1::{RetryParkedEventsRequest, RetryParkedEventsResponse};
use eventstore::NewEvent;
use kernel::Id;
use kernel::id::Customer;
use testkit::Alarms;

use crate::ledger::confirm;
use crate::receipt_numbering::{PUT_OFF, gapless, shorten_prefix, use_numbers_up, verified};
use crate::receipts::{happens, inr, receipt, until_taken_in};
use crate::world::World;

const COUNT: &str = "select count(*) from receipts";
const HOUR: i64 = 3600;

#[tokio::test]
async fn what_the_table_refuses_stops_no_money_and_takes_no_number() -> Result<()> {
    let world = World::without_webhooks().await?;
    let refusing = "alter table receipts add constraint refusing check (false) not valid";
    world.database.as_owner(refusing).await?;
    let alarms = Alarms::listen();
    let (held, payment) = verified(&world).await?;
    confirm(&world, held, &payment).await?;
    happens(&world, BookingCompleted { booking_id: held.id.to_string() }).await?;
    world.until(held, "PaymentEarned").await?;
    until_taken_in(&world).await?;
    assert!(alarms.count("a receipt cannot be issued") > 0);
    assert_eq!(world.number("select count(*) from receipt_counters").await?, 0);
    assert_eq!(world.number(PUT_OFF).await?, 1);
    // The hour's try is refused as well, and comes again.
    world.move_clock(HOUR).await?;
    world.until_number(PUT_OFF, 1).await?;
    world.database.as_owner("alter table receipts drop constraint refusing").await?;
    world.move_clock(2 * HOUR).await?;
    assert!(receipt(&world, held).await?.serial.ends_with("/00001"));
    world.until_number("select count(*) from timers where kind = 'issue-receipt'", 0).await?;
    gapless(&world.store).await
}

#[tokio::test]
async fn a_receipt_waits_for_what_it_needs_as_everything_does() -> Result<()> {
    let world = World::without_webhooks().await?;
    world.database.as_owner("alter table receipt_counters rename to counters_elsewhere").await?;
    let alarms = Alarms::listen();
    let (held, payment) = verified(&world).await?;
    confirm(&world, held, &payment).await?;
    testkit::until("it was tried", async || {
        let tried: i64 = sqlx::query_scalar(
            "select xact_rollback from pg_stat_database where datname = current_database()",
        )
        .fetch_one(world.store.pool())
        .await?;
        Ok((tried > 1).then_some(()))
    })
    .await?;
    assert_eq!(alarms.count("a receipt cannot be issued"), 0);
    assert_eq!(world.number(PUT_OFF).await?, 0);
    world.database.as_owner("alter table counters_elsewhere rename to receipt_counters").await?;
    assert!(receipt(&world, held).await?.serial.ends_with("/00001"));
    until_taken_in(&world).await
}

/// Parks an event of booking as the releases did in which a receipt stopped its booking's money.
async fn parked<M>(world: &World, position: i64, event: M) -> Result<()>
where
    M: prost::Message + prost::Name,
{
    let event = NewEvent::of(&event)?;
    sqlx::query(
        "insert into parked_events (consumer, source, position, event_id, stream_id, version,
                                    event_type, payload, metadata, recorded_at, error)
         values ('payments-on-booking', 'booking', $1, $2, 'booking-1', $1, $3, $4, '{}', now(),
                 'The receipt cannot be issued')",
    )
    .bind(position)
    .bind(event.event_id)
    .bind(&event.event_type)
    .bind(&event.payload)
    .execute(world.store.pool())
    .await?;
    Ok(())
}

async fn retry(world: &World) -> Result<RetryParkedEventsResponse> {
    let owner: Id<Customer> = world.employ("owner");
    let retry = world.request(owner, RetryParkedEventsRequest { stream_id: String::new() })?;
    Ok(world.staff.clone().retry_parked_events(retry).await?.into_inner())
}

#[tokio::test]
async fn what_older_releases_parked_for_a_receipt_is_taken_in_whatever_the_prefix() -> Result<()> {
    let mut world = World::without_webhooks().await?;
    let (first, payment) = verified(&world).await?;
    confirm(&world, first, &payment).await?;
    world.until_number(COUNT, 1).await?;
    use_numbers_up(&world).await?;
    let (held, payment) = verified(&world).await?;
    let booking_id = held.id.to_string();
    let placed = BookingConfirmed {
        booking_id: booking_id.clone(),
        payment_id: payment,
        ..BookingConfirmed::default()
    };
    parked(&world, 101, placed).await?;
    let refund = inr(20_000);
    parked(&world, 102, BookingCancelled { booking_id, refund, ..Default::default() }).await?;
    retry(&world).await?;
    assert_eq!(world.number("select count(*) from parked_events").await?, 0);
    world.until(held, "RefundRequested").await?;
    assert_eq!(world.number(COUNT).await?, 1);
    shorten_prefix(&mut world).await?;
    world.move_clock(HOUR).await?;
    let serial = receipt(&world, held).await?.serial;
    let (_year, number) = serial.rsplit_once('/').context("a serial number")?;
    assert_eq!(number, "1000000");
    Ok(())
}
