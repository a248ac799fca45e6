//! Receipts of refunded money: fully refunded money takes no number, and money that returns gets
//! its receipt, whatever reports it.

use anyhow::{Context as _, Result};
use contract::booking::v1::BookingCancelled;
use contract::payments::v1::Receipt;
use serde_json::{Value, json};

use crate::ledger::{confirm, confirmed, ordered};
use crate::receipt_numbering::gapless;
use crate::receipts::{happens, inr, of, receipt, taken_in_again, until_taken_in, upgraded};
use crate::signed_webhooks::{PAYMENT, event, payment, send};
use crate::world::{Held, PRICE, World};

const COUNT: &str = "select count(*) from receipts";
const NUMBERS: &str = "select coalesce(sum(last_number), 0)::bigint from receipt_counters";
const TIMERS: &str = "select count(*) from timers where kind = 'issue-receipt'";
const UNFOLDED: &str = "select count(*) from webhook_inbox where folded_at is null";

async fn cancelled(world: &World, held: Held, minor_units: i64) -> Result<()> {
    let (booking_id, refund) = (held.id.to_string(), inr(minor_units));
    happens(world, BookingCancelled { booking_id, refund, ..Default::default() }).await
}

/// A payment of which the provider says that all of it was given back, and the refund, which is
/// still on its way.
async fn seen_gone(world: &World, order: &str, payment_id: &str, refund_id: &str) -> Result<()> {
    let mut paid = payment(order, "refunded");
    let fields = paid.as_object_mut().context("an object")?;
    fields.insert("id".to_owned(), payment_id.into());
    let refund = refund(payment_id, refund_id, "pending");
    let parts = [("payment", paid), ("refund", refund)];
    send(world, event("refund.created", &parts, 1)).await
}

fn refund(payment_id: &str, refund_id: &str, status: &str) -> Value {
    json!({
        "id": refund_id, "amount": PRICE, "currency": "INR", "status": status,
        "payment_id": payment_id, "receipt": null, "notes": [],
    })
}

#[tokio::test]
async fn money_that_was_wholly_back_before_the_upgrade_has_no_receipt_and_takes_no_number()
-> Result<()> {
    let world = World::without_webhooks().await?;
    let (whole, _payment) = confirmed(&world).await?;
    let (part, of_part) = confirmed(&world).await?;
    let (under_way, _payment) = confirmed(&world).await?;
    let (kept, of_kept) = confirmed(&world).await?;
    cancelled(&world, whole, PRICE).await?;
    world.until(whole, "RefundProcessed").await?;
    cancelled(&world, part, 20_000).await?;
    world.until(part, "RefundProcessed").await?;
    let slow = json!({ "target": "refunds.process", "kind": "delay", "delay_ms": 3_600_000 });
    world.fault(slow).await?;
    cancelled(&world, under_way, PRICE).await?;
    world.until(under_way, "RefundAccepted").await?;
    // Who got a receipt before the money went back keeps it.
    until_taken_in(&world).await?;
    assert_eq!(receipt(&world, whole).await?.refunded, inr(PRICE));
    assert_eq!(world.number(COUNT).await?, 4);
    upgraded(&world).await?;
    let sql = "select payment_id from receipts order by number";
    let issued: Vec<String> = sqlx::query_scalar(sql).fetch_all(world.store.pool()).await?;
    assert_eq!(issued, [of_part, of_kept]);
    assert_eq!(world.number(NUMBERS).await?, 2);
    for none in [whole, under_way] {
        assert_eq!(of(&world, none).await?, []);
    }
    let of_part = receipt(&world, part).await?;
    assert_eq!((of_part.amount, of_part.refunded), (inr(PRICE), inr(20_000)));
    assert_eq!(receipt(&world, kept).await?.refunded, inr(0));
    assert_eq!(world.number(TIMERS).await?, 0);
    Ok(())
}

#[tokio::test]
async fn money_first_seen_refunded_gets_its_receipt_after_a_webhook_returns_it() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (held, order) = ordered(&world).await?;
    // As after a restore: booking knows what this database has to learn again.
    confirm(&world, held, PAYMENT).await?;
    until_taken_in(&world).await?;
    seen_gone(&world, &order, PAYMENT, "rfnd_AAAAAAAAAAAAAA").await?;
    world.until(held, "RefundDiscovered").await?;
    world.until_number(UNFOLDED, 0).await?;
    taken_in_again(&world).await?;
    assert_eq!(world.count(held, "PaymentVerified").await?, 0);
    assert_eq!((world.number(COUNT).await?, world.number(TIMERS).await?), (0, 0));
    let failed = refund(PAYMENT, "rfnd_AAAAAAAAAAAAAA", "failed");
    send(&world, event("refund.failed", &[("refund", failed)], 2)).await?;
    comes_home(&world, held, PAYMENT).await
}

#[tokio::test]
async fn money_first_seen_refunded_gets_its_receipt_after_a_poll_returns_it() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (held, order) = ordered(&world).await?;
    // The order's payments cannot be fetched, and the bank refuses the refund.
    world.fault(json!({ "target": "orders.fetch.payments", "kind": "drop", "times": 0 })).await?;
    world.fault(json!({ "target": "refunds.process", "kind": "refuse" })).await?;
    let paid = world.pay(&order, json!({})).await?;
    let payment_id = paid["payment_id"].as_str().context("an id")?;
    confirm(&world, held, payment_id).await?;
    until_taken_in(&world).await?;
    let refund = world.refund_externally(payment_id, PRICE).await?;
    let refund_id = refund["id"].as_str().context("an id")?;
    testkit::until("the bank has refused it", async || {
        let refunds = world.provider_has("refunds").await?;
        Ok(refunds.iter().any(|it| it["status"] == "failed").then_some(()))
    })
    .await?;
    // A webhook of before is late.
    seen_gone(&world, &order, payment_id, refund_id).await?;
    comes_home(&world, held, payment_id).await
}

/// It counts now, and has one receipt, also after repeated reports.
async fn comes_home(world: &World, held: Held, payment_id: &str) -> Result<()> {
    world.until(held, "RefundFailed").await?;
    assert_eq!(world.count(held, "PaymentVerified").await?, 1);
    let Receipt { payment_id: of, refunded, .. } = receipt(world, held).await?;
    assert_eq!((of.as_str(), refunded), (payment_id, inr(0)));
    world.until_number(TIMERS, 0).await?;
    taken_in_again(world).await?;
    assert_eq!(world.number(COUNT).await?, 1);
    gapless(&world.store).await
}
