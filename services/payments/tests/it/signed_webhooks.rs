//! Builds and sends webhooks with the provider's signature.

use anyhow::{Result, ensure};
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Map, Value, json};
use sha2::Sha256;

use crate::world::{ACCOUNT, PRICE, WEBHOOK_SECRET, World};

pub(crate) const PAYMENT: &str = "pay_AAAAAAAAAAAAAA";

pub(crate) fn sign(secret: &str, body: &[u8]) -> Result<String> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes())?;
    mac.update(body);
    Ok(mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// A payment of an order as webhooks show it.
pub(crate) fn payment(order_id: &str, status: &str) -> Value {
    json!({
        "id": PAYMENT, "entity": "payment", "amount": PRICE, "currency": "INR",
        "status": status, "order_id": order_id, "notes": [], "captured": status == "captured",
    })
}

/// An event with these entities.
pub(crate) fn event(name: &str, parts: &[(&str, Value)], created_at: i64) -> Vec<u8> {
    let contains: Vec<&str> = parts.iter().map(|(part, _)| *part).collect();
    let entities = parts.iter().map(|(part, it)| ((*part).to_owned(), json!({ "entity": it })));
    let event = json!({
        "entity": "event", "account_id": ACCOUNT, "event": name, "contains": contains,
        "payload": Value::Object(entities.collect::<Map<_, _>>()), "created_at": created_at,
    });
    event.to_string().into_bytes()
}

/// What the provider would send of a captured payment.
pub(crate) fn captured(order_id: &str, created_at: i64) -> Vec<u8> {
    let parts = [("payment", payment(order_id, "captured"))];
    event("payment.captured", &parts, created_at)
}

pub(crate) async fn post(
    world: &World,
    body: Vec<u8>,
    signature: &str,
    event_id: &str,
) -> Result<u16> {
    let request = world
        .http
        .post(&world.webhook_url)
        .header("x-razorpay-signature", signature)
        .header("x-razorpay-event-id", event_id)
        .body(body);
    Ok(request.send().await?.status().as_u16())
}

/// Sends a webhook with a good signature, which has to be taken.
pub(crate) async fn send(world: &World, body: Vec<u8>) -> Result<()> {
    let signature = sign(WEBHOOK_SECRET, &body)?;
    let status = post(world, body, &signature, "").await?;
    ensure!(status == 200, "it is taken: {status}");
    Ok(())
}

/// The provider's webhook of a dispute, signed, with what it has deducted.
pub(crate) async fn tell_dispute(
    world: &World,
    (id, payment): (&str, &str),
    (state, deducted): (&str, i64),
    at: i64,
) -> Result<()> {
    let entity = json!({
        "id": id, "entity": "dispute", "payment_id": payment, "amount": PRICE,
        "currency": "INR", "amount_deducted": deducted, "respond_by": 1_900_000_000,
        "status": state, "phase": "chargeback", "reason_code": "fraud",
    });
    send(world, event(&format!("payment.dispute.{state}"), &[("dispute", entity)], at)).await
}
