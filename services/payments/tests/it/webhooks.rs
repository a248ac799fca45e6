//! The port for webhooks: what is let in, what is not, and what a repeat does.

use anyhow::{Context as _, Result};
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::world::{PRICE, WEBHOOK_SECRET, WEBHOOK_SECRET_BEFORE, World};

const INBOX: &str = "select count(*) from webhook_inbox";

fn sign(secret: &str, body: &[u8]) -> Result<String> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes())?;
    mac.update(body);
    Ok(mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// What the provider would send of a captured payment.
fn captured(order_id: &str, created_at: i64) -> Vec<u8> {
    let payment = json!({
        "id": "pay_AAAAAAAAAAAAAA", "entity": "payment", "amount": PRICE, "currency": "INR",
        "status": "captured", "order_id": order_id, "notes": [], "captured": true,
    });
    let event = json!({
        "entity": "event", "event": "payment.captured", "contains": ["payment"],
        "payload": { "payment": { "entity": payment } }, "created_at": created_at,
    });
    event.to_string().into_bytes()
}

async fn post(world: &World, body: Vec<u8>, signature: &str, event_id: &str) -> Result<u16> {
    let request = world
        .http
        .post(&world.webhook_url)
        .header("x-razorpay-signature", signature)
        .header("x-razorpay-event-id", event_id)
        .body(body);
    Ok(request.send().await?.status().as_u16())
}

#[tokio::test]
async fn only_what_the_provider_signed_is_let_in() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    let body = captured(&order, 1);
    let good = sign(WEBHOOK_SECRET, &body)?;
    let mut altered = body.clone();
    *altered.last_mut().context("a body")? = b' ';
    assert_eq!(post(&world, altered, &good, "evt_1").await?, 400);
    assert_eq!(post(&world, body.clone(), "", "evt_1").await?, 400);
    assert_eq!(post(&world, body.clone(), &"0".repeat(64), "evt_1").await?, 400);
    let other_key = sign("demo-key-secret", &body)?;
    assert_eq!(post(&world, body.clone(), &other_key, "evt_1").await?, 400);
    let huge = vec![b' '; 1024 * 1024 + 1];
    let huge_good = sign(WEBHOOK_SECRET, &huge)?;
    assert_eq!(post(&world, huge, &huge_good, "evt_1").await?, 413);
    assert_eq!(world.number(INBOX).await?, 0);
    assert_eq!(world.names(held).await?, ["CollectionOpened", "OrderCreated"]);

    let before = sign(WEBHOOK_SECRET_BEFORE, &body)?;
    assert_eq!(post(&world, body, &before, "evt_1").await?, 200, "the secret was changed");
    world.until(held, "PaymentVerified").await?;
    Ok(())
}

#[tokio::test]
async fn a_replay_under_another_id_is_harmless() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    let body = captured(&order, 1);
    let good = sign(WEBHOOK_SECRET, &body)?;
    for event_id in ["evt_1", "evt_1", "evt_2", "evt_3"] {
        assert_eq!(post(&world, body.clone(), &good, event_id).await?, 200);
    }
    let later = captured(&order, 2);
    let good = sign(WEBHOOK_SECRET, &later)?;
    assert_eq!(post(&world, later, &good, "evt_1").await?, 200, "an id that was used before");
    let without_id = captured(&order, 3);
    let good = sign(WEBHOOK_SECRET, &without_id)?;
    assert_eq!(post(&world, without_id, &good, "").await?, 200);
    world.until_quiet().await?;
    assert_eq!(world.number(INBOX).await?, 2);
    assert_eq!(
        world.names(held).await?,
        ["CollectionOpened", "OrderCreated", "PaymentObserved", "PaymentVerified"]
    );
    Ok(())
}

#[tokio::test]
async fn what_we_do_not_know_is_taken_and_means_nothing() -> Result<()> {
    let world = World::without_webhooks().await?;
    let unheard_of = json!({
        "id": "pay_AAAAAAAAAAAAAA", "amount": 1, "currency": "INR", "status": "pending",
    });
    let payload = json!({ "payment": { "entity": unheard_of } });
    let bodies: [Value; 3] = [
        json!({ "event": "settlement.processed", "payload": { "settlement": {} } }),
        json!({ "event": "payment.pending", "payload": payload }),
        json!(null),
    ];
    for body in bodies {
        let body = body.to_string().into_bytes();
        let good = sign(WEBHOOK_SECRET, &body)?;
        assert_eq!(post(&world, body, &good, "").await?, 200);
    }
    world.until_quiet().await?;
    assert_eq!(world.number(INBOX).await?, 3);
    Ok(())
}

#[tokio::test]
async fn what_is_told_of_an_order_before_we_know_it_is_kept_until_we_do() -> Result<()> {
    let world = World::new().await?;
    let held = world.held().await?;
    let lost = json!({ "target": "orders.create", "kind": "timeout_after_success", "delay_ms": 1 });
    world.fault(lost).await?;
    world.fault(json!({ "target": "orders.fetch.list", "kind": "status" })).await?;
    assert!(world.try_start(held).await?.is_err());
    let orders = world.provider_has("orders").await?;
    let order = orders[0]["id"].as_str().context("an id")?;
    world.pay(order, json!({})).await?;
    let waiting = "select count(*) from webhook_inbox where waits_for_order_id is not null";
    world.until_number(waiting, 3).await?;
    assert_eq!(world.names(held).await?, ["CollectionOpened"]);
    world.fault(json!({ "target": "orders.fetch.payments", "kind": "drop", "times": 0 })).await?;
    assert_eq!(world.start(held).await?.order_id, order);
    world.until(held, "PaymentVerified").await?;
    world.until_quiet().await?;
    assert_eq!(world.number(waiting).await?, 0);
    Ok(())
}

#[tokio::test]
async fn the_port_says_whether_it_is_well() -> Result<()> {
    let world = World::without_webhooks().await?;
    let url = world.webhook_url.replace("/webhooks/razorpay", "/healthz");
    assert_eq!(world.http.get(&url).send().await?.status(), 200);
    Ok(())
}
