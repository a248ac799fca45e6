//! An OpenID provider: discovery, a page on which a person signs in, tokens, keys and userinfo. It
//! wants PKCE, a state and a nonce of its client, and takes each code once. State is lost by a
//! restart.

mod discovery;
mod keys;
mod pages;
pub(crate) mod provider;
mod token;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;

use crate::state::SharedState;

pub(crate) fn routes() -> Router<SharedState> {
    Router::new()
        .route("/oidc/.well-known/openid-configuration", get(discovery::document))
        .route("/oidc/authorize", get(pages::authorize))
        .route("/oidc/decide", post(pages::decide))
        .route("/oidc/token", post(token::exchange))
        .route("/oidc/userinfo", get(token::userinfo))
        .route("/oidc/jwks", get(jwks))
        .route("/oidc/page.css", get(pages::css))
        .route("/oidc/post.js", get(pages::script))
        .route("/api/oidc/approve", post(pages::approve))
        .route("/api/oidc/id_token", post(token::issue))
        .route("/api/oidc/rotate", post(rotate))
        .route("/api/oidc/next", post(next))
}

async fn jwks(State(app): State<SharedState>) -> Response {
    let rotated = app.oidc.lock().rotated;
    match keys::jwks(rotated) {
        Ok(keys) => Json(keys).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// From now on another key signs, and the former one is no longer published.
async fn rotate(State(app): State<SharedState>) -> StatusCode {
    let mut inner = app.oidc.lock();
    inner.rotated = !inner.rotated;
    StatusCode::NO_CONTENT
}

#[derive(Deserialize)]
struct Wrong {
    wrong: String,
}

/// Orders a mistake in the next token.
async fn next(State(app): State<SharedState>, Json(order): Json<Wrong>) -> StatusCode {
    const KNOWN: &[&str] = &[
        "nonce",
        "no_nonce",
        "aud",
        "azp",
        "iss",
        "expired",
        "at_hash",
        "unverified",
        "no_email",
        "alg_none",
        "hs256",
        "other_key",
        "no_sub",
    ];
    if !KNOWN.contains(&order.wrong.as_str()) {
        return StatusCode::BAD_REQUEST;
    }
    app.oidc.lock().wrong.push(order.wrong);
    StatusCode::NO_CONTENT
}
