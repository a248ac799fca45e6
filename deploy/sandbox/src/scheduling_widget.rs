//! The scheduling provider's own widget, which other sites show in a frame: a visitor chooses a
//! time, gives a name and an address, and the page that frames it is told by the documented
//! message. The message names addresses only.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::assets;
use crate::clock;
use crate::faults::Kind;
use crate::ids;
use crate::scheduled_events::Event;
use crate::scheduling::{base, invalid, not_found};
use crate::state::{AppState, SharedState};

const PAGE: &str = include_str!("scheduling_widget/widget.html");
const SCRIPT: &str = include_str!("scheduling_widget/widget.js");
const ELSEWHERE: &str = include_str!("scheduling_widget/elsewhere.html");
const ELSEWHERE_SCRIPT: &str = include_str!("scheduling_widget/elsewhere.js");

/// The target name of faults; `code` says which one.
const TARGET: &str = "scheduling.widget";
/// How many days ahead times are shown.
const DAYS: i64 = 14;
/// The first and the last start of a day, in minutes after midnight UTC: 11:00 and 17:00 in India.
const STARTS: (i64, i64) = (330, 690);

pub(crate) fn routes() -> Router<SharedState> {
    let script =
        |text: &'static str| get(move || async move { assets::file(assets::SCRIPT, text) });
    Router::new()
        .route("/scheduling/widget.js", script(SCRIPT))
        .route("/scheduling/elsewhere.js", script(ELSEWHERE_SCRIPT))
        .route("/scheduling/elsewhere", get(elsewhere))
        .route("/scheduling/widget/{kind}", get(page))
        .route("/scheduling/widget/{kind}/times", get(times))
        .route("/scheduling/widget/{kind}/events", post(schedule))
}

async fn page(State(app): State<SharedState>, Path(kind): Path<String>) -> Response {
    let page = PAGE.replace("{kind}", &assets::escape(&kind)).replace(
        "{elsewhere}",
        &assets::escape(&format!("{}/scheduling/elsewhere", app.public_url)),
    );
    assets::framed_page(page, &app.public_url)
}

/// Passes a message on from another origin than the widget's.
async fn elsewhere() -> Response {
    assets::page(ELSEWHERE)
}

/// The free starts of the next days. They are the provider's, and know nothing of our bookings.
async fn times(State(app): State<SharedState>) -> Response {
    let now = clock::now_ms();
    let day_ms = 24 * 60 * 60 * 1000;
    let midnight = now - now.rem_euclid(day_ms);
    let events = app.scheduling.lock();
    let taken: Vec<i64> = events
        .values()
        .filter(|event| event.canceled.is_none())
        .map(|event| event.starts_at.as_millisecond())
        .collect();
    let starts = (1..=DAYS).flat_map(|day| {
        let (first, last) = STARTS;
        (0..=(last - first) / 60)
            .map(move |hour| midnight + day * day_ms + (first + hour * 60) * 60_000)
    });
    let free = starts.filter(|start| !taken.contains(start));
    let shown = free.filter_map(|start| Timestamp::from_millisecond(start).ok());
    Json(json!(shown.map(|start| start.to_string()).collect::<Vec<_>>())).into_response()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Chosen {
    start_time: String,
    name: String,
    email: String,
    tracking: Value,
}

/// Schedules an event, and says what the widget's message is to be.
async fn schedule(
    State(app): State<SharedState>,
    Path(kind): Path<String>,
    Json(chosen): Json<Chosen>,
) -> Response {
    let fault = app.faults.take(TARGET, &[Kind::Refuse]).and_then(|fault| fault.code);
    let fault = fault.as_deref().unwrap_or_default();
    let Ok(starts_at) = chosen.start_time.parse::<Timestamp>() else {
        return invalid("start_time", "must be a time");
    };
    if chosen.name.trim().is_empty() || !chosen.email.contains('@') {
        return invalid("invitee", "name and email must be provided");
    }
    let kind = if fault == "other_type" { "TALK".to_owned() } else { kind.to_uppercase() };
    if !["SESSION", "TALK"].contains(&kind.as_str()) {
        return not_found();
    }
    let mut events = app.scheduling.lock();
    let earlier = events.iter().filter(|(_, it)| it.canceled.is_none());
    let used = earlier.max_by_key(|(_, it)| it.starts_at).map(|(id, _)| id.clone());
    if events.values().any(|it| it.canceled.is_none() && it.starts_at == starts_at) {
        return invalid("start_time", "This time is no longer available.");
    }
    let id = ids::random_text(16);
    let event = Event {
        starts_at,
        canceled: None,
        event_type: format!("{}/event_types/{kind}", base(&app)),
        name: chosen.name,
        email: chosen.email,
        timezone: "Asia/Kolkata".to_owned(),
        tracking: chosen.tracking,
    };
    events.insert(id.clone(), event);
    let told = match fault {
        "unknown_uri" => ids::random_text(16),
        "used_twice" => used.unwrap_or(id),
        _ => id,
    };
    let message = message(&app, &told);
    let answer = json!({ "message": message, "from_elsewhere": fault == "wrong_origin" });
    (StatusCode::CREATED, Json(answer)).into_response()
}

/// What the widget posts to the page that frames it.
fn message(app: &AppState, id: &str) -> Value {
    let event = format!("{}/scheduled_events/{id}", base(app));
    let invitee = format!("{event}/invitees/{id}");
    json!({
        "event": "calendly.event_scheduled",
        "payload": { "event": { "uri": event }, "invitee": { "uri": invitee } },
    })
}
