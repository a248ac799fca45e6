//! Public information about the server: settings, health and public keys.

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::app::App;

pub(crate) async fn settings(State(app): State<App>) -> Json<Value> {
    Json(json!({
        "external": { "anonymous_users": false, "email": true, "phone": false },
        "disable_signup": false,
        "mailer_autoconfirm": !app.confirm_email,
        "phone_autoconfirm": false,
        "sms_provider": "",
        "saml_enabled": false,
        "passkeys_enabled": false,
    }))
}

pub(crate) async fn health() -> Json<Value> {
    Json(json!({
        "name": "Sukoon identity",
        "version": env!("CARGO_PKG_VERSION"),
        "description": "Accounts, sessions and tokens in the GoTrue form",
    }))
}

pub(crate) async fn jwks(State(app): State<App>) -> Response {
    let kept = [(header::CACHE_CONTROL, "public, max-age=600")];
    (kept, Json(app.tokens.jwks())).into_response()
}
