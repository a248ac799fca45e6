//! Zoom, as its API (v2) and its server-to-server OAuth are documented, below `/zoom`: tokens, and
//! the scheduled meetings of a user. A restart forgets everything.

use std::collections::BTreeMap;

use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rand::RngExt as _;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::clock;
use crate::faults::{Fault, Kind};
use crate::ids;
use crate::state::{AppState, SharedState};
use crate::zoom_meetings::{Meeting, USERS};

/// The account and the app's credentials.
const ACCOUNT: &str = "demo-zoom-account";
const CLIENT: &str = "demo-zoom-client";
const SECRET: &str = "demo-zoom-secret";
/// For how many seconds a token holds.
const TOKEN_SECONDS: i64 = 3600;
/// How many meetings of a user can be made or changed in a day (UTC).
const PER_DAY: u32 = 100;
/// The longest topic and agenda, and how much of an agenda a list shows.
const TOPIC_CHARS_MAX: usize = 200;
const AGENDA_CHARS_MAX: usize = 2000;
const LISTED_AGENDA_CHARS: usize = 250;

pub(crate) fn routes() -> Router<SharedState> {
    Router::new()
        .route("/zoom/oauth/token", post(token))
        .route("/zoom/v2/users/{user}/meetings", post(create).get(list))
        .route("/zoom/v2/meetings/{number}", get(fetch).patch(change).delete(delete))
        .route("/api/zoom", get(everything).delete(lose))
}

fn refuse(status: StatusCode, code: i64, message: &str) -> Response {
    (status, Json(json!({ "code": code, "message": message }))).into_response()
}

fn invalid(field: &str) -> Response {
    let errors = json!([{ "field": field, "message": "Invalid field." }]);
    let body = json!({ "code": 300, "message": "Validation Failed.", "errors": errors });
    (StatusCode::BAD_REQUEST, Json(body)).into_response()
}

fn missing(number: &str) -> Response {
    refuse(StatusCode::NOT_FOUND, 3001, &format!("Meeting does not exist: {number}."))
}

/// Whether faults of this target are answered in Zoom's own form.
pub(crate) fn is_target(target: &str) -> bool {
    target.starts_with("zoom.")
}

/// The refusal of an ordered fault: `code` is Zoom's own. A 429 with `delay_ms` is the limit by the
/// second, which says for how long; without it the limit of the day, which does not.
pub(crate) fn injected(fault: &Fault) -> Response {
    let usual = if fault.kind == Kind::Refuse { 400 } else { 500 };
    let status = StatusCode::from_u16(fault.status.unwrap_or(usual));
    let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let code = fault.code.as_deref().and_then(|code| code.parse().ok());
    let code = code.unwrap_or_else(|| i64::from(status.as_u16()));
    match (status, fault.delay_ms) {
        (StatusCode::TOO_MANY_REQUESTS, None) => over_the_day(),
        (StatusCode::TOO_MANY_REQUESTS, Some(pause)) => {
            let message = "You have reached the maximum per-second rate limit for this API.";
            let seconds = pause.div_ceil(1000).to_string();
            let headers = [("x-ratelimit-type", "QPS".to_owned()), (RETRY_AFTER.as_str(), seconds)];
            (headers, refuse(status, 429, message)).into_response()
        }
        _ => refuse(status, code, "An ordered refusal."),
    }
}

/// As users report it: without a time to wait for.
fn over_the_day() -> Response {
    let message = "You have exceeded the daily rate limit (100) of Meeting Create/Update API \
                   requests permitted for this particular user. You may resume these requests at \
                   GMT 00:00:00.";
    let headers = [("x-ratelimit-category", "Light"), ("x-ratelimit-remaining", "5893")];
    (headers, refuse(StatusCode::TOO_MANY_REQUESTS, 429, message)).into_response()
}

fn refuse_token(error: &str, reason: &str) -> Response {
    let body = json!({ "reason": reason, "error": error });
    (StatusCode::BAD_REQUEST, Json(body)).into_response()
}

/// A token for the app. The values stand in the body as a form, and nowhere else.
async fn token(State(app): State<SharedState>, headers: HeaderMap, body: Bytes) -> Response {
    let header = |name: &str| headers.get(name).and_then(|it| it.to_str().ok()).unwrap_or_default();
    let basic = STANDARD.encode(format!("{CLIENT}:{SECRET}"));
    if header(AUTHORIZATION.as_str()) != format!("Basic {basic}") {
        return refuse_token("invalid_client", "Invalid client_id or client_secret");
    }
    let is_form = header(CONTENT_TYPE.as_str()).starts_with("application/x-www-form-urlencoded");
    let text = String::from_utf8_lossy(&body);
    let has = |pair: String| is_form && text.split('&').any(|it| it == pair);
    if !has("grant_type=account_credentials".to_owned()) {
        return refuse_token("unsupported_grant_type", "unsupported grant type");
    }
    if !has(format!("account_id={ACCOUNT}")) {
        return refuse_token("invalid_request", "Bad Request");
    }
    let value = ids::random_text(40);
    // Users report that a further token takes the ones before back.
    app.zoom.lock().token = Some((value.clone(), clock::now_s() + TOKEN_SECONDS));
    Json(json!({
        "access_token": value, "token_type": "bearer", "expires_in": TOKEN_SECONDS,
        "scope": "meeting:write:meeting:admin meeting:read:list_meetings:admin",
    }))
    .into_response()
}

fn unauthenticated(app: &AppState, headers: &HeaderMap) -> Option<Response> {
    let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let given = given.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
    match &app.zoom.lock().token {
        Some((value, until)) if value == given => (*until <= clock::now_s())
            .then(|| refuse(StatusCode::UNAUTHORIZED, 124, "Access token is expired.")),
        _ => Some(refuse(StatusCode::UNAUTHORIZED, 124, "Invalid access token.")),
    }
}

fn unknown_user(user: &str) -> Option<Response> {
    let message = format!("User does not exist: {user}.");
    (!USERS.contains(&user)).then(|| refuse(StatusCode::NOT_FOUND, 1001, &message))
}

/// What is sent beyond these fields is refused, so that all that Zoom learns can be seen.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewMeeting {
    topic: String,
    #[serde(rename = "type")]
    kind: u8,
    start_time: Option<String>,
    duration: Option<u32>,
    timezone: String,
    agenda: String,
    settings: Map<String, Value>,
}

/// The settings that are known here.
fn is_setting(name: &str, value: &Value) -> bool {
    match name {
        "waiting_room" | "join_before_host" | "use_pmi" | "meeting_authentication" => {
            value.is_boolean()
        }
        "approval_type" => value.as_u64().is_some_and(|it| it <= 2),
        "auto_recording" => {
            value.as_str().is_some_and(|it| ["local", "cloud", "none"].contains(&it))
        }
        _ => false,
    }
}

fn problem_of(new: &NewMeeting) -> Option<&'static str> {
    let time = new.start_time.as_deref();
    let is_utc = |it: &str| it.ends_with('Z') && it.parse::<jiff::Timestamp>().is_ok();
    [
        ("topic", (1..=TOPIC_CHARS_MAX).contains(&new.topic.chars().count())),
        ("agenda", new.agenda.chars().count() <= AGENDA_CHARS_MAX),
        ("type", matches!(new.kind, 2 | 3)),
        ("start_time", (new.kind == 2) == time.is_some() && time.is_none_or(is_utc)),
        ("duration", new.duration.is_none_or(|it| (1..=1440).contains(&it))),
        ("timezone", jiff::tz::TimeZone::get(&new.timezone).is_ok()),
        ("settings", new.settings.iter().all(|(name, value)| is_setting(name, value))),
    ]
    .into_iter()
    .find_map(|(field, good)| (!good).then_some(field))
}

async fn create(
    State(app): State<SharedState>,
    Path(user): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if let Some(refusal) = unauthenticated(&app, &headers).or_else(|| unknown_user(&user)) {
        return refusal;
    }
    let Ok(new) = serde_json::from_slice::<NewMeeting>(&body) else {
        return refuse(StatusCode::BAD_REQUEST, 300, "Request Body should be a valid JSON object.");
    };
    if let Some(field) = problem_of(&new) {
        return invalid(field);
    }
    let mut zoom = app.zoom.lock();
    let today = clock::now_s() / 86_400;
    let made = zoom.made.entry((user.clone(), today)).or_default();
    if *made >= PER_DAY {
        return over_the_day();
    }
    *made += 1;
    let number = rand::rng().random_range(80_000_000_000_i64..90_000_000_000);
    let passcode = ids::random_text(20);
    let meeting = Meeting {
        number,
        user,
        topic: new.topic,
        kind: new.kind,
        start_time: new.start_time,
        duration: new.duration,
        agenda: new.agenda,
        settings: new.settings.into(),
        join_url: format!("{}/zoom/j/{number}?pwd={passcode}", app.public_url),
    };
    let answer = meeting.json();
    zoom.meetings.insert(number.to_string(), meeting);
    (StatusCode::CREATED, Json(answer)).into_response()
}

async fn list(
    State(app): State<SharedState>,
    Path(user): Path<String>,
    headers: HeaderMap,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    if let Some(refusal) = unauthenticated(&app, &headers).or_else(|| unknown_user(&user)) {
        return refusal;
    }
    let size = query.get("page_size").map_or(Ok(30), |it| it.parse::<usize>());
    let from = query.get("next_page_token").map_or(Ok(0), |it| it.parse::<usize>());
    let (Ok(size @ 1..=300), Ok(from)) = (size, from) else { return invalid("page_size") };
    // A page is never full, so that a caller who does not turn pages finds only half.
    let size = size.min(2);
    let zoom = app.zoom.lock();
    let own: Vec<&Meeting> = zoom.meetings.values().filter(|it| it.user == user).collect();
    let listed = own.iter().skip(from).take(size).map(|it| {
        let mut shown = it.json();
        let agenda: String = it.agenda.chars().take(LISTED_AGENDA_CHARS).collect();
        if let Some(fields) = shown.as_object_mut() {
            fields.insert("agenda".to_owned(), agenda.into());
            // The passcode is in the answer about one meeting only.
            let plain = it.join_url.split('?').next().unwrap_or_default();
            fields.insert("join_url".to_owned(), plain.into());
            fields.remove("settings");
            fields.remove("start_url");
        }
        shown
    });
    let listed: Vec<Value> = listed.collect();
    let next = from + listed.len();
    let next = if next < own.len() { next.to_string() } else { String::new() };
    Json(json!({
        "page_size": size, "total_records": own.len(), "next_page_token": next,
        "meetings": listed,
    }))
    .into_response()
}

async fn fetch(
    State(app): State<SharedState>,
    Path(number): Path<String>,
    headers: HeaderMap,
) -> Response {
    if let Some(refusal) = unauthenticated(&app, &headers) {
        return refusal;
    }
    match app.zoom.lock().meetings.get(&number) {
        Some(meeting) => Json(meeting.json()).into_response(),
        None => missing(&number),
    }
}

/// What of a meeting is changed; other fields are refused, as of a new one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Change {
    start_time: String,
    duration: u32,
}

/// Another time. A user's limit of a day is that of making and changing together.
async fn change(
    State(app): State<SharedState>,
    Path(number): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if let Some(refusal) = unauthenticated(&app, &headers) {
        return refusal;
    }
    let Ok(change) = serde_json::from_slice::<Change>(&body) else {
        return refuse(StatusCode::BAD_REQUEST, 300, "Request Body should be a valid JSON object.");
    };
    let is_utc = change.start_time.ends_with('Z');
    if !is_utc || change.start_time.parse::<jiff::Timestamp>().is_err() {
        return invalid("start_time");
    }
    if !(1..=1440).contains(&change.duration) {
        return invalid("duration");
    }
    let mut zoom = app.zoom.lock();
    let account = &mut *zoom;
    let Some(meeting) = account.meetings.get_mut(&number) else { return missing(&number) };
    let today = clock::now_s() / 86_400;
    let made = account.made.entry((meeting.user.clone(), today)).or_default();
    if *made >= PER_DAY {
        return over_the_day();
    }
    *made += 1;
    meeting.start_time = Some(change.start_time);
    meeting.duration = Some(change.duration);
    StatusCode::NO_CONTENT.into_response()
}

async fn delete(
    State(app): State<SharedState>,
    Path(number): Path<String>,
    headers: HeaderMap,
) -> Response {
    if let Some(refusal) = unauthenticated(&app, &headers) {
        return refusal;
    }
    match app.zoom.lock().meetings.remove(&number) {
        Some(_gone) => StatusCode::NO_CONTENT.into_response(),
        None => missing(&number),
    }
}

/// Every meeting, for tests.
async fn everything(State(app): State<SharedState>) -> Json<Vec<Value>> {
    Json(app.zoom.lock().meetings.values().map(Meeting::json).collect())
}

/// A person deletes every meeting on Zoom's own pages, and its token ends.
async fn lose(State(app): State<SharedState>) -> StatusCode {
    let mut zoom = app.zoom.lock();
    zoom.meetings.clear();
    zoom.token = None;
    StatusCode::NO_CONTENT
}
