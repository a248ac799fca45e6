//! The bank's page that asks the payer for approval. It has another origin than the checkout. It
//! opens in a window of its own, or replaces the checkout in browsers without such windows. It
//! posts the payer's decision to the checkout, which informs the waiting frame or leads the payer
//! back to the website.

use axum::extract::rejection::FormRejection;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Form, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::answers;
use crate::assets;
use crate::provider::bank::approval;
use crate::provider::errors::ApiError;
use crate::state::{AppState, SharedState};
use crate::store::rows::{Payment, PaymentStatus};

const BANK: &str = include_str!("bank.html");
const RETURN: &str = include_str!("bank-return.html");
const RETURN_SCRIPT: &str = include_str!("bank-return.js");

pub(super) fn routes() -> Router<SharedState> {
    Router::new().route("/bank/{id}", get(page)).route("/checkout/bank/{id}", post(decide)).route(
        "/checkout/bank-return.js",
        get(|| async { assets::file(assets::SCRIPT, RETURN_SCRIPT) }),
    )
}

/// The address at which the payer decides about a payment.
pub(super) fn url_of(app: &AppState, payment: &Payment) -> String {
    format!("{}/bank/{}", app.public_url, payment.id)
}

#[derive(Deserialize)]
struct Origin {
    /// The website's address for the payer's return, where the checkout has no window of its own.
    #[serde(default)]
    callback_url: String,
}

async fn page(
    State(app): State<SharedState>,
    Path(id): Path<String>,
    Query(origin): Query<Origin>,
) -> Response {
    let amount = app.store().payments().get(&id).map(|payment| payment.amount);
    let Some(amount) = amount else {
        return ApiError::unknown_id().into_response();
    };
    let page = BANK
        .replace("{action}", &format!("{}/checkout/bank/{}", app.frame_url, assets::escape(&id)))
        .replace("{callback_url}", &assets::escape(&origin.callback_url))
        .replace("{amount}", &assets::rupees(amount));
    assets::checkout_page(page)
}

#[derive(Deserialize)]
struct Decision {
    approves: bool,
    #[serde(default)]
    callback_url: String,
}

async fn decide(
    State(app): State<SharedState>,
    Path(id): Path<String>,
    decision: Result<Form<Decision>, FormRejection>,
) -> Response {
    let Ok(Form(decision)) = decision else {
        return ApiError::bad("What the bank sent could not be read.").into_response();
    };
    match approval::decide(&app, &id, decision.approves) {
        Ok(payment) => {
            let fields = fields_of(&app, &payment).to_string();
            let page = RETURN
                .replace("{fields}", &assets::escape(&fields))
                .replace("{callback_url}", &assets::escape(&decision.callback_url));
            assets::checkout_page(page)
        }
        Err(refused) => refused.into_response(),
    }
}

/// The form fields that the website's `callback_url` receives.
fn fields_of(app: &AppState, payment: &Payment) -> Value {
    match &payment.failure {
        Some(failure) if payment.status == PaymentStatus::Failed => json!({
            "error[code]": failure.code,
            "error[description]": failure.description,
            "error[reason]": failure.reason,
        }),
        _ => answers::signed_answer(app, payment),
    }
}
