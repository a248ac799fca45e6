//! External refunds, made on the provider's own pages: full and partial, reported by webhook or
//! found by polling.

use anyhow::{Context as _, Result};
use contract::booking::v1::{
    BookingCancelled, BookingCompleted, BookingConfirmed, BookingRequested, BookingUnplaced,
};
use contract::common::v1::Money as WireMoney;
use contract::payments::v1::CollectionState;
use eventstore::NewEvent;
use serde_json::{Value, json};
use testkit::Alarms;

use crate::signed_webhooks;
use crate::world::{Held, PRICE, World};

const GIVEN_BACK: &str = "verified money was given back without us";

async fn confirm(world: &World, held: Held) -> Result<()> {
    let (booking_id, customer_id) = (held.id.to_string(), held.customer.to_string());
    let requested =
        BookingRequested { booking_id: booking_id.clone(), customer_id, ..Default::default() };
    world.booking.publishes(NewEvent::of(&requested)?, None).await?;
    let confirmed = BookingConfirmed { booking_id, ..Default::default() };
    world.booking.publishes(NewEvent::of(&confirmed)?, None).await?;
    let known = "select count(*) from known_bookings where state = 'confirmed'";
    world.until_number(known, 1).await
}

#[tokio::test]
async fn a_partial_external_refund_is_recorded_and_the_rest_kept() -> Result<()> {
    let alarms = Alarms::listen();
    let world = World::new().await?;
    let (held, payment_id) = world.paid().await?;
    confirm(&world, held).await?;
    let refund = world.refund_externally(&payment_id, 20_000).await?;
    let discovered = world.until(held, "RefundDiscovered").await?;
    assert_eq!(discovered.payload["providerRefundId"], refund["id"]);
    assert_eq!(discovered.payload["amount"]["minorUnits"], "20000");
    assert_eq!(discovered.payload["paymentId"], payment_id);
    world.until(held, "RefundProcessed").await?;
    world.until_quiet().await?;
    assert_eq!(world.check(held).await??, CollectionState::Paid, "something is kept");
    for (name, times) in [("RefundDiscovered", 1), ("RefundProcessed", 1), ("RefundRequested", 0)] {
        assert_eq!(world.count(held, name).await?, times, "{name}");
    }
    assert!(alarms.count(GIVEN_BACK) > 0, "a booking counts on this money");
    world.until_number("select count(*) from timers where kind = 'refund'", 0).await?;

    // Another part, and then there is nothing left.
    world.refund_externally(&payment_id, 30_000).await?;
    world.until_number("select count(*) from refunds where state = 'processed'", 2).await?;
    assert_eq!(world.check(held).await??, CollectionState::Refunded);
    assert_eq!(world.count(held, "RefundDiscovered").await?, 2);
    Ok(())
}

/// The step of `sukoon restore`: a refund that is older than the restored books, of a payment that
/// the nightly list does not reach, is found at once.
#[tokio::test]
async fn after_a_restore_the_orders_of_sold_bookings_are_asked() -> Result<()> {
    const ASKED: &str = include_str!("../../../../deploy/server/src/restore/ask_the_provider.sql");
    let world = World::new().await?;
    let (held, payment_id) = world.paid().await?;
    confirm(&world, held).await?;
    for event in ["refund.created", "refund.processed"] {
        let lost = json!({ "target": format!("webhook.{event}"), "kind": "drop", "times": 0 });
        world.fault(lost).await?;
    }
    world.refund_externally(&payment_id, 20_000).await?;
    world.database.as_owner("delete from timers where kind = 'list-payments'").await?;
    assert_eq!(world.count(held, "RefundDiscovered").await?, 0);
    world.database.as_owner(ASKED).await?;
    world.until(held, "RefundProcessed").await?;
    assert_eq!(world.count(held, "RefundDiscovered").await?, 1);
    Ok(())
}

/// A booking that was paid while payments can't be asked for, and its payment.
async fn paid_unseen(world: &World) -> Result<(Held, String)> {
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    world.fault(json!({ "target": "orders.fetch.payments", "kind": "drop", "times": 0 })).await?;
    let paid = world.pay(&order, json!({})).await?;
    let payment_id = paid.get("payment_id").and_then(Value::as_str);
    Ok((held, payment_id.context("an id")?.to_owned()))
}

#[tokio::test]
async fn an_unreported_refund_is_found_by_polling() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (held, payment_id) = paid_unseen(&world).await?;
    world.refund_externally(&payment_id, 20_000).await?;
    // The list of refunds is not available at first; it is fetched again.
    world.fault(json!({ "target": "payments.fetch.refunds", "kind": "status" })).await?;
    world.clear_faults().await?;
    world.fault(json!({ "target": "payments.fetch.refunds", "kind": "drop" })).await?;
    world.until(held, "RefundProcessed").await?;
    assert_eq!(world.check(held).await??, CollectionState::Paid);
    assert_eq!(world.count(held, "RefundDiscovered").await?, 1);
    assert_eq!(world.count(held, "PaymentVerified").await?, 1);
    Ok(())
}

#[tokio::test]
async fn money_that_came_and_went_before_we_looked_is_not_taken_for_payment() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (held, payment_id) = paid_unseen(&world).await?;
    world.refund_externally(&payment_id, PRICE).await?;
    world.clear_faults().await?;
    world.until(held, "RefundProcessed").await?;
    assert_eq!(world.check(held).await??, CollectionState::Refunded);
    assert_eq!(world.count(held, "PaymentVerified").await?, 0);
    Ok(())
}

#[tokio::test]
async fn a_refund_of_a_payment_that_we_never_heard_of_makes_us_ask_for_it() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (held, payment_id) = paid_unseen(&world).await?;
    let refund = world.refund_externally(&payment_id, 20_000).await?;
    // It names its payment and no order; nothing else was reported.
    signed_webhooks::send(
        &world,
        signed_webhooks::event("refund.created", &[("refund", refund)], 1),
    )
    .await?;
    world.until(held, "RefundDiscovered").await?;
    world.until(held, "PaymentVerified").await?;
    // A refund of an unknown payment is ignored.
    let unknown = json!({
        "id": "rfnd_AAAAAAAAAAAAAA", "amount": 1, "currency": "INR", "status": "pending",
        "payment_id": "pay_ZZZZZZZZZZZZZZ",
    });
    signed_webhooks::send(
        &world,
        signed_webhooks::event("refund.created", &[("refund", unknown)], 1),
    )
    .await?;
    world.until_quiet().await?;
    assert_eq!(world.number("select count(*) from refunds").await?, 1);
    Ok(())
}

#[tokio::test]
async fn a_partial_external_refund_leaves_the_rest_to_ours() -> Result<()> {
    let world = World::new().await?;
    let (held, payment_id) = world.paid().await?;
    // The provider does not accept ours at first, and an external refund is made in the meantime.
    world.fault(json!({ "target": "refunds.create", "kind": "refuse" })).await?;
    let event = NewEvent::of(&BookingUnplaced {
        booking_id: held.id.to_string(),
        payment_id: payment_id.clone(),
    })?;
    world.booking.publishes(event, None).await?;
    let refused = "select count(*) from timers where kind = 'refund' and payload->>'step' = '1'";
    world.until_number(refused, 1).await?;
    world.refund_externally(&payment_id, 20_000).await?;
    let done = "select coalesce(sum(amount_minor), 0)::bigint from refunds
                where state = 'processed'";
    world.until_number(done, PRICE).await?;
    world.until_quiet().await?;
    let overtaken = world.until(held, "RefundFailed").await?;
    assert_eq!(overtaken.payload["reason"], "overtaken");
    let rest = world.events(held).await?.into_iter().rev();
    let mut rest = rest.filter(|event| event.event_type.ends_with("RefundRequested"));
    let rest = rest.next().context("the rest")?;
    assert_eq!(rest.payload["amount"]["minorUnits"], "30000");
    assert_eq!(rest.payload["renewed"], true, "people were told of it before");
    assert_eq!(rest.payload["renewsRefundId"], overtaken.payload["refundId"]);
    assert_eq!(world.check(held).await??, CollectionState::Refunded);
    Ok(())
}

#[tokio::test]
async fn our_refund_in_a_webhook_without_our_id_is_not_counted_twice() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (held, payment_id) = world.paid().await?;
    // The provider accepts it, its answer is lost, and no look-up is possible afterwards.
    let lost =
        json!({ "target": "refunds.create", "kind": "timeout_after_success", "delay_ms": 1 });
    world.fault(lost).await?;
    let slow = json!({ "target": "refunds.process", "kind": "delay", "delay_ms": 3_600_000 });
    world.fault(slow).await?;
    let refund = Some(WireMoney { minor_units: 20_000, currency_code: "INR".to_owned() });
    let booking_id = held.id.to_string();
    let cancelled = BookingCancelled { booking_id, refund, ..Default::default() };
    world.booking.publishes(NewEvent::of(&cancelled)?, None).await?;
    let there = testkit::until("the provider took it", async || {
        Ok(world.provider_has("refunds").await?.into_iter().next())
    });
    let id = there.await?["id"].clone();
    let drop = json!({ "target": "payments.fetch.refunds", "kind": "drop", "times": 0 });
    world.fault(drop).await?;
    let told = json!({
        "id": id, "amount": 20_000, "currency": "INR", "status": "created",
        "payment_id": payment_id, "receipt": null, "notes": [],
    });
    signed_webhooks::send(&world, signed_webhooks::event("refund.created", &[("refund", told)], 1))
        .await?;
    world.until(held, "RefundDiscovered").await?;
    world.clear_faults().await?;
    world.until(held, "RefundAccepted").await?;
    let overtaken = world.until(held, "RefundFailed").await?;
    assert_eq!(overtaken.payload["reason"], "overtaken");
    let goes_back = "select coalesce(sum(amount_minor), 0)::bigint from refunds
                     where state <> 'failed'";
    assert_eq!(world.number(goes_back).await?, 20_000);
    let ours = "select count(*) from refunds where cause = 'cancelled' and state <> 'failed'
                and provider_refund_id is not null";
    assert_eq!(world.number(ours).await?, 1);
    assert_eq!(world.provider_has("refunds").await?.len(), 1);
    Ok(())
}

#[tokio::test]
async fn money_of_a_failed_external_refund_is_earned_after_the_session() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (held, payment_id) = world.paid().await?;
    confirm(&world, held).await?;
    let slow = json!({ "target": "refunds.process", "kind": "delay", "delay_ms": 3_600_000 });
    world.fault(slow).await?;
    let id = world.refund_externally(&payment_id, PRICE).await?["id"].clone();
    let told = async |name: &str, status: &str, at: i64| {
        let refund = json!({
            "id": id, "amount": PRICE, "currency": "INR", "status": status,
            "payment_id": payment_id, "receipt": null, "notes": [],
        });
        signed_webhooks::send(&world, signed_webhooks::event(name, &[("refund", refund)], at)).await
    };
    told("refund.created", "pending", 1).await?;
    world.until(held, "RefundDiscovered").await?;
    let completed = BookingCompleted { booking_id: held.id.to_string() };
    world.booking.publishes(NewEvent::of(&completed)?, None).await?;
    let over = "select count(*) from known_bookings where state = 'completed'";
    world.until_number(over, 1).await?;
    assert_eq!(world.count(held, "PaymentEarned").await?, 0, "all of it is on its way back");
    told("refund.failed", "failed", 2).await?;
    let earned = world.until(held, "PaymentEarned").await?;
    assert_eq!(earned.payload["amount"]["minorUnits"], PRICE.to_string());
    let advance = "select coalesce(sum(amount_minor), 0)::bigint from ledger_lines
                   where account = 'customer_advance'";
    assert_eq!(world.number(advance).await?, 0);
    Ok(())
}
