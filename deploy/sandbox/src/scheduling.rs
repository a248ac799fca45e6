//! The scheduling provider, as Calendly's API (v2) is, below `/scheduling`: one user, event types,
//! scheduled events with one invitee each, cancellation. A restart forgets the events.

use std::collections::BTreeMap;

use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::header::{AUTHORIZATION, RETRY_AFTER};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::clock;
use crate::faults::{Fault, Kind};
use crate::ids;
use crate::scheduled_events::Event;
use crate::state::{AppState, SharedState};

/// The longest text of a field.
const TEXT_CHARS_MAX: usize = 255;
/// The length of an event, in minutes.
const EVENT_MINUTES: i64 = 60;

pub(crate) fn routes() -> Router<SharedState> {
    Router::new()
        .route("/scheduling/users/me", get(me))
        .route("/scheduling/event_types", get(event_types))
        .route("/scheduling/scheduled_events", get(list))
        .route("/scheduling/scheduled_events/{id}", get(one))
        .route("/scheduling/scheduled_events/{id}/invitees", get(invitees))
        .route("/scheduling/scheduled_events/{id}/cancellation", post(cancel))
        .route("/scheduling/invitees", post(create))
}

pub(crate) fn base(app: &AppState) -> String {
    format!("{}/scheduling", app.public_url)
}

fn user(app: &AppState) -> String {
    format!("{}/users/OWNER", base(app))
}

fn refuse(status: StatusCode, title: &str, message: &str) -> Response {
    (status, Json(json!({ "title": title, "message": message }))).into_response()
}

pub(crate) fn invalid(parameter: &str, message: &str) -> Response {
    let details = json!([{ "parameter": parameter, "message": message }]);
    let body = json!({
        "title": "Invalid Argument", "message": "The supplied parameters are invalid.",
        "details": details,
    });
    (StatusCode::BAD_REQUEST, Json(body)).into_response()
}

/// Whether faults of this target are answered in the provider's own form.
pub(crate) fn is_target(target: &str) -> bool {
    target.starts_with("scheduling.")
}

/// The refusal of an ordered fault: `code` is its message, and with 429 `delay_ms` is the pause
/// that the provider asks for.
pub(crate) fn injected(fault: &Fault) -> Response {
    let usual = if fault.kind == Kind::Refuse { 400 } else { 500 };
    let status = StatusCode::from_u16(fault.status.unwrap_or(usual));
    let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let refusal = refuse(status, "Refused", fault.code.as_deref().unwrap_or_default());
    match (status, fault.delay_ms) {
        (StatusCode::TOO_MANY_REQUESTS, Some(pause)) => {
            ([(RETRY_AFTER, pause.div_ceil(1000).to_string())], refusal).into_response()
        }
        _ => refusal,
    }
}

pub(crate) fn not_found() -> Response {
    let message = "The server could not find the requested resource.";
    refuse(StatusCode::NOT_FOUND, "Resource Not Found", message)
}

fn unauthenticated(app: &AppState, headers: &HeaderMap) -> Option<Response> {
    let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token = given.and_then(|value| value.strip_prefix("Bearer "));
    if token == Some(app.meeting_token.as_str()) {
        return None;
    }
    Some(refuse(StatusCode::UNAUTHORIZED, "Unauthenticated", "The access token is invalid"))
}

fn collection(items: &[Value]) -> Response {
    let pagination = json!({ "count": items.len(), "next_page": null, "next_page_token": null });
    Json(json!({ "collection": items, "pagination": pagination })).into_response()
}

fn event_json(app: &AppState, id: &str, event: &Event) -> Value {
    let ends_at = event.starts_at + jiff::SignedDuration::from_mins(EVENT_MINUTES);
    json!({
        "uri": format!("{}/scheduled_events/{id}", base(app)),
        "name": "Session", "status": if event.canceled.is_some() { "canceled" } else { "active" },
        "start_time": event.starts_at.to_string(), "end_time": ends_at.to_string(),
        "event_type": event.event_type,
        "invitees_counter": {
            "total": 1, "active": i32::from(event.canceled.is_none()), "limit": 1,
        },
        "cancellation": event.canceled.as_ref().map(|reason| json!({ "reason": reason })),
    })
}

fn invitee_json(app: &AppState, id: &str, event: &Event) -> Value {
    let uri = format!("{}/scheduled_events/{id}", base(app));
    json!({
        "uri": format!("{uri}/invitees/{id}"), "event": uri, "name": event.name,
        "email": event.email, "timezone": event.timezone, "tracking": event.tracking,
        "status": if event.canceled.is_some() { "canceled" } else { "active" },
    })
}

async fn me(State(app): State<SharedState>, headers: HeaderMap) -> Response {
    if let Some(refusal) = unauthenticated(&app, &headers) {
        return refusal;
    }
    Json(json!({ "resource": { "uri": user(&app), "name": "Owner" } })).into_response()
}

type Parameters = Query<BTreeMap<String, String>>;

/// Lists need the user, as the provider's do.
fn wrong_user(app: &AppState, query: &BTreeMap<String, String>) -> Option<Response> {
    match query.get("user") {
        None => Some(invalid("user", "must be provided")),
        Some(given) if *given != user(app) => {
            let message = "You do not have permission to access this resource.";
            Some(refuse(StatusCode::FORBIDDEN, "Permission Denied", message))
        }
        Some(_) => None,
    }
}

async fn event_types(
    State(app): State<SharedState>,
    headers: HeaderMap,
    Query(query): Parameters,
) -> Response {
    if let Some(refusal) = unauthenticated(&app, &headers).or_else(|| wrong_user(&app, &query)) {
        return refusal;
    }
    if app.faults.take("scheduling.event_types", &[Kind::Empty]).is_some() {
        return collection(&[]);
    }
    let one = |name: &str| {
        let uri = format!("{}/event_types/{}", base(&app), name.to_uppercase());
        json!({
            "uri": uri, "name": name, "active": true, "kind": "solo", "duration": EVENT_MINUTES,
        })
    };
    collection(&[one("Session"), one("Talk")])
}

async fn list(
    State(app): State<SharedState>,
    headers: HeaderMap,
    Query(query): Parameters,
) -> Response {
    if let Some(refusal) = unauthenticated(&app, &headers).or_else(|| wrong_user(&app, &query)) {
        return refusal;
    }
    let bound = |name: &str| query.get(name).map(|text| text.parse::<Timestamp>());
    let (Ok(from), Ok(to)) =
        (bound("min_start_time").transpose(), bound("max_start_time").transpose())
    else {
        return invalid("min_start_time", "is not a time");
    };
    let events = app.scheduling.lock().clone();
    let fits = |event: &Event| {
        let status = if event.canceled.is_some() { "canceled" } else { "active" };
        query.get("status").is_none_or(|wanted| wanted == status)
            && query.get("invitee_email").is_none_or(|it| it.eq_ignore_ascii_case(&event.email))
            && from.is_none_or(|from| from <= event.starts_at)
            && to.is_none_or(|to| event.starts_at < to)
    };
    let found = events.iter().filter(|(_, event)| fits(event));
    let found: Vec<Value> = found.map(|(id, event)| event_json(&app, id, event)).collect();
    collection(&found)
}

async fn one(
    State(app): State<SharedState>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Response {
    if let Some(refusal) = unauthenticated(&app, &headers) {
        return refusal;
    }
    match app.scheduling.lock().get(&id) {
        Some(event) => Json(json!({ "resource": event_json(&app, &id, event) })).into_response(),
        None => not_found(),
    }
}

async fn invitees(
    State(app): State<SharedState>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Response {
    if let Some(refusal) = unauthenticated(&app, &headers) {
        return refusal;
    }
    match app.scheduling.lock().get(&id) {
        Some(event) => collection(&[invitee_json(&app, &id, event)]),
        None => not_found(),
    }
}

/// What is sent beyond these fields is refused, so that all that the provider learns can be seen.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewInvitee {
    event_type: String,
    start_time: String,
    invitee: Person,
    #[serde(default)]
    tracking: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Person {
    name: String,
    #[serde(default, rename = "first_name")]
    _first_name: String,
    #[serde(default, rename = "last_name")]
    _last_name: String,
    email: String,
    timezone: String,
}

async fn create(State(app): State<SharedState>, headers: HeaderMap, body: Bytes) -> Response {
    if let Some(refusal) = unauthenticated(&app, &headers) {
        return refusal;
    }
    let Ok(new) = serde_json::from_slice::<NewInvitee>(&body) else {
        return invalid("invitee", "event_type, start_time and an invitee must be provided");
    };
    let starts_at = new.start_time.parse::<Timestamp>();
    let (Ok(starts_at), true) = (starts_at, new.start_time.ends_with('Z')) else {
        return invalid("start_time", "must be a time in UTC");
    };
    let is_past = starts_at.as_millisecond() <= clock::now_ms() - 24 * 60 * 60 * 1000;
    if is_past && !app.switches.current().takes_past_starts() {
        return invalid("start_time", "must be in the future");
    }
    let texts = [&new.invitee.name, &new.invitee.email, &new.invitee.timezone];
    let fits = |text: &&String| (1..=TEXT_CHARS_MAX).contains(&text.trim().chars().count());
    if !texts.iter().all(fits) || !new.invitee.email.contains('@') {
        return invalid("invitee", "name, email and timezone must be provided");
    }
    if !new.event_type.starts_with(&format!("{}/event_types/", base(&app))) {
        return invalid("event_type", "does not exist");
    }
    let mut events = app.scheduling.lock();
    if events.values().any(|event| event.canceled.is_none() && event.starts_at == starts_at) {
        return invalid("start_time", "This time is no longer available.");
    }
    let id = ids::random_text(16);
    let event = Event {
        starts_at,
        canceled: None,
        event_type: new.event_type,
        name: new.invitee.name,
        email: new.invitee.email,
        timezone: new.invitee.timezone,
        tracking: new.tracking,
    };
    let answer = invitee_json(&app, &id, &event);
    events.insert(id, event);
    (StatusCode::CREATED, Json(json!({ "resource": answer }))).into_response()
}

#[derive(Default, Deserialize)]
struct Cancellation {
    #[serde(default)]
    reason: String,
}

async fn cancel(
    State(app): State<SharedState>,
    headers: HeaderMap,
    Path(id): Path<String>,
    body: Bytes,
) -> Response {
    if let Some(refusal) = unauthenticated(&app, &headers) {
        return refusal;
    }
    let given: Cancellation = serde_json::from_slice(&body).unwrap_or_default();
    let mut events = app.scheduling.lock();
    let Some(event) = events.get_mut(&id) else { return not_found() };
    if event.canceled.is_some() {
        let message = "Event in the past or already canceled.";
        return refuse(StatusCode::FORBIDDEN, "Permission Denied", message);
    }
    event.canceled = Some(given.reason.clone());
    let cancellation = json!({ "canceled_by": "Owner", "reason": given.reason });
    (StatusCode::CREATED, Json(json!({ "resource": cancellation }))).into_response()
}
