//! The sender of messages to phones: takes each message once per idempotency key, and shows the
//! phone that receives them all.

use axum::body::Bytes;
use axum::extract::{Query, State};
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::json;

use crate::assets;
use crate::clock;
use crate::ids;
use crate::state::SharedState;
use crate::store::rows::{Change, PhoneMessage};

const PAGE: &str = include_str!("messages/phone.html");
const CSS: &str = concat!(include_str!("assets/paper.css"), include_str!("messages/phone.css"));
/// Maximum characters of a message.
const TEXT_MAX: usize = 1600;

pub(crate) fn routes() -> Router<SharedState> {
    Router::new()
        .route("/messages", post(send))
        .route("/api/messages", get(list))
        .route("/phone", get(phone))
        .route("/phone/phone.css", get(|| async { assets::file(assets::CSS, CSS) }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MessageRequest {
    message_id: String,
    to: String,
    channel: String,
    text: String,
}

async fn send(State(app): State<SharedState>, headers: HeaderMap, body: Bytes) -> Response {
    let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    if given.and_then(|value| value.strip_prefix("Bearer ")) != Some(app.message_key.as_str()) {
        return refuse(StatusCode::UNAUTHORIZED, "A valid bearer token is required.");
    }
    let Some(key) = headers.get("idempotency-key").and_then(|value| value.to_str().ok()) else {
        return refuse(StatusCode::BAD_REQUEST, "The header Idempotency-Key is required.");
    };
    let request: MessageRequest = match serde_json::from_slice(&body) {
        Ok(request) => request,
        Err(_) => return refuse(StatusCode::BAD_REQUEST, "The body is not a message."),
    };
    if let Some(problem) = problem_of(&request) {
        return refuse(StatusCode::UNPROCESSABLE_ENTITY, problem);
    }
    let asked = ids::fingerprint(&body);
    let mut store = app.store();
    if let Some(first) = store.messages().get(key) {
        if first.asked == asked {
            return (StatusCode::OK, Json(json!({ "id": first.id }))).into_response();
        }
        return refuse(StatusCode::CONFLICT, "This Idempotency-Key was used for another message.");
    }
    let message = PhoneMessage {
        id: request.message_id,
        key: key.to_owned(),
        asked,
        to: request.to,
        channel: request.channel,
        text: request.text,
        received_at: clock::text(clock::now_ms()),
    };
    let answer = (StatusCode::ACCEPTED, Json(json!({ "id": message.id }))).into_response();
    match store.commit(vec![Change::PhoneMessage(Box::new(message))]) {
        Ok(()) => answer,
        Err(_) => refuse(StatusCode::INTERNAL_SERVER_ERROR, "It could not be written down."),
    }
}

fn problem_of(request: &MessageRequest) -> Option<&'static str> {
    let digits = request.to.strip_prefix('+').unwrap_or_default();
    let formed = (2..=15).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    if !formed || digits.starts_with('0') {
        return Some("to must be a number in the form of E.164.");
    }
    if !matches!(request.channel.as_str(), "sms" | "whatsapp") {
        return Some("channel must be sms or whatsapp.");
    }
    let length = request.text.chars().count();
    (!(1..=TEXT_MAX).contains(&length)).then_some("text must have 1 to 1600 characters.")
}

fn refuse(status: StatusCode, message: &str) -> Response {
    (status, Json(json!({ "error": { "message": message } }))).into_response()
}

#[derive(Deserialize)]
struct Filter {
    to: Option<String>,
}

/// Newest first.
async fn list(
    State(app): State<SharedState>,
    Query(filter): Query<Filter>,
) -> Json<Vec<PhoneMessage>> {
    let store = app.store();
    let wanted = |message: &&PhoneMessage| filter.to.as_ref().is_none_or(|to| *to == message.to);
    Json(store.messages().iter().rev().filter(wanted).cloned().collect())
}

async fn phone(State(app): State<SharedState>) -> Response {
    let store = app.store();
    let messages = store.messages().iter().rev().take(50).map(|message| {
        format!(
            "<li><h2>{} <small>{} {}</small></h2><p>{}</p></li>",
            assets::escape(&message.to),
            assets::escape(&message.channel),
            assets::escape(&message.received_at),
            assets::escape(&message.text),
        )
    });
    assets::page(PAGE.replace("{messages}", &messages.collect::<String>()))
}
