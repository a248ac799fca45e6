//! Controls for tests and demos: injected faults, payments without a browser, and the whole store
//! as JSON. No third party has such an API.

mod body;
mod disputes;
mod settlements;
mod switches;
mod events;
mod links;

use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use body::{Body, unreadable};

use crate::faults::Fault;
use crate::provider::bank::{self, Attempt, Outcome, failures, transaction};
use crate::provider::errors::{Answer, ApiError};
use crate::provider::{self, entities};
use crate::state::SharedState;
use crate::store::rows::{self, DeliveryState, Method, Settlement};

pub(crate) fn routes() -> Router<SharedState> {
    Router::new()
        .route("/api/faults", post(add_fault).get(list_faults).delete(clear_faults))
        .route("/api/pay", post(pay))
        .route("/api/late", post(agree_late))
        .route("/api/switches", get(switches::show).post(switches::set))
        .route("/api/link", post(links::change))
        .route("/api/refund", post(settlements::refund))
        .route("/api/give-back", post(settlements::give_back))
        .route("/api/dispute", post(disputes::open))
        .route("/api/dispute-state", post(disputes::change_status))
        .route("/api/settle", post(settlements::settle))
        .route("/api/event", post(events::send))
        .route("/api/adjustment", post(settlements::adjust))
        .route("/api/settlement-line", post(settlements::change_line))
        .route("/api/book", get(store_contents))
        .route("/api/checkouts", get(list_openings))
        .route("/api/beacons", get(list_beacons))
        .route("/healthz", get(|| async { "ok\n" }))
}

async fn add_fault(State(app): State<SharedState>, fault: Body<Fault>) -> Response {
    match fault {
        Ok(Json(fault)) => (StatusCode::CREATED, Json(app.faults.add(fault))).into_response(),
        Err(refused) => unreadable(&refused),
    }
}

async fn list_faults(State(app): State<SharedState>) -> Json<Vec<Fault>> {
    Json(app.faults.list())
}

async fn clear_faults(State(app): State<SharedState>) -> StatusCode {
    app.faults.clear();
    StatusCode::NO_CONTENT
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PaymentRequest {
    /// Pays by this payment link, whose page is opened first.
    link_id: Option<String>,
    /// Without it, the payment is made on the provider's own pages and has no order.
    order_id: Option<String>,
    #[serde(default = "by_card")]
    method: Method,
    #[serde(default = "captured")]
    outcome: RequestedOutcome,
    amount: Option<i64>,
    currency: Option<String>,
    /// With `late`: how long after its failure the payment is authorised, unless `/api/late` is
    /// called before.
    delay_ms: Option<u64>,
    /// Pays an order that is paid already, which a bank may do by mistake.
    #[serde(default)]
    again: bool,
    /// Pays a payment link that has expired or was cancelled, as money that comes late does.
    #[serde(default)]
    over: bool,
    /// The amount is a part of what the payment link asks for.
    #[serde(default)]
    part: bool,
    /// Dates the payment's creation back, so that its money is late for its order.
    #[serde(default)]
    begun_minutes_ago: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum RequestedOutcome {
    Captured,
    Authorized,
    Failed,
    Late,
    Created,
}

fn by_card() -> Method {
    Method::Card
}

fn captured() -> RequestedOutcome {
    RequestedOutcome::Captured
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LatePayment {
    payment_id: String,
}

/// The payer of a payment with the outcome `late` agrees now, before its time.
async fn agree_late(State(app): State<SharedState>, given: Body<LatePayment>) -> Response {
    body::answer(given, |given| {
        let payment = bank::authorise_late(&app, &given.payment_id)?;
        Ok(Json(json!({ "payment": entities::payment(&payment) })))
    })
}

async fn pay(State(app): State<SharedState>, given: Body<PaymentRequest>) -> Response {
    body::answer(given, |given| make_payment(&app, given))
}

fn make_payment(app: &SharedState, given: PaymentRequest) -> Answer {
    if given.amount.is_some_and(|amount| amount < 1) {
        return Err(ApiError::bad_field("amount", "The amount must be positive."));
    }
    let of_link = given.link_id.as_deref().map(|id| provider::links::open_order(app, id));
    let of_link = of_link.transpose()?.map(|order| order.id);
    let Some(order_id) = of_link.or(given.order_id) else {
        let amount = given.amount.ok_or_else(|| {
            ApiError::bad_field("amount", "Money without an order needs an amount.")
        })?;
        let currency = given.currency.unwrap_or_else(|| "INR".to_owned());
        let payment = bank::without_order(app, given.method, amount, currency)?;
        let entity = entities::payment(&payment);
        return Ok(Json(json!({ "payment_id": payment.id, "payment": entity })));
    };
    let failure = failures::declined(given.method);
    let outcome = match given.outcome {
        RequestedOutcome::Captured => Outcome::Captured,
        RequestedOutcome::Authorized => Outcome::Authorized,
        RequestedOutcome::Failed => Outcome::Failed(failure),
        RequestedOutcome::Created => Outcome::Created,
        RequestedOutcome::Late => {
            Outcome::Late(failure, Duration::from_millis(given.delay_ms.unwrap_or(3_000)))
        }
    };
    let attempt = Attempt {
        order_id,
        method: given.method,
        last4: (given.method == Method::Card).then(|| "1111".to_owned()),
        vpa: (given.method == Method::Upi).then(|| "success@razorpay".to_owned()),
        amount: given.amount,
        currency: given.currency,
        again: given.again,
        over: given.over,
        part: given.part,
        begun_minutes_ago: given.begun_minutes_ago.into(),
        outcome,
    };
    let payment = bank::attempt(app, attempt)?;
    Ok(Json(json!({
        "razorpay_payment_id": payment.id,
        "razorpay_order_id": payment.order_id,
        "razorpay_signature": bank::signature(app, &payment),
        "payment_id": payment.id,
        "order_id": payment.order_id,
        "signature": bank::signature(app, &payment),
        "payment": entities::payment(&payment),
    })))
}

/// What pages sent when they opened their checkouts, oldest first.
async fn list_openings(State(app): State<SharedState>) -> Json<Vec<Value>> {
    Json(app.checkout_log.openings())
}

/// Which scripts of the checkout ran on a page and called their own address, oldest first.
async fn list_beacons(State(app): State<SharedState>) -> Json<Vec<Value>> {
    Json(app.checkout_log.beacons())
}

async fn store_contents(State(app): State<SharedState>) -> Json<Value> {
    let store = app.store();
    let webhooks = store.deliveries().iter().map(|row| {
        let state = match row.state {
            DeliveryState::Waiting => "waiting",
            DeliveryState::Delivered => "delivered",
            DeliveryState::Dropped => "dropped",
            DeliveryState::GivenUp => "given_up",
        };
        json!({
            "event_id": row.id, "event": row.event, "state": state, "attempts": row.attempts,
        })
    });
    let settlement = |row: &Settlement| {
        let mut shown = entities::settlement(row);
        let lines = row.lines.iter().map(|line| entities::settled_line(row, line));
        if let Some(fields) = shown.as_object_mut() {
            fields.insert("lines".to_owned(), lines.collect());
        }
        shown
    };
    let payment = |row: &rows::Payment| {
        let mut shown = entities::payment(row);
        let order = store.orders().get(&row.order_id);
        if let Some(fields) = shown.as_object_mut() {
            fields.insert(
                "pays_order".to_owned(),
                json!(order.is_some_and(|it| transaction::pays_in_full(row, it))),
            );
        }
        shown
    };
    let meetings = store.meetings().iter().map(|row| {
        json!({
            "id": row.id, "external_id": row.external_id, "starts_at": row.starts_at,
            "duration_minutes": row.duration_minutes,
        })
    });
    Json(json!({
        "payment_links": store
            .links()
            .iter()
            .map(|link| provider::links::with_payments(&app, &store, link))
            .collect::<Vec<_>>(),
        "orders": store.orders().iter().map(entities::order).collect::<Vec<_>>(),
        "payments": store.payments().iter().map(payment).collect::<Vec<_>>(),
        "refunds": store.refunds().iter().map(entities::refund).collect::<Vec<_>>(),
        "settlements": store.settlements().iter().map(settlement).collect::<Vec<_>>(),
        "adjustments": store.adjustments().iter().map(entities::adjustment).collect::<Vec<_>>(),
        "disputes": store.disputes().iter().map(provider::disputes::entity).collect::<Vec<_>>(),
        "webhooks": webhooks.collect::<Vec<_>>(),
        "meetings": meetings.collect::<Vec<_>>(),
    }))
}
