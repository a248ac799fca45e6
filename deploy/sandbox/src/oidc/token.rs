//! Codes are exchanged for tokens, and userinfo.

use axum::body::Bytes;
use axum::extract::State;
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::{Form, Json};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::discovery::issuer;
use super::keys;
use super::provider::Person;
use crate::clock;
use crate::ids;
use crate::state::{AppState, SharedState};

/// How long tokens are valid.
const VALID_SECONDS: i64 = 3600;

#[derive(Deserialize)]
pub(super) struct Exchange {
    grant_type: String,
    #[serde(default)]
    code: String,
    #[serde(default)]
    redirect_uri: String,
    #[serde(default)]
    code_verifier: String,
    #[serde(default)]
    client_id: String,
    #[serde(default)]
    client_secret: String,
}

pub(super) async fn exchange(
    State(app): State<SharedState>,
    headers: HeaderMap,
    Form(asked): Form<Exchange>,
) -> Response {
    let client = (app.oidc.client.id.as_str(), app.oidc.client.secret.as_str());
    let posted = (asked.client_id.as_str(), asked.client_secret.as_str());
    let basic = basic(&headers);
    let shown = basic.as_ref().map_or(posted, |(id, secret)| (id.as_str(), secret.as_str()));
    if shown != client {
        return refuse(StatusCode::UNAUTHORIZED, "invalid_client");
    }
    if asked.grant_type != "authorization_code" {
        return refuse(StatusCode::BAD_REQUEST, "unsupported_grant_type");
    }
    let grant = app.oidc.lock().grants.remove(&asked.code);
    let Some(grant) = grant else { return refuse(StatusCode::BAD_REQUEST, "invalid_grant") };
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(asked.code_verifier.as_bytes()));
    if challenge != grant.code_challenge || asked.redirect_uri != grant.redirect_uri {
        return refuse(StatusCode::BAD_REQUEST, "invalid_grant");
    }
    let access_token = ids::random_text(40);
    app.oidc.lock().tokens.insert(access_token.clone(), grant.person.clone());
    let wrong = app.oidc.take_wrong();
    let token = id_token(&app, &grant.person, (Some(&grant.nonce), Some(&access_token)), &wrong);
    let Ok(id_token) = token else {
        return refuse(StatusCode::INTERNAL_SERVER_ERROR, "server_error");
    };
    let answer = json!({
        "access_token": access_token,
        "token_type": "Bearer",
        "expires_in": VALID_SECONDS,
        "refresh_token": ids::random_text(40),
        "scope": "openid email profile",
        "id_token": id_token,
    });
    ([("cache-control", "no-store")], Json(answer)).into_response()
}

/// The credentials of HTTP Basic; both parts are form-encoded.
fn basic(headers: &HeaderMap) -> Option<(String, String)> {
    let given = headers.get(AUTHORIZATION)?.to_str().ok()?.strip_prefix("Basic ")?;
    let decoded = String::from_utf8(STANDARD.decode(given).ok()?).ok()?;
    let (id, secret) = decoded.split_once(':')?;
    Some((id.to_owned(), secret.to_owned()))
}

fn refuse(status: StatusCode, error: &str) -> Response {
    (status, Json(json!({ "error": error }))).into_response()
}

/// A token for a person, with at most one ordered mistake.
fn id_token(
    app: &AppState,
    person: &Person,
    (nonce, access_token): (Option<&str>, Option<&str>),
    wrong: &str,
) -> Result<String, jsonwebtoken::errors::Error> {
    let now = clock::now_s();
    let mut claims = json!({
        "iss": issuer(app),
        "sub": person.sub,
        "aud": app.oidc.client.id,
        "iat": now,
        "exp": now + VALID_SECONDS,
    });
    let mut set = |name: &str, value: Option<Value>| {
        if let (Some(claims), Some(value)) = (claims.as_object_mut(), value) {
            claims.insert(name.to_owned(), value);
        }
    };
    set("nonce", nonce.map(Value::from));
    set("at_hash", access_token.map(|token| json!(at_hash(token))));
    if wrong != "no_email" {
        set("email", person.email.clone().map(Value::from));
        set("email_verified", Some(json!(person.email_verified && wrong != "unverified")));
    }
    set("name", person.name.clone().map(Value::from));
    set("given_name", person.given_name.clone().map(Value::from));
    set("family_name", person.family_name.clone().map(Value::from));
    match wrong {
        "nonce" => set("nonce", Some(json!("another"))),
        "no_nonce" => set("nonce", Some(Value::Null)),
        "aud" => set("aud", Some(json!("another-client"))),
        "azp" => {
            set("aud", Some(json!([app.oidc.client.id, "another-client"])));
            set("azp", Some(json!("another-client")));
        }
        "iss" => set("iss", Some(json!("https://another.example"))),
        "expired" => set("exp", Some(json!(now - VALID_SECONDS))),
        "at_hash" => set("at_hash", Some(json!(at_hash("another")))),
        "no_sub" => set("sub", Some(json!(""))),
        _ => {}
    }
    let rotated = app.oidc.lock().rotated;
    keys::sign(&claims, rotated, wrong)
}

fn at_hash(access_token: &str) -> String {
    let hash = Sha256::digest(access_token.as_bytes());
    URL_SAFE_NO_PAD.encode(hash.get(..16).unwrap_or_default())
}

#[derive(Deserialize)]
pub(super) struct Issue {
    #[serde(flatten)]
    person: Person,
    nonce: Option<String>,
    access_token: Option<String>,
}

/// A token as an app on a phone gets it from the provider's own library.
pub(super) async fn issue(State(app): State<SharedState>, body: Bytes) -> Response {
    let Ok(asked) = serde_json::from_slice::<Issue>(&body) else {
        return refuse(StatusCode::BAD_REQUEST, "invalid_request");
    };
    let wrong = app.oidc.take_wrong();
    let about = (asked.nonce.as_deref(), asked.access_token.as_deref());
    match id_token(&app, &asked.person, about, &wrong) {
        Ok(id_token) => Json(json!({ "id_token": id_token })).into_response(),
        Err(_) => refuse(StatusCode::INTERNAL_SERVER_ERROR, "server_error"),
    }
}

pub(super) async fn userinfo(State(app): State<SharedState>, headers: HeaderMap) -> Response {
    let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token = given.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
    match app.oidc.lock().tokens.get(token) {
        Some(person) => Json(person).into_response(),
        None => refuse(StatusCode::UNAUTHORIZED, "invalid_token"),
    }
}
