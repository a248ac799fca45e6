//! The meeting provider: creates one room per idempotency key for a session, and shows a page in
//! place of the meeting.

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::json;

use crate::assets;
use crate::ids;
use crate::state::{AppState, SharedState};
use crate::store::rows::{Change, Meeting};

pub(crate) fn routes() -> Router<SharedState> {
    Router::new()
        .route("/meetings", post(create))
        .route("/m/{id}", get(room))
        .route("/m/room.css", get(|| async { assets::file(assets::CSS, CSS) }))
        .route("/m/room.js", get(|| async { assets::file(assets::SCRIPT, SCRIPT) }))
}

const CSS: &str = concat!(include_str!("assets/paper.css"), include_str!("meeting/room.css"));
const SCRIPT: &str = include_str!("meeting/room.js");
const ROOM: &str = include_str!("meeting/room.html");
const GONE: &str = include_str!("meeting/gone.html");

#[derive(Deserialize)]
struct MeetingRequest {
    external_id: String,
    #[serde(default)]
    title: String,
    starts_at: String,
    duration_minutes: u32,
}

async fn create(State(app): State<SharedState>, headers: HeaderMap, body: Bytes) -> Response {
    let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    if given.and_then(|value| value.strip_prefix("Bearer ")) != Some(app.meeting_token.as_str()) {
        return refuse(StatusCode::UNAUTHORIZED, "A valid bearer token is required.");
    }
    let Some(key) = headers.get("idempotency-key").and_then(|value| value.to_str().ok()) else {
        return refuse(StatusCode::BAD_REQUEST, "The header Idempotency-Key is required.");
    };
    let request: MeetingRequest = match serde_json::from_slice(&body) {
        Ok(request) => request,
        Err(_) => return refuse(StatusCode::BAD_REQUEST, "The body is not a meeting."),
    };
    if let Some(problem) = problem_of(&request) {
        return refuse(StatusCode::BAD_REQUEST, problem);
    }
    let asked = ids::fingerprint(&body);
    let mut store = app.store();
    if let Some(first) = store.meeting_by_key(key) {
        if first.asked == asked {
            return answer(&app, StatusCode::OK, first);
        }
        return refuse(StatusCode::CONFLICT, "This Idempotency-Key was used for another meeting.");
    }
    let meeting = Meeting {
        // Only the link protects a room, so its id cannot be guessed.
        id: ids::random_text(22),
        external_id: request.external_id,
        title: request.title,
        starts_at: request.starts_at,
        duration_minutes: request.duration_minutes,
        key: key.to_owned(),
        asked,
    };
    let response = answer(&app, StatusCode::CREATED, &meeting);
    match store.commit(vec![Change::Meeting(Box::new(meeting))]) {
        Ok(()) => response,
        Err(_) => refuse(StatusCode::INTERNAL_SERVER_ERROR, "It could not be written down."),
    }
}

fn problem_of(request: &MeetingRequest) -> Option<&'static str> {
    if request.external_id.is_empty() || request.external_id.len() > 200 {
        return Some("external_id must have 1 to 200 characters.");
    }
    if request.title.len() > 500 {
        return Some("title must have at most 500 characters.");
    }
    if request.starts_at.parse::<jiff::Timestamp>().is_err() {
        return Some("starts_at must be a time in RFC 3339.");
    }
    let fits = (1..=24 * 60).contains(&request.duration_minutes);
    (!fits).then_some("duration_minutes must be between 1 and 1440.")
}

fn answer(app: &AppState, status: StatusCode, meeting: &Meeting) -> Response {
    let join_url = format!("{}/m/{}", app.public_url, meeting.id);
    (status, Json(json!({ "id": meeting.id, "join_url": join_url }))).into_response()
}

fn refuse(status: StatusCode, message: &str) -> Response {
    (status, Json(json!({ "error": { "message": message } }))).into_response()
}

async fn room(State(app): State<SharedState>, Path(id): Path<String>) -> Response {
    let meeting = app.store().meetings().get(&id).cloned();
    let Some(meeting) = meeting else {
        return (StatusCode::NOT_FOUND, assets::page(GONE)).into_response();
    };
    let page = ROOM
        .replace("{starts_at}", &assets::escape(&meeting.starts_at))
        .replace("{minutes}", &meeting.duration_minutes.to_string());
    assets::page(page)
}
