//! An external scheduling provider on the network, at least as strict as Calendly's API (v2):
//! bearer token, required fields, times in UTC that are to come, no two events at a time, no second
//! cancellation.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};

pub(crate) const TOKEN: &str = "token-of-the-scheduling-provider";

/// What goes wrong with the next request of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is refused with a status and this message.
    Refused(u16, &'static str),
    /// It is refused until so many seconds have passed.
    TooMany(u32),
    /// It is done, and the answer is no JSON.
    AnswerLost,
}

#[derive(Debug, Default)]
struct Book {
    event_types: usize,
    events: BTreeMap<String, Value>,
    faults: BTreeMap<&'static str, Vec<Fault>>,
    asked: Vec<String>,
}

/// The provider.
#[derive(Debug, Clone)]
pub(crate) struct SchedulingServer {
    pub(crate) url: String,
    book: Arc<Mutex<Book>>,
}

impl SchedulingServer {
    pub(crate) async fn new() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let book = Book { event_types: 2, ..Book::default() };
        let server = Self { url, book: Arc::new(Mutex::new(book)) };
        let router = Router::new()
            .route("/event_types", get(event_types))
            .route("/scheduled_events", get(scheduled_events))
            .route("/scheduled_events/{id}", get(scheduled_event))
            .route("/scheduled_events/{id}/invitees", get(invitees))
            .route("/scheduled_events/{id}/cancellation", post(cancel))
            .route("/invitees", post(create))
            .with_state(server.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        server
    }

    pub(crate) fn user(&self) -> String {
        format!("{}/users/OWNER", self.url)
    }

    /// The next request of a kind ("event_types", "invitees", "cancellation") goes wrong.
    pub(crate) fn fails(&self, kind: &'static str, fault: Fault) {
        self.book.lock().unwrap().faults.entry(kind).or_default().push(fault);
    }

    pub(crate) fn has_event_types(&self, count: usize) {
        self.book.lock().unwrap().event_types = count;
    }

    /// The events with this status.
    pub(crate) fn events(&self, status: &str) -> Vec<Value> {
        let book = self.book.lock().unwrap();
        book.events.values().filter(|event| event["status"] == status).cloned().collect()
    }

    /// The bodies of all requests so far.
    pub(crate) fn asked(&self) -> String {
        self.book.lock().unwrap().asked.join("\n")
    }

    fn fault(&self, kind: &'static str) -> Option<Fault> {
        let mut book = self.book.lock().unwrap();
        let faults = book.faults.get_mut(kind)?;
        if faults.is_empty() { None } else { Some(faults.remove(0)) }
    }

    /// The refusal of a request, if it is refused.
    fn refusal(&self, headers: &HeaderMap, kind: &'static str) -> Result<Option<Fault>, Response> {
        let token = headers.get("authorization").and_then(|it| it.to_str().ok());
        if token != Some(format!("Bearer {TOKEN}").as_str()) {
            return Err(refused(401, "The access token is invalid"));
        }
        match self.fault(kind) {
            Some(Fault::Refused(status, message)) => Err(refused(status, message)),
            Some(Fault::TooMany(seconds)) => {
                let answer = refused(429, "Too many requests");
                Err(([("retry-after", seconds.to_string())], answer).into_response())
            }
            other => Ok(other),
        }
    }
}

fn refused(status: u16, message: &str) -> Response {
    let status = StatusCode::from_u16(status).unwrap();
    (status, Json(json!({ "title": "Refused", "message": message }))).into_response()
}

fn collection(items: Vec<Value>) -> Response {
    Json(json!({ "collection": items, "pagination": { "count": items.len() } })).into_response()
}

type Parameters = Query<BTreeMap<String, String>>;

async fn event_types(
    State(server): State<SchedulingServer>,
    headers: HeaderMap,
    Query(query): Parameters,
) -> Response {
    if let Err(refusal) = server.refusal(&headers, "event_types") {
        return refusal;
    }
    if query.get("user") != Some(&server.user()) {
        return refused(400, "The supplied parameters are invalid.");
    }
    let count = server.book.lock().unwrap().event_types;
    let one = |number| json!({ "uri": format!("{}/event_types/T{number}", server.url) });
    collection((1..=count).map(one).collect())
}

async fn scheduled_events(
    State(server): State<SchedulingServer>,
    headers: HeaderMap,
    Query(query): Parameters,
) -> Response {
    if let Err(refusal) = server.refusal(&headers, "scheduled_events") {
        return refusal;
    }
    let wanted = |name: &str| query.get(name).cloned().unwrap_or_default();
    let book = server.book.lock().unwrap();
    let fits = |event: &&Value| {
        let start = event["start_time"].as_str().unwrap_or_default();
        event["invitee"]["email"] == wanted("invitee_email").as_str()
            && event["status"] == wanted("status").as_str()
            && wanted("min_start_time").as_str() <= start
            && start < wanted("max_start_time").as_str()
    };
    collection(book.events.values().filter(fits).cloned().collect())
}

async fn scheduled_event(
    State(server): State<SchedulingServer>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Response {
    if let Err(refusal) = server.refusal(&headers, "scheduled_event") {
        return refusal;
    }
    match server.book.lock().unwrap().events.get(&id) {
        Some(event) => Json(json!({ "resource": event })).into_response(),
        None => refused(404, "The server could not find the requested resource."),
    }
}

async fn invitees(
    State(server): State<SchedulingServer>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Response {
    if let Err(refusal) = server.refusal(&headers, "list_invitees") {
        return refusal;
    }
    let book = server.book.lock().unwrap();
    collection(book.events.get(&id).map(|event| event["invitee"].clone()).into_iter().collect())
}

async fn create(
    State(server): State<SchedulingServer>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Response {
    let fault = match server.refusal(&headers, "invitees") {
        Ok(fault) => fault,
        Err(refusal) => return refusal,
    };
    let mut book = server.book.lock().unwrap();
    book.asked.push(body.to_string());
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let start = text(&body["start_time"]);
    let person = &body["invitee"];
    let complete = [&person["name"], &person["email"], &person["timezone"], &body["event_type"]];
    if complete.iter().any(|it| text(it).is_empty()) || !start.ends_with('Z') {
        return refused(400, "The supplied parameters are invalid.");
    }
    if book.events.values().any(|event| event["start_time"] == start && event["status"] == "active")
    {
        return refused(400, "This time is no longer available.");
    }
    let id = format!("E{}", book.events.len() + 1);
    let uri = format!("{}/scheduled_events/{id}", server.url);
    let invitee = json!({
        "uri": format!("{uri}/invitees/I1"), "event": uri, "email": person["email"],
        "tracking": body["tracking"], "status": "active",
    });
    let event = json!({
        "uri": uri, "status": "active", "start_time": start, "event_type": body["event_type"],
        "invitee": invitee,
    });
    book.events.insert(id, event);
    if fault == Some(Fault::AnswerLost) {
        return (StatusCode::OK, "<html>gateway timeout</html>").into_response();
    }
    (StatusCode::CREATED, Json(json!({ "resource": invitee }))).into_response()
}

async fn cancel(
    State(server): State<SchedulingServer>,
    headers: HeaderMap,
    Path(id): Path<String>,
    Json(_reason): Json<Value>,
) -> Response {
    let fault = match server.refusal(&headers, "cancellation") {
        Ok(fault) => fault,
        Err(refusal) => return refusal,
    };
    let mut book = server.book.lock().unwrap();
    let Some(event) = book.events.get_mut(&id) else {
        return refused(404, "The server could not find the requested resource.");
    };
    if event["status"] == "canceled" {
        return refused(403, "Event in the past or already canceled.");
    }
    event["status"] = json!("canceled");
    if fault == Some(Fault::AnswerLost) {
        return (StatusCode::OK, "<html>gateway timeout</html>").into_response();
    }
    (StatusCode::CREATED, Json(json!({ "resource": { "canceled_by": "OWNER" } }))).into_response()
}
