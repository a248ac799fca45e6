//! How a booking ends, and what follows for its money.

use anyhow::Result;
use contract::booking::v1::{
    BookingCancelled, BookingCompleted, BookingConfirmed, BookingExpired, BookingPaid,
    BookingReleased, BookingRequested, BookingState,
};
use contract::common::v1::Money as WireMoney;
use contract::payments::v1::CollectionState;
use eventstore::NewEvent;
use serde_json::json;
use tonic::Code;

use crate::world::{Held, PRICE, World, assert_refused};

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

async fn cancelled(world: &World, held: Held, minor_units: i64) -> Result<()> {
    let refund = Some(WireMoney { minor_units, currency_code: "INR".to_owned() });
    let booking_id = held.id.to_string();
    happens(world, BookingCancelled { booking_id, refund, ..Default::default() }).await
}

async fn until_state(world: &World, sql: &'static str) -> Result<()> {
    world.until_number(sql, 1).await
}

#[tokio::test]
async fn a_cancelled_booking_gets_back_what_its_policy_says_and_the_rest_is_kept() -> Result<()> {
    let world = World::new().await?;
    let (held, payment_id) = world.paid().await?;
    requested(&world, held).await?;
    cancelled(&world, held, 20_000).await?;
    let asked = world.until(held, "RefundRequested").await?;
    assert_eq!(asked.payload["cause"], "cancelled");
    assert_eq!(asked.payload["amount"]["minorUnits"], "20000");
    assert_eq!(asked.payload.get("renewed"), None);
    let kept = world.until(held, "PaymentRetained").await?;
    assert_eq!(kept.payload["amount"]["minorUnits"], "30000");
    assert_eq!(kept.payload["paymentId"], payment_id);
    world.until(held, "RefundProcessed").await?;
    assert_eq!(world.check(held).await??, CollectionState::Paid, "a part is kept");
    until_state(&world, "select count(*) from known_bookings where state = 'cancelled'").await?;
    let refunds = world.provider_has("refunds").await?;
    assert_eq!((refunds.len(), refunds[0]["amount"].as_i64()), (1, Some(20_000)));
    Ok(())
}

#[tokio::test]
async fn a_booking_cancelled_in_time_gets_everything_back_and_one_too_late_nothing() -> Result<()> {
    let world = World::new().await?;
    let (held, _) = world.paid().await?;
    cancelled(&world, held, PRICE).await?;
    world.until(held, "RefundProcessed").await?;
    assert_eq!(world.check(held).await??, CollectionState::Refunded);
    assert_eq!(world.count(held, "PaymentRetained").await?, 0);

    let (late, _) = world.paid().await?;
    cancelled(&world, late, 0).await?;
    let kept = world.until(late, "PaymentRetained").await?;
    assert_eq!(kept.payload["amount"]["minorUnits"], PRICE.to_string());
    assert_eq!(world.count(late, "RefundRequested").await?, 0);
    assert_eq!(world.check(late).await??, CollectionState::Paid);
    Ok(())
}

#[tokio::test]
async fn a_booking_without_money_that_is_cancelled_or_over_moves_none() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (unpaid, unheard) = (world.held().await?, world.held().await?);
    requested(&world, unpaid).await?;
    requested(&world, unheard).await?;
    world.start(unpaid).await?;
    cancelled(&world, unpaid, PRICE).await?;
    happens(&world, BookingCompleted { booking_id: unheard.id.to_string() }).await?;
    until_state(&world, "select count(*) from known_bookings where state = 'cancelled'").await?;
    until_state(&world, "select count(*) from known_bookings where state = 'completed'").await?;
    assert_eq!(world.names(unpaid).await?, ["CollectionOpened", "OrderCreated"]);
    assert_eq!(world.names(unheard).await?, Vec::<String>::new());
    assert_eq!(world.number("select count(*) from parked_events").await?, 0);
    Ok(())
}

#[tokio::test]
async fn what_costs_nothing_has_no_money_from_its_begin_to_its_end() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (over, gone) = (world.held().await?, world.held().await?);
    for held in [over, gone] {
        let price = Some(WireMoney { minor_units: 0, currency_code: "INR".to_owned() });
        let (booking_id, customer_id) = (held.id.to_string(), held.customer.to_string());
        let asked = BookingRequested {
            booking_id: booking_id.clone(),
            customer_id,
            price,
            ..Default::default()
        };
        happens(&world, asked).await?;
        happens(&world, BookingConfirmed { booking_id, free: true, ..Default::default() }).await?;
        world.booking.moves_on(held.id, BookingState::Confirmed);
    }
    assert_refused(world.try_start(over).await?, Code::FailedPrecondition, "HOLD_ENDED");
    cancelled(&world, gone, 0).await?;
    happens(&world, BookingCompleted { booking_id: over.id.to_string() }).await?;
    until_state(&world, "select count(*) from known_bookings where state = 'cancelled'").await?;
    until_state(&world, "select count(*) from known_bookings where state = 'completed'").await?;
    for held in [over, gone] {
        assert_eq!(world.names(held).await?, Vec::<String>::new());
    }
    for nothing in [
        "select count(*) from collections",
        "select count(*) from receipts",
        "select count(*) from ledger_lines",
        "select count(*) from parked_events",
    ] {
        assert_eq!(world.number(nothing).await?, 0, "{nothing}");
    }
    Ok(())
}

#[tokio::test]
async fn a_session_that_took_place_earns_its_money_once() -> Result<()> {
    let world = World::new().await?;
    let (held, payment_id) = world.paid().await?;
    requested(&world, held).await?;
    for _ in 0..2 {
        happens(&world, BookingCompleted { booking_id: held.id.to_string() }).await?;
    }
    let earned = world.until(held, "PaymentEarned").await?;
    assert_eq!(earned.payload["paymentId"], payment_id);
    assert_eq!(earned.payload["amount"]["minorUnits"], PRICE.to_string());
    world.until_number("select position from checkpoints where source = 'booking'", 3).await?;
    assert_eq!(world.count(held, "PaymentEarned").await?, 1);
    Ok(())
}

#[tokio::test]
async fn money_that_comes_after_the_session_on_the_customers_word_is_earned() -> Result<()> {
    let world = World::new().await?;
    let held = world.held().await?;
    requested(&world, held).await?;
    let order = world.start(held).await?.order_id;
    let booking_id = held.id.to_string();
    let confirmed = BookingConfirmed {
        booking_id: booking_id.clone(),
        claim_accepted: true,
        ..Default::default()
    };
    happens(&world, confirmed).await?;
    happens(&world, BookingCompleted { booking_id }).await?;
    until_state(&world, "select count(*) from known_bookings where state = 'completed'").await?;
    world.pay(&order, json!({})).await?;
    world.until(held, "PaymentEarned").await?;
    assert_eq!(world.count(held, "PaymentVerified").await?, 1);
    Ok(())
}

#[tokio::test]
async fn money_that_comes_after_a_cancellation_without_refund_is_kept() -> Result<()> {
    let world = World::new().await?;
    let held = world.held().await?;
    requested(&world, held).await?;
    let order = world.start(held).await?.order_id;
    cancelled(&world, held, 0).await?;
    until_state(&world, "select count(*) from known_bookings where state = 'cancelled'").await?;
    world.pay(&order, json!({})).await?;
    let verified = world.until(held, "PaymentVerified").await?;
    // What booking has wanted is remembered. What booking says when it learns of the money; twice,
    // as after a restore.
    for _ in 0..2 {
        let payment_id = verified.payload["paymentId"].as_str().unwrap().to_owned();
        happens(&world, BookingPaid { booking_id: held.id.to_string(), payment_id }).await?;
    }
    let kept = world.until(held, "PaymentRetained").await?;
    assert_eq!(kept.payload["amount"]["minorUnits"], PRICE.to_string());
    world.until_number("select position from checkpoints where source = 'booking'", 4).await?;
    assert_eq!(world.count(held, "PaymentRetained").await?, 1);
    assert_eq!(world.count(held, "RefundRequested").await?, 0);
    Ok(())
}

#[tokio::test]
async fn a_bookings_state_is_stored() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (expired, released) = (world.held().await?, world.held().await?);
    requested(&world, expired).await?;
    requested(&world, released).await?;
    let waiting = "select count(*) from known_bookings where state = 'requested'";
    world.until_number(waiting, 2).await?;
    happens(&world, BookingExpired { booking_id: expired.id.to_string() }).await?;
    happens(&world, BookingReleased { booking_id: released.id.to_string() }).await?;
    until_state(&world, "select count(*) from known_bookings where state = 'expired'").await?;
    until_state(&world, "select count(*) from known_bookings where state = 'released'").await?;
    // The time was still free when the money came.
    let confirmed = BookingConfirmed { booking_id: expired.id.to_string(), ..Default::default() };
    happens(&world, confirmed).await?;
    until_state(&world, "select count(*) from known_bookings where state = 'confirmed'").await
}
