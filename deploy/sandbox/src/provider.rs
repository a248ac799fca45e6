//! The payment provider: the part of Razorpay's API that a website with a checkout needs, with its
//! rules, error bodies and webhooks.

pub(crate) mod errors;
pub(crate) mod entities;
pub(crate) mod bank;
pub(crate) mod webhooks;
mod auth;
mod capture_options;
pub(crate) mod disputes;
pub(crate) mod links;
mod notes;
mod orders;
mod payments;
mod refunds;
mod requests;
pub(crate) mod settlements;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};

use crate::state::SharedState;

pub(crate) use refunds::{from_dashboard, process_when_due};

/// The provider's API under `/v1`, which requires the API key.
pub(crate) fn routes(app: &SharedState) -> Router<SharedState> {
    Router::new()
        .route("/v1/orders", post(orders::create).get(orders::list))
        .route("/v1/orders/{id}", get(orders::fetch))
        .route("/v1/orders/{id}/payments", get(orders::payments))
        .route("/v1/payment_links", post(links::create).get(links::list))
        .route("/v1/payment_links/{id}", get(links::fetch))
        .route("/v1/payment_links/{id}/cancel", post(links::cancel))
        .route("/v1/payments", get(payments::list))
        .route("/v1/payments/{id}", get(payments::fetch))
        .route("/v1/payments/{id}/capture", post(payments::capture))
        .route("/v1/payments/{id}/refund", post(refunds::create))
        .route("/v1/payments/{id}/refunds", get(refunds::of_payment))
        .route("/v1/refunds/{id}", get(refunds::fetch))
        .route("/v1/disputes", get(disputes::list))
        .route("/v1/disputes/{id}", get(disputes::fetch))
        .route("/v1/settlements", get(settlements::list))
        .route("/v1/settlements/recon/combined", get(settlements::recon))
        .route("/v1/settlements/{id}", get(settlements::fetch))
        .route_layer(from_fn_with_state(app.clone(), auth::require_key))
}
