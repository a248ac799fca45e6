//! A Jitsi server that wants tokens, below `/jitsi`: the check of prosody's `token_verification`
//! with a shared secret, and a page in place of the meeting. `jitsi` is its tenant.

use std::collections::BTreeMap;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::assets;
use crate::clock;
use crate::state::SharedState;

/// The application's id and its secret; the audience that is accepted.
const APP_ID: &str = "demo-jitsi";
const APP_SECRET: &str = "demo-jitsi-secret-of-32-characters";
const AUDIENCE: &str = "jitsi";
/// The tenant: the path before a room's name.
const TENANT: &str = "jitsi";

pub(crate) fn routes() -> Router<SharedState> {
    Router::new()
        .route("/jitsi", get(|| async { assets::page("<h1>Jitsi</h1>") }))
        .route("/jitsi/{room}", get(page))
        .route("/api/jitsi", post(try_token))
}

#[derive(Deserialize)]
struct Claims {
    iss: String,
    aud: String,
    sub: String,
    room: String,
    exp: i64,
    nbf: Option<i64>,
    #[serde(default)]
    moderator: bool,
    context: Option<Value>,
}

/// What a token allows at a time, in seconds, in a room; or why it allows nothing.
fn verify(token: &str, room: &str, now: i64) -> Result<Claims, &'static str> {
    if token.is_empty() {
        return Err("token required");
    }
    let mut rules = Validation::new(Algorithm::HS256);
    // Times are compared with the given clock, and the others with words of their own.
    rules.validate_exp = false;
    rules.validate_aud = false;
    rules.required_spec_claims.clear();
    let key = DecodingKey::from_secret(APP_SECRET.as_bytes());
    let read = jsonwebtoken::decode::<Claims>(token, &key, &rules);
    let claims = read.map_err(|_unread| "Invalid signature, or a claim is missing")?.claims;
    if claims.iss != APP_ID {
        return Err("Invalid issuer ('iss' claim)");
    }
    if claims.aud != AUDIENCE {
        return Err("Invalid audience ('aud' claim)");
    }
    if claims.exp <= now {
        return Err("Not acceptable by exp");
    }
    if claims.nbf.is_some_and(|nbf| now < nbf) {
        return Err("Not acceptable by nbf");
    }
    // Prosody makes the names of rooms small, and compares with the small form of the claim.
    if claims.room != "*" && claims.room.to_lowercase() != room.to_lowercase() {
        return Err("Room and token mismatched");
    }
    if claims.sub != "*" && claims.sub.to_lowercase() != TENANT {
        return Err("Tenant and token mismatched");
    }
    // Each field of a user must be a text, else prosody fails.
    let user = claims.context.as_ref().and_then(|it| it.get("user")).and_then(Value::as_object);
    if user.is_some_and(|fields| fields.values().any(|it| !it.is_string())) {
        return Err("a field of context.user is no text");
    }
    Ok(claims)
}

/// Joining by link, as a browser does.
async fn page(Path(room): Path<String>, Query(asked): Query<BTreeMap<String, String>>) -> Response {
    let token = asked.get("jwt").map(String::as_str).unwrap_or_default();
    match verify(token, &room, clock::now_s()) {
        Ok(_claims) => assets::page("<h1>The meeting</h1>".to_owned()).into_response(),
        Err(why) => {
            let page = format!("<h1>You are not allowed to join</h1><p>{why}</p>");
            (StatusCode::FORBIDDEN, assets::page(page)).into_response()
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Attempt {
    /// The link that a person opens.
    url: String,
    /// When, as RFC 3339.
    at: String,
}

/// The same at another time, for tests whose clock is not the machine's.
async fn try_token(State(app): State<SharedState>, Json(attempt): Json<Attempt>) -> Response {
    let base = format!("{}/{TENANT}/", app.public_url);
    let at = attempt.at.parse::<jiff::Timestamp>();
    let (Some(rest), Ok(at)) = (attempt.url.strip_prefix(&base), at) else {
        return (StatusCode::BAD_REQUEST, "that is no link of this server, or no time\n")
            .into_response();
    };
    let (room, query) = rest.split_once('?').unwrap_or((rest, ""));
    let token = query.strip_prefix("jwt=").unwrap_or_default();
    Json(match verify(token, room, at.as_second()) {
        Ok(claims) => json!({
            "allowed": true, "room": room, "moderator": claims.moderator,
            "context": claims.context,
        }),
        Err(why) => json!({ "allowed": false, "why": why }),
    })
    .into_response()
}
