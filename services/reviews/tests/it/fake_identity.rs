//! A fake identity server: the three endpoints of the contract that are needed to check a password.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU16, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use anyhow::Result;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use uuid::Uuid;

/// The password of all accounts.
pub(crate) const PASSWORD: &str = "a quiet garden behind the house";

/// The API key that every call must send.
pub(crate) const API_KEY: &str = "key-of-a-hosted-server";

/// The address of an account.
pub(crate) fn address(number: u128) -> String {
    format!("person{number}@sukoon.example")
}

#[derive(Default)]
pub(crate) struct FakeIdentity {
    /// Open sessions, by their access tokens.
    pub(crate) sessions: Mutex<HashSet<String>>,
    /// The number of password checks.
    pub(crate) password_checks: AtomicUsize,
    /// The status of all responses, if not 0.
    pub(crate) instead: AtomicU16,
    /// The account that a right password signs in to instead of its own, if not 0.
    pub(crate) other: AtomicU16,
}

type Shared = Arc<FakeIdentity>;

impl FakeIdentity {
    /// Starts a server and returns its URL.
    pub(crate) async fn serve() -> Result<(Shared, String)> {
        let identity = Shared::default();
        let router = Router::new()
            .route("/user", get(user))
            .route("/token", post(token))
            .route("/logout", post(logout))
            .with_state(Arc::clone(&identity));
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok((identity, url))
    }

    /// The number of open sessions.
    pub(crate) fn open_sessions(&self) -> usize {
        self.sessions.lock().unwrap().len()
    }

    /// Sets the status of all further responses; 0 restores normal ones.
    pub(crate) fn answer_with(&self, status: u16) {
        self.instead.store(status, Ordering::SeqCst);
    }

    fn instead(&self, headers: &HeaderMap) -> Option<Response> {
        let status = self.instead.load(Ordering::SeqCst);
        if status != 0 {
            let status = StatusCode::from_u16(status).unwrap();
            return Some((status, Json(json!({ "code": "told_to" }))).into_response());
        }
        let key = headers.get("apikey").is_some_and(|key| key == API_KEY);
        (!key).then(|| StatusCode::UNAUTHORIZED.into_response())
    }
}

fn bearer(headers: &HeaderMap) -> &str {
    let value = headers.get("authorization").and_then(|value| value.to_str().ok());
    value.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default()
}

fn account(id: &str, email: &str) -> Value {
    json!({ "id": id, "aud": "authenticated", "email": email, "user_metadata": {} })
}

async fn user(State(identity): State<Shared>, headers: HeaderMap) -> Response {
    if let Some(instead) = identity.instead(&headers) {
        return instead;
    }
    let claims = bearer(&headers).split('.').nth(1).unwrap_or_default();
    let claims = URL_SAFE_NO_PAD.decode(claims).unwrap_or_default();
    match serde_json::from_slice::<Value>(&claims) {
        Ok(claims) => {
            let text = |name: &str| claims[name].as_str().unwrap_or_default().to_owned();
            Json(account(&text("sub"), &text("email"))).into_response()
        }
        Err(_) => (StatusCode::FORBIDDEN, Json(json!({ "code": "bad_jwt" }))).into_response(),
    }
}

async fn token(
    State(identity): State<Shared>,
    Query(parameters): Query<Vec<(String, String)>>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Response {
    if let Some(instead) = identity.instead(&headers) {
        return instead;
    }
    assert_eq!(parameters, [("grant_type".to_owned(), "password".to_owned())]);
    identity.password_checks.fetch_add(1, Ordering::SeqCst);
    let email = body["email"].as_str().unwrap_or_default();
    let number = email.strip_prefix("person").and_then(|rest| rest.split('@').next());
    let number = number.and_then(|number| number.parse::<u128>().ok()).unwrap_or_default();
    if body["password"] != PASSWORD || email != address(number) {
        let wrong = json!({ "code": "invalid_credentials" });
        return (StatusCode::BAD_REQUEST, Json(wrong)).into_response();
    }
    let number = match identity.other.load(Ordering::SeqCst) {
        0 => number,
        other => u128::from(other),
    };
    let access_token = format!("session-{}", eventstore::new_uuid().simple());
    identity.sessions.lock().unwrap().insert(access_token.clone());
    let id = Uuid::from_u128(number).to_string();
    Json(json!({ "access_token": access_token, "user": account(&id, email) })).into_response()
}

async fn logout(
    State(identity): State<Shared>,
    Query(parameters): Query<Vec<(String, String)>>,
    headers: HeaderMap,
) -> Response {
    assert_eq!(parameters, [("scope".to_owned(), "local".to_owned())]);
    let ended = identity.sessions.lock().unwrap().remove(bearer(&headers));
    if ended { StatusCode::NO_CONTENT } else { StatusCode::FORBIDDEN }.into_response()
}
