//! Refunds: created once per idempotency key, pending for a short time, then processed or failed.

use std::sync::PoisonError;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use serde_json::{Map, Value, json};

use crate::clock;
use crate::faults::Kind;
use crate::ids;
use crate::provider::errors::{Answer, ApiError};
use crate::provider::requests::{read_amount, read_json, reject_unknown_fields};
use crate::provider::{entities, notes, webhooks};
use crate::state::{AppState, SharedState};
use crate::store::rows::{Change, Delivery, Payment, PaymentStatus, Refund, RefundStatus};

/// In test mode a refund of this documented amount fails.
const FAILING_AMOUNT: i64 = 2_468;

pub(crate) async fn create(
    State(app): State<SharedState>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Answer {
    let given = read_json(&body)?;
    reject_unknown_fields(&given, &["amount", "speed", "notes", "receipt"])?;
    let key = read_key(&headers)?;
    check_balance(&app, key.as_deref())?;
    create_refund(&app, &id, &given, key)
}

/// Refuses a refund while a fault makes the account's balance low. A key that was refused stays
/// refused after the balance is enough again. The documentation does not say whether the provider
/// does that, so a website has to handle it.
fn check_balance(app: &AppState, key: Option<&str>) -> Result<(), ApiError> {
    let mut refused = app.refused_keys.lock().unwrap_or_else(PoisonError::into_inner);
    let is_low = app.faults.take("account.balance", &[Kind::Refuse]).is_some();
    if !is_low && !key.is_some_and(|key| refused.contains(key)) {
        return Ok(());
    }
    refused.extend(key.map(str::to_owned));
    Err(ApiError::bad(
        "Your account does not have enough balance to carry out the refund operation.",
    ))
}

/// Creates a refund as the provider's dashboard does: without a key and without a receipt.
pub(crate) fn from_dashboard(app: &SharedState, id: &str, amount: Option<i64>) -> Answer {
    create_refund(app, id, &json!({ "amount": amount }), None)
}

fn create_refund(app: &SharedState, id: &str, given: &Value, key: Option<String>) -> Answer {
    let asked = ids::fingerprint(format!("{id} {given}").as_bytes());
    let mut store = app.store();
    // It is not documented how long keys are kept, so a fault can ignore the key.
    let key = key.filter(|_| app.faults.take("account.idempotency", &[Kind::Drop]).is_none());
    if let Some(first) = key.as_deref().and_then(|key| store.refund_by_key(key)) {
        if first.asked == asked {
            return Ok(Json(entities::refund(first)));
        }
        let description = "Different request body sent for the same idempotency key";
        return Err(ApiError::conflict(description));
    }
    let mut payment = store.payments().get(id).cloned().ok_or_else(ApiError::unknown_id)?;
    let amount = refundable_amount(&payment, read_amount(given)?)?;
    let mut refund = refund_of(app, &payment, amount);
    refund.notes = notes::read(given.get("notes"))?;
    refund.receipt = given.get("receipt").and_then(Value::as_str).map(str::to_owned);
    refund.speed = given.get("speed").and_then(Value::as_str).unwrap_or("normal").to_owned();
    refund.key = key;
    refund.asked = asked;
    add_refund(&mut payment, &refund);
    let answer = entities::refund(&refund);
    let delivery = created_event(app, &refund, &payment);
    let refund_id = refund.id.clone();
    let mut changes = vec![Change::Payment(Box::new(payment)), Change::Refund(Box::new(refund))];
    let delivery_ids = delivery.iter().map(|delivery| delivery.id.clone()).collect();
    changes.extend(delivery.map(|delivery| Change::Delivery(Box::new(delivery))));
    store.commit(changes)?;
    webhooks::start(app, delivery_ids);
    tokio::spawn(process_when_due(app.clone(), refund_id));
    Ok(Json(answer))
}

pub(crate) async fn fetch(State(app): State<SharedState>, Path(id): Path<String>) -> Answer {
    let store = app.store();
    let refund = store.refunds().get(&id).ok_or_else(ApiError::unknown_id)?;
    Ok(Json(entities::refund(refund)))
}

pub(crate) async fn of_payment(State(app): State<SharedState>, Path(id): Path<String>) -> Answer {
    let store = app.store();
    let payment = store.payments().get(&id).ok_or_else(ApiError::unknown_id)?;
    let rows = payment.refunds.iter().rev().filter_map(|id| store.refunds().get(id));
    let items = rows.map(entities::refund).collect::<Vec<_>>();
    Ok(Json(entities::collection(&items)))
}

/// Refunds a whole payment that the provider does not keep. No request asks for it.
pub(crate) fn automatic_refund(app: &AppState, payment: &mut Payment) -> Refund {
    let refund = refund_of(app, payment, payment.amount);
    add_refund(payment, &refund);
    refund
}

/// The webhook for a new refund.
pub(crate) fn created_event(
    app: &AppState,
    refund: &Refund,
    payment: &Payment,
) -> Option<Delivery> {
    refund_event(app, "refund.created", refund, payment)
}

/// Waits until a refund is due, then sets it to processed or failed.
pub(crate) async fn process_when_due(app: SharedState, id: String) {
    let Some(due) = app.store().refunds().get(&id).map(|refund| refund.due_at_ms) else {
        return;
    };
    clock::wait_until(due).await;
    let fault = app.faults.take("refunds.process", &[Kind::Delay, Kind::Refuse]);
    if let Some(fault) = fault.as_ref().filter(|fault| fault.kind == Kind::Delay) {
        tokio::time::sleep(fault.pause(3_000)).await;
    }
    let refused = fault.is_some_and(|fault| fault.kind == Kind::Refuse);
    if finish(&app, &id, refused).is_err() {
        tracing::error!(refund = id, "the end of a refund could not be written");
    }
}

fn finish(app: &SharedState, id: &str, refused: bool) -> std::io::Result<()> {
    let mut store = app.store();
    let Some(mut refund) = store.refunds().get(id).cloned() else {
        return Ok(());
    };
    let Some(mut payment) = store.payments().get(&refund.payment_id).cloned() else {
        return Ok(());
    };
    if refund.status != RefundStatus::Pending {
        return Ok(());
    }
    // The refund of an uncaptured payment never fails.
    let event = if payment.captured && (refused || refund.amount == FAILING_AMOUNT) {
        refund.status = RefundStatus::Failed;
        payment.amount_refunded -= refund.amount;
        payment.status = PaymentStatus::Captured;
        "refund.failed"
    } else {
        refund.status = RefundStatus::Processed;
        "refund.processed"
    };
    let delivery = refund_event(app, event, &refund, &payment);
    let delivery_ids = delivery.iter().map(|delivery| delivery.id.clone()).collect();
    let mut changes = vec![Change::Payment(Box::new(payment)), Change::Refund(Box::new(refund))];
    changes.extend(delivery.map(|delivery| Change::Delivery(Box::new(delivery))));
    store.commit(changes)?;
    webhooks::start(app, delivery_ids);
    Ok(())
}

fn refund_event(
    app: &AppState,
    event: &str,
    refund: &Refund,
    payment: &Payment,
) -> Option<Delivery> {
    let parts = vec![("refund", entities::refund(refund)), ("payment", entities::payment(payment))];
    webhooks::envelope(app, event, parts)
}

fn refund_of(app: &AppState, payment: &Payment, amount: i64) -> Refund {
    let after = i64::try_from(app.timing.refund_after.as_millis()).unwrap_or(i64::MAX);
    Refund {
        id: ids::new_id("rfnd"),
        payment_id: payment.id.clone(),
        amount,
        currency: payment.currency.clone(),
        status: RefundStatus::Pending,
        receipt: None,
        speed: "normal".to_owned(),
        notes: Map::new(),
        created_at: clock::now_s(),
        key: None,
        asked: String::new(),
        due_at_ms: clock::now_ms().saturating_add(after),
        settlement: None,
    }
}

fn add_refund(payment: &mut Payment, refund: &Refund) {
    payment.amount_refunded += refund.amount;
    payment.refunds.push(refund.id.clone());
    if payment.amount_refunded >= payment.amount {
        payment.status = PaymentStatus::Refunded;
    }
}

fn refundable_amount(payment: &Payment, amount: Option<i64>) -> Result<i64, ApiError> {
    match payment.status {
        PaymentStatus::Captured => {}
        PaymentStatus::Refunded => {
            return Err(ApiError::bad("The payment has been fully refunded already"));
        }
        PaymentStatus::Created | PaymentStatus::Authorized | PaymentStatus::Failed => {
            return Err(ApiError::bad("The payment status should be captured for refund"));
        }
    }
    let left = payment.amount - payment.amount_refunded;
    let amount = amount.unwrap_or(left);
    if amount > left {
        let description = "The total refund amount is greater than the refund payment amount";
        return Err(ApiError::bad_field("amount", description));
    }
    Ok(amount)
}

fn read_key(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let Some(given) = headers.get("x-refund-idempotency") else {
        return Ok(None);
    };
    let key = given.to_str().unwrap_or_default();
    let fits = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    if !fits || key.len() < 10 {
        let description = "The idempotency key must have at least 10 letters, digits, - or _";
        return Err(ApiError::bad(description));
    }
    Ok(Some(key.to_owned()))
}
