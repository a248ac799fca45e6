//! An OpenID provider: discovery, a page on which a person signs in, tokens, keys and userinfo. It
//! wants PKCE, a state and a nonce of its client, and takes each code once. State is lost by a
//! restart.

mod keys;
mod pages;
mod token;

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::settings::OidcClient;
use crate::state::{AppState, SharedState};

pub(crate) fn routes() -> Router<SharedState> {
    Router::new()
        .route("/oidc/.well-known/openid-configuration", get(discovery))
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

/// A person with an account at the provider.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct Person {
    pub(crate) sub: String,
    pub(crate) email: Option<String>,
    #[serde(default)]
    pub(crate) email_verified: bool,
    pub(crate) name: Option<String>,
    pub(crate) given_name: Option<String>,
    pub(crate) family_name: Option<String>,
}

/// A code that the client has not exchanged yet.
#[derive(Clone)]
struct Grant {
    person: Person,
    nonce: String,
    redirect_uri: String,
    code_challenge: String,
}

#[derive(Default)]
struct Inner {
    grants: HashMap<String, Grant>,
    /// People by their access tokens.
    tokens: HashMap<String, Person>,
    rotated: bool,
    /// What is wrong with the next tokens, in this order.
    wrong: Vec<String>,
}

/// The provider's state.
pub(crate) struct Oidc {
    client: OidcClient,
    inner: Mutex<Inner>,
}

impl Oidc {
    pub(crate) fn new(client: OidcClient) -> Self {
        Self { client, inner: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is wrong with the token that is issued now.
    fn take_wrong(&self) -> String {
        let mut inner = self.lock();
        if inner.wrong.is_empty() { String::new() } else { inner.wrong.remove(0) }
    }
}

fn issuer(app: &AppState) -> String {
    format!("{}/oidc", app.public_url)
}

async fn discovery(State(app): State<SharedState>) -> Json<Value> {
    let issuer = issuer(&app);
    Json(json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"),
        "userinfo_endpoint": format!("{issuer}/userinfo"),
        "jwks_uri": format!("{issuer}/jwks"),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query", "form_post"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["RS256", "ES256"],
        "scopes_supported": ["openid", "email", "profile"],
        "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": true,
    }))
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
