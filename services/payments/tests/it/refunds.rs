//! Refunds: requested once, however often the request is interrupted.

use anyhow::{Context as _, Result};
use contract::booking::v1::{BookingCancelled, BookingRequested, BookingUnplaced};
use contract::payments::v1::CollectionState;
use eventstore::NewEvent;
use kernel::Money;
use serde_json::{Value, json};

use crate::signed_webhooks;
use crate::world::{Held, PRICE, World};

const HOUR: i64 = 3600;

/// A booking that is paid and was then not placed.
async fn unplaced(world: &World) -> Result<(Held, Value)> {
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    let paid = world.pay(&order, json!({})).await?;
    assert_eq!(world.check(held).await??, CollectionState::Paid);
    let event = NewEvent::of(&BookingUnplaced {
        booking_id: held.id.to_string(),
        payment_id: paid.get("payment_id").and_then(Value::as_str).context("an id")?.to_owned(),
    })?;
    world.booking.publishes(event.clone(), None).await?;
    Ok((held, paid))
}

#[tokio::test]
async fn an_unplaced_booking_gets_its_money_back() -> Result<()> {
    let world = World::new().await?;
    let (held, paid) = unplaced(&world).await?;
    world.until(held, "RefundProcessed").await?;
    world.until_quiet().await?;
    let requested = world.until(held, "RefundRequested").await?;
    assert_eq!(requested.payload["cause"], "unplaced");
    let refunds = world.provider_has("refunds").await?;
    assert_eq!(refunds.len(), 1);
    assert_eq!(refunds[0]["payment_id"], paid["payment_id"]);
    assert_eq!(refunds[0]["amount"], PRICE);
    assert_eq!(refunds[0]["receipt"], requested.payload["refundId"]);
    for once in ["RefundRequested", "RefundAccepted", "RefundProcessed"] {
        assert_eq!(world.count(held, once).await?, 1, "{once}");
    }
    assert_eq!(world.check(held).await??, CollectionState::Refunded);
    world.until_number("select count(*) from timers where kind = 'refund'", 0).await?;
    Ok(())
}

#[tokio::test]
async fn a_refund_whose_answer_was_lost_is_not_made_twice() -> Result<()> {
    let world = World::without_webhooks().await?;
    let lost =
        json!({ "target": "refunds.create", "kind": "timeout_after_success", "delay_ms": 1 });
    world.fault(lost).await?;
    let (held, _paid) = unplaced(&world).await?;
    world.until(held, "RefundProcessed").await?;
    assert_eq!(world.provider_has("refunds").await?.len(), 1);
    // The process dies after it has recorded everything, and the timer fires once more.
    let again = "insert into timers (kind, subject, due_at)
                 select 'refund', 'rfn_' || replace(refund_id::text, '-', ''), now() from refunds";
    world.database.as_owner(again).await?;
    world.until_number("select count(*) from timers where kind = 'refund'", 0).await?;
    assert_eq!(world.provider_has("refunds").await?.len(), 1);
    assert_eq!(world.count(held, "RefundProcessed").await?, 1);
    Ok(())
}

/// How long a provider keeps idempotency keys is not documented.
#[tokio::test]
async fn a_refund_is_looked_for_before_it_is_asked_for_again() -> Result<()> {
    let world = World::without_webhooks().await?;
    let no_keys = json!({ "target": "account.idempotency", "kind": "drop", "times": 0 });
    world.fault(no_keys).await?;
    let lost =
        json!({ "target": "refunds.create", "kind": "timeout_after_success", "delay_ms": 1 });
    world.fault(lost).await?;
    let (held, _payment) = world.paid().await?;
    // A part, so that the payment has enough left for a second one.
    let refund = Some(Money::inr(PRICE / 5).into());
    let booking_id = held.id.to_string();
    let cancelled = BookingCancelled { booking_id, refund, ..Default::default() };
    world.booking.publishes(NewEvent::of(&cancelled)?, None).await?;
    world.until(held, "RefundProcessed").await?;
    assert_eq!(world.provider_has("refunds").await?.len(), 1);
    Ok(())
}

/// Four timers that wait for the provider run at a time, of all kinds, so half of the places are
/// free for webhooks.
#[tokio::test]
async fn a_provider_that_hangs_does_not_hold_up_webhooks() -> Result<()> {
    let world = World::new().await?;
    let mut paid = Vec::new();
    for _ in 0..5 {
        paid.push(world.paid().await?);
        world.start(world.held().await?).await?;
    }
    let last = world.held().await?;
    let order = world.start(last).await?.order_id;
    for target in ["orders.fetch.payments", "refunds.create"] {
        let hangs = json!({ "target": target, "kind": "delay", "delay_ms": 60_000, "times": 0 });
        world.fault(hangs).await?;
    }
    let due = "update timers set due_at = clock_now() where kind = 'poll-order'";
    world.database.as_owner(due).await?;
    let hanging = "select count(*) from timers where kind = 'poll-order' and attempts > 0";
    world.until_number(hanging, 4).await?;
    for (held, payment_id) in paid {
        let booking_id = held.id.to_string();
        let unplaced = NewEvent::of(&BookingUnplaced { booking_id, payment_id })?;
        world.booking.publishes(unplaced, None).await?;
    }
    world.until_number("select count(*) from timers where kind = 'refund'", 5).await?;
    world.pay(&order, json!({})).await?;
    // Until a poll has given up, no place is free for a refund.
    let too_many =
        "select count(*) from timers where kind = 'refund' and attempts > 0 and not exists
        (select from timers where kind = 'poll-order' and payload->>'failed' <> '0')";
    testkit::until("it is verified", async || {
        assert_eq!(world.number(too_many).await?, 0, "refunds have taken the webhooks' places");
        Ok((world.count(last, "PaymentVerified").await? == 1).then_some(()))
    })
    .await
}

#[tokio::test]
async fn a_provider_that_is_down_is_asked_again() -> Result<()> {
    let world = World::without_webhooks().await?;
    world.fault(json!({ "target": "refunds.create", "kind": "status", "status": 503 })).await?;
    let (held, _paid) = unplaced(&world).await?;
    world.until(held, "RefundProcessed").await?;
    assert_eq!(world.provider_has("refunds").await?.len(), 1);
    Ok(())
}

#[tokio::test]
async fn a_permanently_refused_refund_is_reported() -> Result<()> {
    let world = World::without_webhooks().await?;
    let too_old =
        json!({ "target": "refunds.create", "kind": "refuse", "code": "PAYMENT_TOO_OLD" });
    world.fault(too_old).await?;
    let (held, _paid) = unplaced(&world).await?;
    let failed = world.until(held, "RefundFailed").await?;
    assert_eq!(failed.payload["reason"], "payment_too_old");
    assert_eq!(world.check(held).await??, CollectionState::Refunding, "a person has to look");
    assert_eq!(world.provider_has("refunds").await?.len(), 0);
    Ok(())
}

#[tokio::test]
async fn a_refund_that_is_refused_for_now_is_asked_for_again_under_the_same_id() -> Result<()> {
    let world = World::without_webhooks().await?;
    let refuse = json!({ "target": "refunds.create", "kind": "refuse", "times": 2 });
    world.fault(refuse).await?;
    let (held, _paid) = unplaced(&world).await?;
    let later = "select count(*) from timers where kind = 'refund' and payload->>'step' = '1'
                 and due_at > clock_now() + interval '50 min'
                 and due_at <= clock_now() + interval '1 h'";
    world.until_number(later, 1).await?;
    assert_eq!(world.count(held, "RefundFailed").await?, 0, "it may be given tomorrow");
    assert_eq!(world.check(held).await??, CollectionState::Refunding);
    world.move_clock(HOUR).await?;
    let again = "select count(*) from timers where kind = 'refund' and payload->>'step' = '2'";
    world.until_number(again, 1).await?;
    world.move_clock(2 * HOUR + 60).await?;
    world.until(held, "RefundProcessed").await?;
    let requested = world.until(held, "RefundRequested").await?;
    let refunds = world.provider_has("refunds").await?;
    assert_eq!(refunds.len(), 1);
    assert_eq!(refunds[0]["receipt"], requested.payload["refundId"]);
    assert_eq!(world.count(held, "RefundRequested").await?, 1);
    assert_eq!(world.count(held, "RefundFailed").await?, 0);
    Ok(())
}

/// Whether a provider keeps a refusal under its idempotency key is not documented; this one does.
#[tokio::test]
async fn a_refusal_that_is_kept_under_its_key_does_not_stand_for_ever() -> Result<()> {
    let world = World::without_webhooks().await?;
    world.fault(json!({ "target": "account.balance", "kind": "refuse" })).await?;
    let (held, _paid) = unplaced(&world).await?;
    world.until_refused_for_now(1).await?;
    assert_eq!(world.provider_has("refunds").await?.len(), 0);
    world.move_clock(HOUR).await?;
    world.until(held, "RefundProcessed").await?;
    let requested = world.until(held, "RefundRequested").await?;
    let refunds = world.provider_has("refunds").await?;
    assert_eq!(refunds.len(), 1);
    assert_eq!(refunds[0]["receipt"], requested.payload["refundId"]);
    assert_eq!(world.count(held, "RefundRequested").await?, 1, "it is the same refund");
    Ok(())
}

#[tokio::test]
async fn a_refund_that_failed_at_the_bank_is_followed_by_another_one() -> Result<()> {
    let world = World::new().await?;
    world.fault(json!({ "target": "refunds.process", "kind": "refuse" })).await?;
    let (held, _paid) = unplaced(&world).await?;
    world.until(held, "RefundFailed").await?;
    let waits = "select count(*) from timers where kind = 'renew-refund'";
    assert_eq!(world.number(waits).await?, 1);
    world.move_clock(HOUR).await?;
    let processed = world.until(held, "RefundProcessed").await?;
    world.until_quiet().await?;
    assert_eq!(world.count(held, "RefundRequested").await?, 2);
    let failed = world.until(held, "RefundFailed").await?;
    assert_ne!(failed.payload["refundId"], processed.payload["refundId"]);
    assert_eq!(world.provider_has("refunds").await?.len(), 2);
    assert_eq!(world.number(waits).await?, 0);
    assert_eq!(world.check(held).await??, CollectionState::Refunded);
    Ok(())
}

/// Ours failed, and before it was renewed an external refund was made. That fails, too.
#[tokio::test]
async fn ours_is_requested_after_an_external_refund_failed() -> Result<()> {
    let world = World::new().await?;
    world.fault(json!({ "target": "refunds.process", "kind": "refuse" })).await?;
    let (held, paid) = unplaced(&world).await?;
    let payment_id = paid["payment_id"].as_str().context("an id")?;
    world.until(held, "RefundFailed").await?;
    let slow = json!({ "target": "refunds.process", "kind": "delay", "delay_ms": 3_600_000 });
    world.fault(slow).await?;
    let by_hand = world.refund_externally(payment_id, PRICE).await?;
    world.until(held, "RefundDiscovered").await?;
    let waits = "select count(*) from timers where kind = 'renew-refund'";
    assert_eq!(world.number(waits).await?, 1);
    world.move_clock(HOUR).await?;
    world.until_number(waits, 0).await?;
    assert_eq!(world.count(held, "RefundRequested").await?, 1, "nothing is left to give back");
    let failed = json!({
        "id": by_hand["id"], "amount": PRICE, "currency": "INR", "status": "failed",
        "payment_id": payment_id, "receipt": null, "notes": [],
    });
    signed_webhooks::send(
        &world,
        signed_webhooks::event("refund.failed", &[("refund", failed)], 9),
    )
    .await?;
    world.until_number(waits, 1).await?;
    world.move_clock(2 * HOUR + 60).await?;
    world.until_number("select count(*) from refunds where cause = 'unplaced'", 2).await?;
    Ok(())
}

#[tokio::test]
async fn an_external_refund_of_verified_money_is_reported() -> Result<()> {
    let world = World::new().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    let paid = world.pay(&order, json!({})).await?;
    assert_eq!(world.check(held).await??, CollectionState::Paid);
    let payment_id = paid["payment_id"].as_str().context("an id")?;
    world.tell(&format!("/v1/payments/{payment_id}/refund"), &json!({ "amount": PRICE })).await?;
    world.until_number("select count(*) from collections where state = 'refunded'", 1).await?;
    assert_eq!(world.check(held).await??, CollectionState::Refunded);
    assert_eq!(world.count(held, "RefundRequested").await?, 0);
    Ok(())
}

#[tokio::test]
async fn a_refund_that_fails_at_the_bank_is_reported() -> Result<()> {
    let world = World::new().await?;
    world.fault(json!({ "target": "refunds.process", "kind": "refuse" })).await?;
    let (held, _paid) = unplaced(&world).await?;
    world.until(held, "RefundFailed").await?;
    assert_eq!(world.count(held, "RefundAccepted").await?, 1);
    Ok(())
}

#[tokio::test]
async fn externally_refunded_money_is_not_refunded_again() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    let paid = world.pay(&order, json!({})).await?;
    assert_eq!(world.check(held).await??, CollectionState::Paid);
    let payment_id = paid["payment_id"].as_str().context("an id")?.to_owned();
    world.tell(&format!("/v1/payments/{payment_id}/refund"), &json!({ "amount": PRICE })).await?;
    let event = NewEvent::of(&BookingUnplaced { booking_id: held.id.to_string(), payment_id })?;
    world.booking.publishes(event, None).await?;
    world.until(held, "RefundProcessed").await?;
    assert_eq!(world.provider_has("refunds").await?.len(), 1);
    assert_eq!(world.count(held, "RefundFailed").await?, 0);
    Ok(())
}

#[tokio::test]
async fn one_trace_leads_from_the_booking_to_its_money_and_back() -> Result<()> {
    let world = World::new().await?;
    let held = world.held().await?;
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let requested = NewEvent::of(&BookingRequested {
        booking_id: held.id.to_string(),
        customer_id: held.customer.to_string(),
        ..BookingRequested::default()
    })?;
    world.booking.publishes(requested, Some(trace)).await?;
    world.until_number("select count(*) from known_bookings", 1).await?;
    let order = world.start(held).await?.order_id;
    let paid = world.pay(&order, json!({})).await?;
    world.until(held, "PaymentVerified").await?;
    let event = NewEvent::of(&BookingUnplaced {
        booking_id: held.id.to_string(),
        payment_id: paid["payment_id"].as_str().context("an id")?.to_owned(),
    })?;
    world.booking.publishes(event, Some(trace)).await?;
    world.until(held, "RefundProcessed").await?;
    for event in world.events(held).await? {
        let stored = event.metadata.traceparent.as_deref();
        assert_eq!(stored, Some(trace), "{}", event.event_type);
        let about = event.metadata.correlation.as_deref();
        if event.event_type != "payments.v1.RefundRequested" {
            assert_eq!(about, Some(held.id.to_string().as_str()), "{}", event.event_type);
        }
    }
    Ok(())
}
