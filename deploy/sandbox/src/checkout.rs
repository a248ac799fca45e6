//! The checkout: the script that a website includes, the frame that the script opens, and the
//! payments that the frame requests. It supports cards and UPI. A card number never leaves the
//! frame.

mod answers;
mod bank_page;
mod other_origins;
mod openings;
mod qr;

use std::time::Duration;

use axum::extract::rejection::JsonRejection;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::assets;
use crate::faults::Kind;
use crate::provider::bank::{self, Attempt, Outcome, failures};
use crate::provider::errors::{Answer, ApiError};
use crate::state::{AppState, SharedState};
use crate::store::rows::{Method, PaymentStatus};

const CHECKOUT: &str = include_str!("checkout/checkout.js");
const FRAME: &str = include_str!("checkout/frame.html");
const FRAME_CSS: &str =
    concat!(include_str!("assets/paper.css"), include_str!("checkout/frame.css"));
const FRAME_SCRIPT: &str = include_str!("checkout/frame.js");
const POST_SCRIPT: &str = include_str!("checkout/post.js");
const PHONE: &str = include_str!("checkout/phone.html");
const PHONE_SCRIPT: &str = include_str!("checkout/phone.js");

/// The last digits of the test card that every bank declines.
const DECLINED_CARD: &str = "0002";
/// The last digits of the test card whose bank asks for approval on its own page.
const APPROVAL_CARD: &str = "3220";

pub(crate) fn routes() -> Router<SharedState> {
    Router::new()
        .route("/v1/checkout.js", get(script))
        .route("/checkout", get(|| async { assets::checkout_page(FRAME) }))
        .route("/checkout/frame.css", get(|| async { assets::file(assets::CSS, FRAME_CSS) }))
        .route("/checkout/post.js", get(|| async { assets::file(assets::SCRIPT, POST_SCRIPT) }))
        .route("/checkout/frame.js", get(|| async { assets::file(assets::SCRIPT, FRAME_SCRIPT) }))
        .route("/checkout/phone.js", get(|| async { assets::file(assets::SCRIPT, PHONE_SCRIPT) }))
        .route("/checkout/orders/{id}", get(order))
        .route("/checkout/orders/{id}/qr.svg", get(qr_picture))
        .route("/checkout/orders/{id}/opened", post(openings::record))
        .route("/checkout/orders/{id}/payments", post(pay))
        .route("/upi/{id}", get(phone))
        .merge(bank_page::routes())
        .merge(other_origins::routes())
}

async fn script(State(app): State<SharedState>) -> Response {
    let quoted = |url: String| Value::String(url).to_string();
    let script = CHECKOUT
        .replace("'{FRAME_URL}'", &quoted(app.frame_url.clone()))
        .replace("'{RISK_URL}'", &quoted(other_origins::risk_url(&app)))
        .replace("'{BEACON_URL}'", &quoted(other_origins::beacon_url(&app)));
    assets::cross_origin(assets::file(assets::SCRIPT, script))
}

#[derive(Deserialize)]
struct Key {
    #[serde(default)]
    key_id: String,
}

/// What the frame may know of an order. After a payment that includes the signed answer, because a
/// payer may approve on a phone while the page waits on another screen.
async fn order(
    State(app): State<SharedState>,
    Path(id): Path<String>,
    Query(key): Query<Key>,
) -> Answer {
    if key.key_id != app.account.key_id {
        return Err(ApiError::wrong_key());
    }
    let store = app.store();
    let order = store.orders().get(&id).ok_or_else(ApiError::unknown_id)?;
    let payments = store.payments_of(order);
    Ok(Json(answers::order_facts(&app, order, &payments)))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PaymentRequest {
    key_id: String,
    method: Method,
    /// The last four digits of a card, which decide the bank's answer.
    last4: Option<String>,
    /// Whether the payer approves in the UPI app.
    approve: Option<bool>,
    /// The UPI flow, when it is neither a QR code nor an app.
    flow: Option<Flow>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Flow {
    /// A collect request to the UPI ID that the payer enters.
    Collect,
}

async fn pay(
    State(app): State<SharedState>,
    Path(id): Path<String>,
    request: Result<Json<PaymentRequest>, JsonRejection>,
) -> Answer {
    let Ok(Json(request)) = request else {
        return Err(ApiError::bad("The payment could not be read."));
    };
    if request.key_id != app.account.key_id {
        return Err(ApiError::wrong_key());
    }
    let payment = bank::attempt(&app, attempt_of(&app, id, &request)?)?;
    let store = app.store();
    let order = store.orders().get(&payment.order_id).ok_or_else(ApiError::unknown_id)?;
    let mut facts = answers::order_facts(&app, order, &[&payment]);
    if let Some(fields) = facts.as_object_mut() {
        fields.insert("attempts".to_owned(), json!(order.payments.len()));
        if payment.status == PaymentStatus::Created {
            fields.insert("bank_url".to_owned(), json!(bank_page::url_of(&app, &payment)));
        }
    }
    Ok(Json(facts))
}

fn attempt_of(
    app: &AppState,
    order_id: String,
    request: &PaymentRequest,
) -> Result<Attempt, ApiError> {
    let by_card = request.method == Method::Card;
    let last4 = request.last4.clone().filter(|_| by_card);
    let digits = |it: &String| it.len() == 4 && it.bytes().all(|byte| byte.is_ascii_digit());
    if by_card && !last4.as_ref().is_some_and(digits) {
        return Err(ApiError::bad_field("last4", "The card number is not complete."));
    }
    let no = request.approve == Some(false) || last4.as_deref() == Some(DECLINED_CARD);
    let collect = request.flow == Some(Flow::Collect);
    let failure = if collect {
        failures::collect_not_supported()
    } else {
        failures::declined(request.method)
    };
    let fault = app.faults.take("checkout.pay", &[Kind::Refuse, Kind::LateAuthorisation]);
    let outcome = match fault {
        Some(fault) if fault.kind == Kind::LateAuthorisation => {
            Outcome::Late(failure, fault.pause(3_000).max(Duration::from_millis(1)))
        }
        Some(_) => Outcome::Failed(failure),
        None if no || collect => Outcome::Failed(failure),
        None if last4.as_deref() == Some(APPROVAL_CARD) => Outcome::Created,
        None => Outcome::Captured,
    };
    let vpa = if no { "failure@razorpay" } else { "success@razorpay" };
    Ok(Attempt {
        order_id,
        method: request.method,
        last4,
        vpa: (request.method == Method::Upi).then(|| vpa.to_owned()),
        amount: None,
        currency: None,
        again: false,
        over: false,
        part: false,
        begun_minutes_ago: 0,
        outcome,
    })
}

/// A QR code that opens the simulated UPI app on a phone.
async fn qr_picture(State(app): State<SharedState>, Path(id): Path<String>) -> Response {
    if app.store().orders().get(&id).is_none() {
        return ApiError::unknown_id().into_response();
    }
    match qr::picture(&format!("{}/upi/{id}", app.public_url)) {
        Some(svg) => assets::file(assets::SVG, svg),
        None => ApiError::bad("This order has no picture.").into_response(),
    }
}

/// The page of the simulated UPI app, which the QR code opens.
async fn phone(State(app): State<SharedState>, Path(id): Path<String>) -> Response {
    let amount = app.store().orders().get(&id).map(|order| order.amount);
    let Some(amount) = amount else {
        return ApiError::unknown_id().into_response();
    };
    let page = PHONE
        .replace("{order_id}", &assets::escape(&id))
        .replace("{key_id}", &assets::escape(&app.account.key_id))
        .replace("{amount}", &assets::rupees(amount));
    assets::page(page)
}
