//! Acknowledgements as JSON: what a kept practice acknowledged holds in every later release.

use anyhow::{Context as _, Result, bail};
use checker::snapshot::Ack;
use serde_json::{Value, json};

/// An acknowledgement as JSON; none for webhooks, which a later run reads from the sandbox.
#[must_use]
pub fn to_json(ack: &Ack) -> Option<Value> {
    let named = |kind: &str, id: String| Some(json!({ "kind": kind, "id": id }));
    match ack {
        Ack::Requested(id) => named("requested", id.to_string()),
        Ack::CheckoutOpened(id) => named("checkout_opened", id.to_string()),
        Ack::Released(id) => named("released", id.to_string()),
        Ack::OrderStarted { booking_id, order_id } => {
            let id = booking_id.to_string();
            Some(json!({ "kind": "order_started", "id": id, "order": order_id }))
        }
        Ack::LinkStarted { booking_id, link_id } => {
            let id = booking_id.to_string();
            Some(json!({ "kind": "link_started", "id": id, "link": link_id }))
        }
        Ack::Claimed(id) => named("claimed", id.to_string()),
        Ack::Cancelled(id) => named("cancelled", id.to_string()),
        Ack::ClaimAccepted(id) => named("claim_accepted", id.to_string()),
        Ack::Blocked(id) => named("blocked", id.to_string()),
        Ack::Unblocked(id) => named("unblocked", id.to_string()),
        Ack::RefundRequested(id) => named("refund_requested", id.to_string()),
        Ack::Reviewed(id) => named("reviewed", id.to_string()),
        Ack::Messaged(key) => named("messaged", key.clone()),
        Ack::GuideRequested(key) => named("guide_requested", key.clone()),
        Ack::Event(id) => named("event", id.to_string()),
        Ack::Webhook { .. } => None,
    }
}

/// The acknowledgement that `to_json` wrote.
///
/// When its kind is unknown or its id is invalid.
pub fn from_json(value: &Value) -> Result<Ack> {
    let text = |name: &str| value.get(name).and_then(Value::as_str).context("no such field");
    let id = text("id")?;
    Ok(match text("kind")? {
        "requested" => Ack::Requested(id.parse()?),
        "checkout_opened" => Ack::CheckoutOpened(id.parse()?),
        "released" => Ack::Released(id.parse()?),
        "order_started" => {
            let order_id = text("order")?.to_owned();
            Ack::OrderStarted { booking_id: id.parse()?, order_id }
        }
        "link_started" => {
            let link_id = text("link")?.to_owned();
            Ack::LinkStarted { booking_id: id.parse()?, link_id }
        }
        "claimed" => Ack::Claimed(id.parse()?),
        "cancelled" => Ack::Cancelled(id.parse()?),
        "claim_accepted" => Ack::ClaimAccepted(id.parse()?),
        "blocked" => Ack::Blocked(id.parse()?),
        "unblocked" => Ack::Unblocked(id.parse()?),
        "refund_requested" => Ack::RefundRequested(id.parse()?),
        "reviewed" => Ack::Reviewed(id.parse()?),
        "messaged" => Ack::Messaged(id.to_owned()),
        "guide_requested" => Ack::GuideRequested(id.to_owned()),
        "event" => Ack::Event(id.parse()?),
        other => bail!("{other} is no kind of acknowledgement"),
    })
}
