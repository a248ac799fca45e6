//! What alarms are pushed to: ntfy, Telegram's bot API, and an address of one's own. Each keeps
//! what it took, and refuses as its documentation says.

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};

use crate::state::SharedState;

/// The bot's token, and the only chat that knows the bot.
const TOKEN: &str = "bot1:demo-bot-token";
const CHAT: &str = "-1001";
/// A chat whose person has left the bot.
const LEFT: &str = "-1002";
/// The most of a message: ntfy counts bytes, Telegram characters.
const LENGTH_MAX: usize = 4096;

pub(crate) fn routes() -> Router<SharedState> {
    Router::new()
        .route("/push/ntfy/{topic}", post(ntfy))
        .route("/push/telegram/{bot}/sendMessage", post(telegram))
        .route("/push/json", post(own))
        .route("/api/pushes", get(list))
}

async fn list(State(app): State<SharedState>) -> Json<Vec<Value>> {
    Json(app.pushes.all())
}

async fn ntfy(
    State(app): State<SharedState>,
    Path(topic): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let is_name = |it: u8| it.is_ascii_alphanumeric() || b"-_".contains(&it);
    if topic.len() > 64 || !topic.bytes().all(is_name) {
        return (StatusCode::NOT_FOUND, Json(json!({ "code": 40401 }))).into_response();
    }
    let header = |name: &str| {
        headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
    };
    let priority = header("priority");
    let known = ["", "1", "2", "3", "4", "5", "min", "low", "default", "high", "urgent", "max"];
    let text = String::from_utf8(body.to_vec()).ok().filter(|text| text.len() <= LENGTH_MAX);
    // A longer one becomes a file there, which a phone does not show.
    let Some(text) = text.filter(|_| known.contains(&priority.as_str())) else {
        return (StatusCode::BAD_REQUEST, Json(json!({ "code": 40007 }))).into_response();
    };
    app.pushes.take(json!({
        "way": "ntfy", "to": topic, "title": header("title"), "priority": priority, "text": text,
    }));
    Json(json!({ "id": "sandbox", "event": "message", "topic": topic })).into_response()
}

async fn telegram(
    State(app): State<SharedState>,
    Path(bot): Path<String>,
    body: Bytes,
) -> Response {
    let refuse = |status: StatusCode, why: &str| {
        let body = json!({ "ok": false, "error_code": status.as_u16(), "description": why });
        (status, Json(body)).into_response()
    };
    if bot != TOKEN {
        return refuse(StatusCode::UNAUTHORIZED, "Unauthorized");
    }
    let message: Value = serde_json::from_slice(&body).unwrap_or_default();
    let text = message.get("text").and_then(Value::as_str).unwrap_or_default();
    match message.get("chat_id").and_then(Value::as_str) {
        Some(CHAT) if text.is_empty() => {
            refuse(StatusCode::BAD_REQUEST, "Bad Request: message text is empty")
        }
        Some(CHAT) if text.chars().count() > LENGTH_MAX => {
            refuse(StatusCode::BAD_REQUEST, "Bad Request: message is too long")
        }
        Some(CHAT) => {
            app.pushes.take(json!({ "way": "telegram", "to": CHAT, "text": text }));
            Json(json!({ "ok": true, "result": { "message_id": 1 } })).into_response()
        }
        Some(LEFT) => refuse(StatusCode::FORBIDDEN, "Forbidden: bot was blocked by the user"),
        _ => refuse(StatusCode::BAD_REQUEST, "Bad Request: chat not found"),
    }
}

async fn own(State(app): State<SharedState>, body: Bytes) -> StatusCode {
    let Ok(message) = serde_json::from_slice::<Value>(&body) else {
        return StatusCode::BAD_REQUEST;
    };
    app.pushes.take(json!({ "way": "json", "message": message }));
    StatusCode::NO_CONTENT
}
