//! Starting a payment: one order per booking, under lost answers, refusals and concurrency.

use std::time::Duration;

use anyhow::{Context as _, Result};
use contract::booking::v1::BookingState;
use contract::payments::v1::CollectionState;
use eventstore::new_id;
use runtime::health::{ORDERS, Probe, Unready};
use serde_json::json;
use testkit::{Alarms, until};
use tonic::Code;

use crate::world::{PRICE, World, assert_refused};

#[tokio::test]
async fn the_browser_gets_what_it_needs_and_the_intent_came_first() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let started = world.start(held).await?;
    assert_eq!(started.key_id, "rzp_test_demo");
    assert_eq!(started.amount.clone().context("an amount")?.minor_units, PRICE);
    assert!(started.checkout_script_url.ends_with("/v1/checkout.js"));
    assert_eq!(started.state(), CollectionState::Pending);
    assert_eq!(world.names(held).await?, ["CollectionOpened", "OrderCreated"]);

    let orders = world.provider_has("orders").await?;
    let events = world.events(held).await?;
    assert_eq!(orders[0]["receipt"], events[0].payload["collectionId"]);
    let told = json!({ "booking_id": held.id.to_string() });
    assert_eq!(orders[0]["notes"], told, "the provider learns an opaque id and nothing else");
    assert_eq!(world.start(held).await?, started, "asked again, it is the same");
    Ok(())
}

#[tokio::test]
async fn many_who_start_at_once_get_one_order() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    world.fault(json!({ "target": "orders.create", "kind": "delay", "delay_ms": 200 })).await?;
    let starts = (0..12).map(|_| world.start(held));
    let started = futures::future::try_join_all(starts).await?;
    assert!(started.iter().all(|it| it.order_id == started[0].order_id));
    assert_eq!(world.provider_has("orders").await?.len(), 1);
    assert_eq!(world.names(held).await?, ["CollectionOpened", "OrderCreated"]);
    Ok(())
}

#[tokio::test]
async fn an_order_whose_answer_was_lost_is_found_again() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let lost = json!({
        "target": "orders.create", "kind": "timeout_after_success", "delay_ms": 1,
    });
    world.fault(lost).await?;
    let started = world.start(held).await?;
    let orders = world.provider_has("orders").await?;
    assert_eq!(orders.len(), 1);
    assert_eq!(orders[0]["id"], started.order_id.as_str());
    Ok(())
}

#[tokio::test]
async fn a_provider_that_is_down_is_said_to_be_and_the_next_start_looks_first() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let lost = json!({
        "target": "orders.create", "kind": "timeout_after_success", "delay_ms": 1,
    });
    world.fault(lost).await?;
    world.fault(json!({ "target": "orders.fetch.list", "kind": "status", "status": 503 })).await?;
    let down = world.try_start(held).await?;
    assert_refused(down, Code::Unavailable, "PROVIDER_UNAVAILABLE");
    assert_eq!(world.names(held).await?, ["CollectionOpened"], "the intent is known");

    // Without a look-up, a repeated request would create a second order.
    world.fault(json!({ "target": "orders.create", "kind": "status", "times": 0 })).await?;
    let started = world.start(held).await?;
    assert_eq!(world.provider_has("orders").await?[0]["id"], started.order_id.as_str());
    Ok(())
}

#[tokio::test]
async fn an_order_that_the_provider_calls_a_duplicate_is_found() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    world.fault(json!({ "target": "orders.create", "kind": "status", "status": 500 })).await?;
    assert_refused(world.try_start(held).await?, Code::Unavailable, "PROVIDER_UNAVAILABLE");
    let events = world.events(held).await?;
    let elsewhere = json!({
        "amount": PRICE, "currency": "INR", "receipt": events[0].payload["collectionId"],
    });
    let order = world.tell("/v1/orders", &elsewhere).await?;
    assert_eq!(world.start(held).await?.order_id, order["id"]);
    assert_eq!(world.provider_has("orders").await?.len(), 1);
    Ok(())
}

/// Not every account knows the field that makes a receipt unique.
#[tokio::test]
async fn an_account_that_knows_no_unique_receipt_takes_orders_all_the_same() -> Result<()> {
    let alarms = Alarms::listen();
    let world = World::without_webhooks().await?;
    let unknown = json!({ "target": "account.unique_receipt", "kind": "refuse", "times": 0 });
    world.fault(unknown).await?;
    let held = world.held().await?;
    let started = world.start(held).await?;
    assert_eq!(world.start(held).await?, started);
    assert_eq!(world.provider_has("orders").await?.len(), 1);
    assert_eq!(alarms.count("the provider refuses our orders"), 0);
    Ok(())
}

/// Callers take turns, so that the field is a net and no more: this account passes it over. It is
/// slow, too, so that a look-up before the creation finds no order.
#[tokio::test]
async fn many_who_start_at_once_get_one_order_without_unique_receipts() -> Result<()> {
    let world = World::without_webhooks().await?;
    let ignored = json!({ "target": "account.unique_receipt", "kind": "drop", "times": 0 });
    world.fault(ignored).await?;
    let slow = json!({ "target": "orders.create", "kind": "delay", "delay_ms": 300, "times": 0 });
    world.fault(slow).await?;
    let held = world.held().await?;
    let started = futures::future::try_join_all((0..12).map(|_| world.start(held))).await?;
    assert!(started.iter().all(|it| it.order_id == started[0].order_id));
    assert_eq!(world.provider_has("orders").await?.len(), 1);
    Ok(())
}

/// No payment works until a person has looked, so the log and the health report say it.
#[tokio::test]
async fn an_order_that_is_refused_is_an_error_until_one_is_taken() -> Result<()> {
    let world = World::without_webhooks().await?;
    let alarms = Alarms::listen();
    let probe = Probe::new(world.url())?;
    let told = async |wanted: Result<(), Unready>| {
        until("the concern is told", async || {
            Ok((probe.concern(ORDERS).await == wanted).then_some(()))
        })
        .await
    };
    for (count, status) in [(1, 400), (2, 401)] {
        let held = world.held().await?;
        let refused = json!({ "target": "orders.create", "kind": "refuse", "status": status });
        world.fault(refused).await?;
        assert_refused(world.try_start(held).await?, Code::Unavailable, "PROVIDER_UNAVAILABLE");
        assert_eq!(alarms.count("the provider refuses our orders"), count);
        told(Err(Unready::Concerned)).await?;
        assert_eq!(probe.check().await, Ok(()), "webhooks are taken all the same");
        world.start(held).await?;
        told(Ok(())).await?;
    }
    world.fault(json!({ "target": "orders.create", "kind": "status", "status": 503 })).await?;
    let busy = world.held().await?;
    assert_refused(world.try_start(busy).await?, Code::Unavailable, "PROVIDER_UNAVAILABLE");
    assert_eq!(alarms.count("the provider refuses our orders"), 2, "an outage is none");
    Ok(())
}

#[tokio::test]
async fn a_disconnected_caller_leaves_no_order_lease() -> Result<()> {
    let world = World::without_webhooks().await?;
    for after_ms in 1..=10 {
        let held = world.held().await?;
        // Whether it is answered in time does not matter.
        let gone = tokio::time::timeout(Duration::from_millis(3 * after_ms), world.start(held));
        drop(gone.await);
        world.start(held).await?;
    }
    assert_eq!(world.provider_has("orders").await?.len(), 10);
    Ok(())
}

#[tokio::test]
async fn other_peoples_bookings_and_those_that_do_not_exist_are_the_same() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let stranger = new_id();
    let id = held.id.to_string();
    let unknown = new_id::<kernel::id::Booking>().to_string();
    for asked in [id.as_str(), &unknown, "bkg_1", ""] {
        let answer = world.start_as(stranger, asked, "12345678").await?;
        assert_refused(answer, Code::NotFound, "BOOKING_NOT_FOUND");
    }
    world.start(held).await?;
    let foreign = crate::world::Held { customer: stranger, ..held };
    assert_refused(world.try_start(foreign).await?, Code::NotFound, "BOOKING_NOT_FOUND");
    assert_refused(world.check(foreign).await?, Code::NotFound, "BOOKING_NOT_FOUND");
    assert_refused(world.claim(foreign).await?, Code::NotFound, "BOOKING_NOT_FOUND");
    let answer = world.answer(foreign, "pay_AAAAAAAAAAAAAA", &"0".repeat(64)).await?;
    assert_refused(answer, Code::NotFound, "BOOKING_NOT_FOUND");
    Ok(())
}

#[tokio::test]
async fn a_key_stands_for_one_request() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let other = world.held_by(held.customer).await?;
    let first = world.start(held).await?;
    assert_eq!(world.start(held).await?, first, "the same request, the same answer");
    let reused = world.try_start(other).await?;
    assert_refused(reused, Code::InvalidArgument, "IDEMPOTENCY_KEY_REUSED");
    assert_eq!(world.names(other).await?, Vec::<String>::new());
    world.start_as(other.customer, &other.id.to_string(), "another-key").await??;

    world.claim(held).await??;
    world.claim(held).await??;
    let reused = world.claim(other).await?;
    assert_refused(reused, Code::InvalidArgument, "IDEMPOTENCY_KEY_REUSED");
    assert_eq!(world.count(other, "PaymentClaimed").await?, 0);

    let paid = world.pay(&first.order_id, json!({})).await?;
    let of = |field: &str| paid[field].as_str().unwrap_or_default().to_owned();
    for _ in 0..2 {
        let state = world.answer(held, &of("payment_id"), &of("signature")).await??;
        assert_eq!(state, CollectionState::Paid);
    }
    let again = world.pay(&first.order_id, json!({ "again": true })).await?;
    let of = |field: &str| again[field].as_str().unwrap_or_default().to_owned();
    let reused = world.answer(held, &of("payment_id"), &of("signature")).await?;
    assert_refused(reused, Code::InvalidArgument, "IDEMPOTENCY_KEY_REUSED");
    Ok(())
}

#[tokio::test]
async fn a_key_has_its_length() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    for key in ["", "1234567", &"k".repeat(65)] {
        let answer = world.start_as(held.customer, &held.id.to_string(), key).await?;
        assert_refused(answer, Code::InvalidArgument, "INVALID_IDEMPOTENCY_KEY");
    }
    Ok(())
}

#[tokio::test]
async fn a_hold_that_has_ended_cannot_be_paid_for_but_what_is_paid_is_shown() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    world.move_clock(16 * 60).await?;
    assert_refused(world.try_start(held).await?, Code::FailedPrecondition, "HOLD_ENDED");
    assert_eq!(world.names(held).await?, Vec::<String>::new());

    let held = world.held().await?;
    let started = world.start(held).await?;
    world.booking.moves_on(held.id, BookingState::Expired);
    assert_refused(world.try_start(held).await?, Code::FailedPrecondition, "HOLD_ENDED");
    world.pay(&started.order_id, json!({})).await?;
    assert_eq!(world.check(held).await??, CollectionState::Paid);
    let again = world.start(held).await?;
    assert_eq!((again.order_id.clone(), again.state()), (started.order_id, CollectionState::Paid));
    Ok(())
}
