//! Webhooks: their bytes are signed, and they are sent again with growing pauses until the receiver
//! answers 2xx in time. After a day of failures their address is switched off. Undelivered webhooks
//! are in the store and are sent after a restart.

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::clock;
use crate::faults::{Fault, Kind};
use crate::ids;
use crate::provider::entities::ACCOUNT_ID;
use crate::state::{AppState, SharedState};
use crate::store::rows::{Change, Delivery, DeliveryState};

/// The longest pause between two attempts.
const PAUSE_MAX: Duration = Duration::from_secs(60 * 60);
/// How long a reordered webhook waits for the next one before it is sent anyway.
const REORDER_TIMEOUT: Duration = Duration::from_secs(10);
const FAULTS: [Kind; 6] = [
    Kind::Delay,
    Kind::Drop,
    Kind::Status,
    Kind::TimeoutAfterSuccess,
    Kind::Duplicate,
    Kind::Reorder,
];

/// Builds the webhook of an event, to be written to the store together with its entities. Returns
/// none without an address, or while the address is switched off.
pub(crate) fn envelope<N: Into<String>>(
    app: &AppState,
    event: &str,
    parts: Vec<(N, Value)>,
) -> Option<Delivery> {
    app.account.webhook_url.as_ref()?;
    if app.switches.current().are_webhooks_off() {
        return None;
    }
    let parts: Vec<(String, Value)> =
        parts.into_iter().map(|(name, it)| (name.into(), it)).collect();
    let contains: Vec<&String> = parts.iter().map(|(name, _)| name).collect();
    let now = clock::now_ms();
    let mut body = json!({
        "entity": "event",
        "account_id": ACCOUNT_ID,
        "event": event,
        "contains": contains,
        "created_at": now / 1000,
    });
    if let Some(fields) = body.as_object_mut() {
        let payload: Map<String, Value> =
            parts.into_iter().map(|(name, it)| (name, json!({ "entity": it }))).collect();
        fields.insert("payload".to_owned(), Value::Object(payload));
    }
    Some(Delivery {
        id: ids::random_text(14),
        event: event.to_owned(),
        body: body.to_string(),
        state: DeliveryState::Waiting,
        attempts: 0,
        created_at_ms: now,
        next_at_ms: now,
    })
}

/// Sends the webhooks of one transaction one after the other. A failed one is retried separately.
pub(crate) fn start(app: &SharedState, ids: Vec<String>) {
    let app = app.clone();
    tokio::spawn(async move {
        for id in ids {
            first_attempt(&app, id).await;
        }
    });
}

async fn first_attempt(app: &SharedState, id: String) {
    let Some(delivery) = app.store().deliveries().get(&id).cloned() else {
        return;
    };
    let target = format!("webhook.{}", delivery.event);
    let Some(fault) = app.faults.take(&target, &FAULTS) else {
        if !send(app, &id, None).await {
            tokio::spawn(retry(app.clone(), id));
        }
        return;
    };
    // A delayed webhook must not delay the next ones.
    tokio::spawn(send_with_fault(app.clone(), id, fault));
}

/// Sends a webhook under an injected fault.
async fn send_with_fault(app: SharedState, id: String, fault: Fault) {
    let arrived = match fault.kind {
        Kind::Drop => {
            finish(&app, &id, DeliveryState::Dropped);
            return;
        }
        Kind::Reorder => {
            let mut others = app.arrived.subscribe();
            drop(tokio::time::timeout(fault.pause(0).max(REORDER_TIMEOUT), others.changed()).await);
            send(&app, &id, None).await
        }
        Kind::Duplicate => {
            let copy = app.store().deliveries().get(&id).cloned();
            if let (Some(copy), Some(url)) = (copy, &app.account.webhook_url) {
                post(&app, url, &copy).await;
            }
            send(&app, &id, None).await
        }
        // The receiver gets it, but its answer is lost, so it is sent again.
        Kind::TimeoutAfterSuccess => send(&app, &id, Some(Loss::Answer)).await,
        // The receiver never gets it, and it counts as refused.
        Kind::Status => send(&app, &id, Some(Loss::Request)).await,
        Kind::Delay
        | Kind::LateAuthorisation
        | Kind::Refuse
        | Kind::Greylist
        | Kind::Endless
        | Kind::Huge
        | Kind::Redirect
        | Kind::Hang
        | Kind::Empty => {
            tokio::time::sleep(fault.pause(1_000)).await;
            send(&app, &id, None).await
        }
    };
    if !arrived {
        retry(app, id).await;
    }
}

/// Sends a webhook again until it is delivered or the retry period is over.
pub(crate) async fn retry(app: SharedState, id: String) {
    loop {
        let Some(delivery) = app.store().deliveries().get(&id).cloned() else {
            return;
        };
        if delivery.state != DeliveryState::Waiting {
            return;
        }
        let age = u64::try_from(clock::now_ms() - delivery.created_at_ms).unwrap_or(0);
        if Duration::from_millis(age) > app.timing.webhook_retry_period {
            finish(&app, &id, DeliveryState::GivenUp);
            app.switches.switch_webhooks_off();
            tracing::warn!("webhooks failed for a day: their address is switched off");
            return;
        }
        clock::wait_until(delivery.next_at_ms).await;
        if send(&app, &id, None).await {
            return;
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Loss {
    Request,
    Answer,
}

/// Makes one attempt. Returns whether the delivery is finished.
async fn send(app: &SharedState, id: &str, loss: Option<Loss>) -> bool {
    let Some(delivery) = app.store().deliveries().get(id).cloned() else {
        return true;
    };
    let Some(url) = &app.account.webhook_url else {
        return true;
    };
    let answered = match loss {
        Some(Loss::Request) => false,
        Some(Loss::Answer) => {
            post(app, url, &delivery).await;
            false
        }
        None => post(app, url, &delivery).await,
    };
    if answered {
        finish(app, id, DeliveryState::Delivered);
        app.arrived.send_modify(|count| *count += 1);
        return true;
    }
    postpone(app, delivery);
    false
}

async fn post(app: &AppState, url: &str, delivery: &Delivery) -> bool {
    let signature = ids::sign(&app.account.webhook_secret, delivery.body.as_bytes());
    let request = app
        .http
        .post(url)
        .header("content-type", "application/json")
        .header("user-agent", "Razorpay-Webhook/v1")
        .header("x-razorpay-signature", signature)
        .header("x-razorpay-event-id", &delivery.id)
        .body(delivery.body.clone());
    matches!(request.send().await, Ok(answer) if answer.status().is_success())
}

fn postpone(app: &AppState, mut delivery: Delivery) {
    let doubled = 1_u32.checked_shl(delivery.attempts).unwrap_or(u32::MAX);
    let pause = app.timing.webhook_backoff.saturating_mul(doubled).min(PAUSE_MAX);
    delivery.attempts += 1;
    let pause = i64::try_from(pause.as_millis()).unwrap_or(i64::MAX);
    delivery.next_at_ms = clock::now_ms().saturating_add(pause);
    tracing::info!(event_id = delivery.id, attempts = delivery.attempts, "webhook not taken");
    write(app, delivery);
}

/// Finishes a delivery and removes its body. A finished delivery is not changed.
fn finish(app: &AppState, id: &str, state: DeliveryState) {
    let Some(mut delivery) = app.store().deliveries().get(id).cloned() else {
        return;
    };
    if delivery.state != DeliveryState::Waiting {
        return;
    }
    delivery.state = state;
    delivery.attempts += 1;
    delivery.body = String::new();
    write(app, delivery);
}

fn write(app: &AppState, delivery: Delivery) {
    let id = delivery.id.clone();
    if let Err(error) = app.commit(Change::Delivery(Box::new(delivery))) {
        tracing::error!(event_id = id, %error, "a webhook's state could not be written");
    }
}
