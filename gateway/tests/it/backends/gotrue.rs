//! A GoTrue server with one account: refresh tokens that rotate, the parent of the active one
//! honoured, an older one ending the session. It records its requests and fails on demand.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Json;
use axum::extract::{Query, Request, State};
use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::Notify;

#[derive(Clone, Default)]
pub(crate) struct GoTrue {
    state: Arc<Mutex<ServerState>>,
    signed_out: Arc<Notify>,
}

#[derive(Default)]
struct ServerState {
    /// The active refresh token is `r<number>`; none without a session.
    active: Option<u32>,
    issued: u32,
    /// The refresh tokens of sessions that had begun before, and live.
    earlier: Vec<u32>,
    /// The status that every request gets until it is taken away.
    failing: Option<u16>,
    compressing: bool,
    requests: Vec<(String, HeaderMap, Value)>,
}

impl GoTrue {
    /// Starts it and returns its URL.
    pub(crate) async fn start() -> (String, Self) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let server = Self::default();
        let router = axum::Router::new().fallback(answer).with_state(server.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        (address, server)
    }

    /// From now on every request gets this status, or none does.
    pub(crate) fn fail_with(&self, status: Option<u16>) {
        self.state.lock().unwrap().failing = status;
    }

    /// From now on answers say that they are compressed.
    pub(crate) fn compress(&self) {
        self.state.lock().unwrap().compressing = true;
    }

    /// The number of the active refresh token.
    pub(crate) fn active(&self) -> Option<u32> {
        self.state.lock().unwrap().active
    }

    /// The numbers of the refresh tokens of sessions that had begun before, and live.
    pub(crate) fn earlier(&self) -> Vec<u32> {
        self.state.lock().unwrap().earlier.clone()
    }

    /// Waits until a session was signed out since it was asked last.
    pub(crate) async fn sign_out_arrives(&self) {
        let waiting = tokio::time::timeout(Duration::from_secs(120), self.signed_out.notified());
        waiting.await.expect("no session was signed out");
    }

    /// Path and query, headers and body of the last request.
    pub(crate) fn last(&self) -> (String, HeaderMap, Value) {
        self.state.lock().unwrap().requests.last().unwrap().clone()
    }

    pub(crate) fn count(&self) -> usize {
        self.state.lock().unwrap().requests.len()
    }
}

impl ServerState {
    /// Begins a session beside those that live.
    fn begin(&mut self) -> Response {
        self.earlier.extend(self.active.take());
        self.session()
    }

    /// Continues an earlier session: its access token says which.
    fn continue_earlier(token: &str) -> Response {
        let access_token = format!("earlier.{token}.token");
        Json(json!({ "access_token": access_token, "refresh_token": "r900" })).into_response()
    }

    fn end(&mut self, headers: &HeaderMap) -> Response {
        let bearer = headers.get("authorization").and_then(|it| it.to_str().ok());
        match bearer.and_then(|it| it.strip_prefix("Bearer earlier.r")?.strip_suffix(".token")) {
            Some(number) => self.earlier.retain(|one| one.to_string() != number),
            None => self.active = None,
        }
        StatusCode::NO_CONTENT.into_response()
    }

    fn session(&mut self) -> Response {
        if self.active.is_none() {
            self.issued += 1;
            self.active = Some(self.issued);
        }
        let token = format!("r{}", self.active.unwrap_or_default());
        let session = json!({
            "access_token": "an.access.token", "token_type": "bearer", "refresh_token": token,
            "expires_in": 3600, "expires_at": 4_000_000_000_u32,
            "user": { "id": "u1", "user_metadata": { "refresh_token": "mine" } },
        });
        if self.compressing {
            return ([("content-encoding", "br")], session.to_string()).into_response();
        }
        ([("set-cookie", "sb=1")], Json(session)).into_response()
    }

    fn refresh(&mut self, token: &str) -> Response {
        let number = token.strip_prefix('r').and_then(|number| number.parse::<u32>().ok());
        if number.is_some_and(|number| self.earlier.contains(&number)) {
            return Self::continue_earlier(token);
        }
        match (self.active, number) {
            (Some(active), Some(number)) if number == active => {
                self.active = None;
                self.session()
            }
            (Some(active), Some(number)) if number + 1 == active => self.session(),
            (_, known) => {
                self.active = None;
                let code = if known.is_some_and(|number| number <= self.issued) {
                    "refresh_token_already_used"
                } else {
                    "refresh_token_not_found"
                };
                refused(400, code)
            }
        }
    }
}

async fn answer(
    State(server): State<GoTrue>,
    Query(parameters): Query<Vec<(String, String)>>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let path = parts.uri.path_and_query().unwrap().to_string();
    let mut state = server.state.lock().unwrap();
    let headers = parts.headers;
    state.requests.push((path, headers.clone(), body.clone()));
    if let Some(status) = state.failing {
        return refused(status, "unexpected_failure");
    }
    let refreshes = parameters.iter().any(|(_, value)| value == "refresh_token");
    match parts.uri.path() {
        "/token" if refreshes => state.refresh(body["refresh_token"].as_str().unwrap_or_default()),
        "/token" | "/signup" | "/verify" | "/passkeys/verify" => state.begin(),
        "/factors/f1/verify" => state.session(),
        "/logout" => {
            server.signed_out.notify_one();
            state.end(&headers)
        }
        "/user" => Json(json!({ "id": "u1", "email": "a@b.example" })).into_response(),
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

fn refused(status: u16, code: &str) -> Response {
    let status = StatusCode::from_u16(status).unwrap();
    (status, Json(json!({ "code": status.as_u16(), "error_code": code, "msg": "x" })))
        .into_response()
}
