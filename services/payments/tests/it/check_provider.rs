//! What `CheckProvider` reports about the provider and a payment: each way in which a set-up can be
//! wrong.

use anyhow::{Context as _, Result};
use contract::payments::v1::{CheckProviderRequest, CheckProviderResponse, CheckedPayment};
use eventstore::new_id;
use kernel::Id;
use kernel::id::{Booking, Customer};
use serde_json::json;
use tonic::{Code, Status};

use crate::ledger::{complete, confirmed, ordered, text};
use crate::receipts::{inr, receipt};
use crate::signed_webhooks::{captured, post, send};
use crate::world::{PRICE, World, assert_refused};

async fn check(
    world: &World,
    person: Id<Customer>,
    booking_id: &str,
) -> Result<Result<CheckProviderResponse, Status>> {
    let asked = CheckProviderRequest { booking_id: booking_id.to_owned() };
    let answer = world.staff.clone().check_provider(world.request(person, asked)?).await;
    Ok(answer.map(tonic::Response::into_inner))
}

async fn payment(world: &World, booking_id: &str) -> Result<CheckedPayment> {
    let owner = world.employ("owner");
    check(world, owner, booking_id).await??.payment.context("no payment")
}

#[tokio::test]
async fn before_anything_is_sold_keys_and_webhooks_show() -> Result<()> {
    let world = World::without_webhooks().await?;
    let owner = world.employ("owner");
    let fresh = check(&world, owner, "").await??;
    assert_eq!((fresh.provider.as_str(), fresh.is_test_mode), ("razorpay", true));
    assert_eq!((fresh.keys_problem.as_str(), fresh.payment), ("", None));
    assert_eq!((fresh.last_webhook_at, fresh.refused_webhooks), (None, 0));
    let refused = json!({ "target": "payments.fetch.list", "kind": "status", "status": 401 });
    world.fault(refused).await?;
    assert!(check(&world, owner, "").await??.keys_problem.contains("401"));
    // One that is signed with another secret, and one that is right.
    let (_, order) = ordered(&world).await?;
    let body = captured(&order, 1);
    assert_eq!(post(&world, body.clone(), "00", "").await?, 400);
    send(&world, body).await?;
    let then = check(&world, owner, "").await??;
    assert!(then.last_webhook_at.is_some());
    assert_eq!(then.refused_webhooks, 1);
    Ok(())
}

#[tokio::test]
async fn a_payment_shows_how_it_was_reported_captured_and_refunded() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (held, payment_id) = confirmed(&world).await?;
    receipt(&world, held).await?;
    let seen = payment(&world, "").await?;
    let wanted = CheckedPayment {
        booking_id: held.id.to_string(),
        payment_id: payment_id.clone(),
        amount: inr(PRICE),
        has_webhook: false,
        is_captured_by_itself: true,
        refunded: inr(0),
        refunding: inr(0),
    };
    assert_eq!(seen, wanted);
    world.refund_externally(&payment_id, PRICE).await?;
    complete(&world, held).await?;
    world.move_clock(7 * 24 * 3600).await?;
    world.until(held, "RefundProcessed").await?;
    assert_eq!(payment(&world, "").await?.refunded, inr(PRICE));
    Ok(())
}

#[tokio::test]
async fn a_payment_that_we_had_to_capture_says_so() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (held, order) = ordered(&world).await?;
    let paid = world.pay(&order, json!({ "begun_minutes_ago": 73 * 60 })).await?;
    assert_eq!(text(&paid["payment"], "status")?, "authorized");
    world.check(held).await??;
    world.move_clock(120).await?;
    world.until(held, "PaymentVerified").await?;
    let seen = payment(&world, &held.id.to_string()).await?;
    assert!(!seen.is_captured_by_itself, "{seen:?}");
    Ok(())
}

#[tokio::test]
async fn only_managers_ask_and_only_about_a_booking_that_is_there() -> Result<()> {
    let world = World::without_webhooks().await?;
    let refused = check(&world, new_id(), "").await?;
    assert_refused(refused, Code::PermissionDenied, "STAFF_ONLY");
    let owner = world.employ("owner");
    for unknown in [new_id::<Booking>().to_string(), "bkg_1".to_owned()] {
        let refused = check(&world, owner, &unknown).await?;
        assert_refused(refused, Code::NotFound, "BOOKING_NOT_FOUND");
    }
    Ok(())
}
