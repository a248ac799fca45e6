//! Valid payments of another amount than their order's: the provider added a fee or subtracted an
//! offer. The provider's state of the order decides, and price, fee and discount are posted
//! separately.

use anyhow::Result;
use contract::booking::v1::{BookingCancelled, CancelledBy};
use contract::payments::v1::CollectionState;
use kernel::Money;
use payments::app::reconciliation_exceptions::list;
use serde_json::{Value, json};

use crate::ledger::{
    assert_left, build_app, complete, confirm, follows, left, ordered, settle, text, unplace,
};
use crate::receipts::{happens, receipt};
use crate::world::{Held, PRICE, World};

/// Two percent.
const ADDED: i64 = PRICE / 50;
/// Ten percent.
const OFF: i64 = PRICE / 10;

async fn switch(world: &World, switches: Value) -> Result<()> {
    world.tell("/api/switches", &switches).await.map(drop)
}

/// A booking that is paid with what the account's switches make of the price, and stands.
async fn paid(world: &World, amount: i64) -> Result<(Held, String)> {
    let (held, order) = ordered(world).await?;
    let paid = world.pay(&order, json!({})).await?;
    assert_eq!(paid.pointer("/payment/amount"), Some(&json!(amount)));
    let verified = world.until(held, "PaymentVerified").await?;
    let told = verified.payload.pointer("/amount/minorUnits");
    assert_eq!(told, Some(&json!(amount.to_string())));
    let payment_id = text(&paid, "payment_id")?.to_owned();
    confirm(world, held, &payment_id).await?;
    assert_eq!(world.check(held).await??, CollectionState::Paid);
    Ok((held, payment_id))
}

async fn cancel(world: &World, held: Held) -> Result<()> {
    let cancelled = BookingCancelled {
        booking_id: held.id.to_string(),
        cancelled_by: CancelledBy::Customer.into(),
        refund: Some(Money::inr(PRICE).into()),
        ..BookingCancelled::default()
    };
    happens(world, cancelled).await
}

async fn refunded(world: &World) -> Result<Vec<i64>> {
    let refunds = world.provider_has("refunds").await?;
    Ok(refunds.iter().filter_map(|refund| refund["amount"].as_i64()).collect())
}

#[tokio::test]
async fn a_fee_that_the_provider_adds_is_taken_and_stays_with_it() -> Result<()> {
    let world = World::new().await?;
    switch(&world, json!({ "convenience_fee_percent": 2 })).await?;
    let (held, _payment) = paid(&world, PRICE + ADDED).await?;
    assert_eq!(receipt(&world, held).await?.amount, Some(Money::inr(PRICE).into()));
    world.until_quiet().await?;
    let waits = [
        ("provider_clearing", PRICE + ADDED),
        ("customer_advance", -PRICE),
        ("convenience_fee", -ADDED),
    ];
    assert_left(&world, waits).await?;
    complete(&world, held).await?;
    world.until(held, "PaymentEarned").await?;
    settle(&world).await?;
    let sums = left(&world).await?;
    assert_eq!((sums["bank"], sums["revenue"]), (PRICE, -PRICE));
    assert_eq!((sums["convenience_fee"], sums["gateway_fee"] + sums["gst_input"]), (-ADDED, ADDED));
    assert_eq!(sums.get("provider_clearing"), None);
    assert_eq!(list(&build_app(&world)?, true).await?, []);
    follows(&world, held).await
}

#[tokio::test]
async fn a_full_refund_is_what_was_paid_less_the_fee() -> Result<()> {
    let world = World::new().await?;
    switch(&world, json!({ "convenience_fee_percent": 2 })).await?;
    let (held, _payment) = paid(&world, PRICE + ADDED).await?;
    cancel(&world, held).await?;
    world.until(held, "RefundProcessed").await?;
    world.until_quiet().await?;
    assert_eq!(refunded(&world).await?, [PRICE]);
    assert_eq!(world.check(held).await??, CollectionState::Refunded);
    assert_eq!(world.count(held, "PaymentRetained").await?, 0, "the fee is no revenue");
    assert_left(&world, [("provider_clearing", ADDED), ("convenience_fee", -ADDED)]).await?;
    // An external refund returns the fee, too.
    let (late, payment) = paid(&world, PRICE + ADDED).await?;
    unplace(&world, late, &payment).await?;
    world.until(late, "RefundProcessed").await?;
    world.refund_externally(&payment, ADDED).await?;
    world
        .until_number(
            "select count(*) from refunds where cause = 'elsewhere' and state = 'processed'",
            1,
        )
        .await?;
    world.until_quiet().await?;
    assert_left(&world, [("provider_clearing", ADDED), ("convenience_fee", -ADDED)]).await?;
    follows(&world, held).await?;
    follows(&world, late).await
}

#[tokio::test]
async fn an_offer_is_a_discount_of_the_price() -> Result<()> {
    let world = World::new().await?;
    switch(&world, json!({ "offer_percent": 10 })).await?;
    let (held, _payment) = paid(&world, PRICE - OFF).await?;
    assert_eq!(receipt(&world, held).await?.amount, Some(Money::inr(PRICE - OFF).into()));
    world.until_quiet().await?;
    let rest = PRICE - OFF;
    assert_left(&world, [("provider_clearing", rest), ("customer_advance", -rest)]).await?;
    complete(&world, held).await?;
    world.until(held, "PaymentEarned").await?;
    let earned = [("provider_clearing", rest), ("discount", OFF), ("revenue", -PRICE)];
    assert_left(&world, earned).await?;
    follows(&world, held).await?;
    let (held, _payment) = paid(&world, PRICE - OFF).await?;
    cancel(&world, held).await?;
    world.until(held, "RefundProcessed").await?;
    assert_eq!(refunded(&world).await?, [rest]);
    follows(&world, held).await
}

#[tokio::test]
async fn without_the_providers_word_such_money_waits_and_is_not_sent_back() -> Result<()> {
    let world = World::new().await?;
    switch(&world, json!({ "convenience_fee_percent": 2 })).await?;
    world.fault(json!({ "target": "orders.fetch.one", "kind": "drop", "times": 2 })).await?;
    let (held, order) = ordered(&world).await?;
    world.pay(&order, json!({})).await?;
    world.until(held, "PaymentObserved").await?;
    let state = world.check(held).await??;
    assert_eq!(state, CollectionState::Pending);
    world.until(held, "PaymentVerified").await?;
    assert_eq!(world.count(held, "PaymentMismatched").await?, 0);
    assert!(refunded(&world).await?.is_empty());
    let asked = world.until(held, "OrderObserved").await?;
    assert_eq!(asked.payload["paidInFull"], true);
    assert_eq!(asked.payload["provider"], "razorpay");
    follows(&world, held).await
}

/// The provider did not capture it within a minute, so we do.
#[tokio::test]
async fn money_with_a_fee_or_an_offer_that_was_left_is_captured_by_us() -> Result<()> {
    for (switches, amount) in [
        (json!({ "convenience_fee_percent": 2 }), PRICE + ADDED),
        (json!({ "offer_percent": 10 }), PRICE - OFF),
    ] {
        let world = World::without_webhooks().await?;
        switch(&world, switches).await?;
        let (held, order) = ordered(&world).await?;
        world.pay(&order, json!({ "outcome": "authorized" })).await?;
        assert_eq!(world.check(held).await??, CollectionState::Pending);
        world.move_clock(90).await?;
        let verified = world.until(held, "PaymentVerified").await?;
        let told = verified.payload.pointer("/amount/minorUnits");
        assert_eq!(told, Some(&json!(amount.to_string())));
        world.until_quiet().await?;
        assert!(refunded(&world).await?.is_empty());
        follows(&world, held).await?;
    }
    Ok(())
}
