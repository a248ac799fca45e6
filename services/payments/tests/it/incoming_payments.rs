//! Incoming payments: by the checkout's answer, by webhook, by polling; early, late, or wrong.

use anyhow::{Context as _, Result};
use contract::payments::v1::CollectionState;
use serde_json::{Value, json};
use tonic::Code;

use crate::world::{Held, PRICE, World, assert_refused};

fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value[field].as_str().unwrap_or_default()
}

async fn answer_with(
    world: &World,
    held: Held,
    paid: &Value,
) -> Result<Result<CollectionState, tonic::Status>> {
    world.answer(held, text(paid, "payment_id"), text(paid, "signature")).await
}

#[tokio::test]
async fn a_signed_answer_makes_it_paid_at_once_and_everything_else_only_repeats_it() -> Result<()> {
    let world = World::new().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    let paid = world.pay(&order, json!({})).await?;
    assert_eq!(answer_with(&world, held, &paid).await??, CollectionState::Paid);
    assert_eq!(answer_with(&world, held, &paid).await??, CollectionState::Paid);
    assert_eq!(world.check(held).await??, CollectionState::Paid);
    world.until_quiet().await?;
    assert_eq!(world.count(held, "PaymentVerified").await?, 1);
    let verified = world.until(held, "PaymentVerified").await?;
    assert_eq!(verified.payload["paymentId"], paid["payment_id"]);
    assert_eq!(verified.payload["amount"]["minorUnits"], PRICE.to_string());
    let polling = "select count(*) from timers where kind = 'poll-order'";
    world.until_number(polling, 0).await?;
    Ok(())
}

/// Browsers inside other apps: the checkout posts a form, and no token comes with it.
#[tokio::test]
async fn a_returned_form_makes_it_paid_by_its_signature_alone() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (held, other) = (world.held().await?, world.held().await?);
    let order = world.start(held).await?.order_id;
    world.start(other).await?;
    world.fault(json!({ "target": "orders.fetch", "kind": "status", "times": 0 })).await?;
    let paid = world.pay(&order, json!({})).await?;
    let url = world.webhook_url.replace("/webhooks/razorpay", "/pay/return");
    let (payment, signature) = (text(&paid, "payment_id"), text(&paid, "signature"));
    let posted = async |booking: String, signature: &str| {
        let form = format!(
            "razorpay_payment_id={payment}&razorpay_order_id={order}&razorpay_signature={signature}"
        );
        let post = world.http.post(format!("{url}?b={booking}")).body(form);
        anyhow::Ok(post.send().await?.status().as_u16())
    };
    let before = (world.names(held).await?, world.names(other).await?);
    assert_eq!(posted(other.id.to_string(), signature).await?, 400, "genuine, of another order");
    assert_eq!(posted(held.id.to_string(), &"0".repeat(64)).await?, 400, "forged");
    assert_eq!(posted("bkg_0".to_owned(), signature).await?, 400, "no booking");
    let failed = world.http.post(format!("{url}?b={}", held.id));
    let failed = failed.body("error%5Bcode%5D=BAD_REQUEST_ERROR").send().await?;
    assert_eq!(failed.status().as_u16(), 204);
    assert_eq!((world.names(held).await?, world.names(other).await?), before);
    for _ in 0..2 {
        assert_eq!(posted(held.id.to_string(), signature).await?, 200);
    }
    assert_eq!(world.count(held, "PaymentVerified").await?, 1);
    Ok(())
}

#[tokio::test]
async fn a_webhook_alone_is_enough() -> Result<()> {
    let world = World::new().await?;
    let held = world.held().await?;
    world.fault(json!({ "target": "orders.fetch", "kind": "status", "times": 0 })).await?;
    let order = world.start(held).await?.order_id;
    world.pay(&order, json!({})).await?;
    world.until(held, "PaymentVerified").await?;
    world.until_quiet().await?;
    let events = world.events(held).await?;
    let sources = events.iter().filter_map(|event| event.payload.get("source"));
    assert!(sources.clone().count() > 0);
    assert!(sources.into_iter().all(|source| source == "webhook"));
    Ok(())
}

#[tokio::test]
async fn asking_alone_is_enough() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    // The first question fails; the polling goes on all the same.
    world.fault(json!({ "target": "orders.fetch.payments", "kind": "status" })).await?;
    world.pay(&order, json!({})).await?;
    world.until(held, "PaymentVerified").await?;
    Ok(())
}

/// The provider lists ten payments of an order unless more are requested.
#[tokio::test]
async fn money_behind_more_attempts_than_a_page_has_is_found_by_asking_alone() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    for _ in 0..12 {
        world.pay(&order, json!({ "outcome": "failed" })).await?;
    }
    world.pay(&order, json!({})).await?;
    world.until(held, "PaymentVerified").await?;
    Ok(())
}

#[tokio::test]
async fn a_forged_answer_is_refused_and_changes_nothing() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (held, other) = (world.held().await?, world.held().await?);
    let order = world.start(held).await?.order_id;
    let others_order = world.start(other).await?.order_id;
    let paid = world.pay(&others_order, json!({})).await?;
    let before = world.names(held).await?;
    // Genuine, but of another order.
    let answer = answer_with(&world, held, &paid).await?;
    assert_refused(answer, Code::PermissionDenied, "SIGNATURE_INVALID");
    for signature in ["", "zz", &"0".repeat(64)] {
        let answer = world.answer(held, "pay_AAAAAAAAAAAAAA", signature).await?;
        assert_refused(answer, Code::PermissionDenied, "SIGNATURE_INVALID");
    }
    for payment_id in ["", "pay_1", "order_AAAAAAAAAAAAAA", "pay_AAAAAAAAAAAAA|"] {
        let answer = world.answer(held, payment_id, text(&paid, "signature")).await?;
        assert_refused(answer, Code::InvalidArgument, "INVALID_PAYMENT_ID");
    }
    assert_eq!(world.names(held).await?, before);
    assert_ne!(order, others_order);
    Ok(())
}

#[tokio::test]
async fn an_answer_before_the_money_only_hurries_the_questions() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    let authorized = world.pay(&order, json!({ "outcome": "authorized" })).await?;
    world.fault(json!({ "target": "payments.fetch.one", "kind": "drop" })).await?;
    assert_eq!(answer_with(&world, held, &authorized).await??, CollectionState::Pending);
    assert_eq!(answer_with(&world, held, &authorized).await??, CollectionState::Pending);
    assert_eq!(world.count(held, "PaymentVerified").await?, 0);
    let path = format!("/v1/payments/{}/capture", text(&authorized, "payment_id"));
    world.tell(&path, &json!({ "amount": PRICE, "currency": "INR" })).await?;
    world.until(held, "PaymentVerified").await?;
    Ok(())
}

#[tokio::test]
async fn a_claim_is_recorded_and_never_makes_it_paid() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    assert_refused(world.claim(held).await?, Code::NotFound, "BOOKING_NOT_FOUND");
    let order = world.start(held).await?.order_id;
    assert_eq!(world.claim(held).await??, CollectionState::Pending);
    assert_eq!(world.claim(held).await??, CollectionState::Pending);
    assert_eq!(world.names(held).await?, ["CollectionOpened", "OrderCreated", "PaymentClaimed"]);
    world.pay(&order, json!({})).await?;
    assert_eq!(world.claim(held).await??, CollectionState::Paid);
    Ok(())
}

#[tokio::test]
async fn a_check_says_when_the_provider_does_not_answer() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    world.fault(json!({ "target": "orders.fetch", "kind": "drop", "times": 0 })).await?;
    assert_refused(world.check(held).await?, Code::Unavailable, "PROVIDER_UNAVAILABLE");
    // A claim is recorded all the same.
    assert_eq!(world.claim(held).await??, CollectionState::Pending);
    world.clear_faults().await?;
    assert_eq!(world.check(held).await??, CollectionState::Pending);
    world.pay(&order, json!({})).await?;
    assert_eq!(world.check(held).await??, CollectionState::Paid);
    Ok(())
}

#[tokio::test]
async fn a_failed_attempt_is_reported_once_and_another_one_succeeds() -> Result<()> {
    let world = World::new().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    let failed = world.pay(&order, json!({ "outcome": "failed" })).await?;
    assert_eq!(world.check(held).await??, CollectionState::Failed);
    world.until_quiet().await?;
    assert_eq!(world.count(held, "PaymentFailed").await?, 1);
    let paid = world.pay(&order, json!({})).await?;
    assert_eq!(world.check(held).await??, CollectionState::Paid);
    world.until_quiet().await?;
    let verified = world.until(held, "PaymentVerified").await?;
    assert_eq!(verified.payload["paymentId"], paid["payment_id"]);
    assert_ne!(failed["payment_id"], paid["payment_id"]);
    assert_eq!(world.count(held, "PaymentFailed").await?, 1);
    Ok(())
}

#[tokio::test]
async fn a_failure_that_turns_out_to_be_money_counts() -> Result<()> {
    let world = World::new().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    let paid = world.pay_late(&order).await?;
    world.until(held, "PaymentFailed").await?;
    world.agree_late(&paid).await?;
    let verified = world.until(held, "PaymentVerified").await?;
    assert_eq!(verified.payload["paymentId"], paid["payment_id"]);
    Ok(())
}

#[tokio::test]
async fn webhooks_out_of_order_and_twice_lead_to_the_same_end() -> Result<()> {
    let world = World::new().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    for fault in [
        json!({ "target": "webhook.payment.authorized", "kind": "reorder" }),
        json!({ "target": "webhook.payment.captured", "kind": "duplicate" }),
        json!({ "target": "webhook.order.paid", "kind": "timeout_after_success" }),
    ] {
        world.fault(fault).await?;
    }
    world.pay(&order, json!({})).await?;
    world.until(held, "PaymentVerified").await?;
    world.until_quiet().await?;
    assert_eq!(world.count(held, "PaymentVerified").await?, 1);
    assert_eq!(world.count(held, "RefundRequested").await?, 0);
    Ok(())
}

#[tokio::test]
async fn two_captured_payments_are_one_booking_and_one_refund() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    let wanted = json!({ "outcome": "authorized" });
    let first = world.pay(&order, wanted).await?;
    let again = json!({ "outcome": "authorized", "again": true });
    let second = world.pay(&order, again).await?;
    for payment in [&first, &second] {
        let path = format!("/v1/payments/{}/capture", text(payment, "payment_id"));
        world.tell(&path, &json!({ "amount": PRICE, "currency": "INR" })).await?;
    }
    assert_eq!(world.check(held).await??, CollectionState::Paid);
    let processed = world.until(held, "RefundProcessed").await?;
    assert_eq!(world.count(held, "PaymentVerified").await?, 1);
    let mismatched = world.until(held, "PaymentMismatched").await?;
    assert_eq!(mismatched.payload["reason"], "double");
    let requested = world.until(held, "RefundRequested").await?;
    assert_eq!(requested.payload["cause"], "double");
    assert_eq!(requested.payload["refundId"], processed.payload["refundId"]);
    let refunds = world.provider_has("refunds").await?;
    assert_eq!(refunds.len(), 1);
    assert_eq!(refunds[0]["payment_id"], mismatched.payload["paymentId"]);
    assert_eq!(world.check(held).await??, CollectionState::Paid);
    Ok(())
}

#[tokio::test]
async fn a_wrong_amount_is_not_taken_for_payment_and_goes_back() -> Result<()> {
    let world = World::new().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    let paid = world.pay(&order, json!({ "amount": PRICE - 10_000 })).await?;
    let state = answer_with(&world, held, &paid).await??;
    assert!(matches!(state, CollectionState::Mismatched | CollectionState::Refunded), "{state:?}");
    world.until(held, "RefundProcessed").await?;
    world.until_quiet().await?;
    assert_eq!(world.count(held, "PaymentVerified").await?, 0);
    let requested = world.until(held, "RefundRequested").await?;
    assert_eq!(requested.payload["cause"], "mismatched");
    let refunds = world.provider_has("refunds").await?;
    let refund = refunds.first().context("a refund")?;
    assert_eq!((refunds.len(), refund["amount"].as_i64()), (1, Some(PRICE - 10_000)));
    assert_eq!(world.check(held).await??, CollectionState::Refunded);
    Ok(())
}
