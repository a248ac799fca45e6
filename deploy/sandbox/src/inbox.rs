//! The inbox: every accepted mail, as JSON for programs and as a page for people.

use axum::extract::{Path, Query, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::assets;
use crate::state::SharedState;
use crate::store::rows::{Change, Mail};

const PAGE: &str = include_str!("inbox/inbox.html");
const CSS: &str = concat!(include_str!("assets/paper.css"), include_str!("inbox/inbox.css"));
const SCRIPT: &str = include_str!("inbox/inbox.js");
/// How many characters of a mail the list shows.
const PREVIEW: usize = 120;

pub(crate) fn routes() -> Router<SharedState> {
    Router::new()
        .route("/api/inbox", get(list).delete(clear))
        .route("/api/inbox/{id}", get(one))
        .route("/inbox", get(|| async { assets::mail_page(PAGE) }))
        .route("/inbox/list", get(summaries))
        .route("/inbox/inbox.css", get(|| async { assets::file(assets::CSS, CSS) }))
        .route("/inbox/inbox.js", get(|| async { assets::file(assets::SCRIPT, SCRIPT) }))
        .route("/inbox/{id}/{number}", get(attachment))
}

#[derive(Deserialize)]
struct Filter {
    to: Option<String>,
}

async fn list(State(app): State<SharedState>, Query(filter): Query<Filter>) -> Json<Vec<Mail>> {
    let store = app.store();
    let wanted = |mail: &&Mail| match &filter.to {
        Some(to) => mail.to.iter().any(|it| it.eq_ignore_ascii_case(to)),
        None => true,
    };
    Json(store.mails().iter().rev().filter(wanted).cloned().collect())
}

async fn one(State(app): State<SharedState>, Path(id): Path<String>) -> Response {
    match app.store().mails().get(&id) {
        Some(mail) => Json(mail).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn clear(State(app): State<SharedState>) -> StatusCode {
    match app.commit(Change::InboxCleared) {
        Ok(()) => StatusCode::NO_CONTENT,
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// The list without bodies, and a version that grows with every change.
async fn summaries(State(app): State<SharedState>) -> Json<Value> {
    let store = app.store();
    let mails = store.mails().iter().rev().map(|mail| {
        json!({
            "id": mail.id,
            "from": mail.from_name.as_ref().unwrap_or(&mail.from),
            "to": mail.to,
            "subject": mail.subject,
            "preview": preview(mail),
            "attachments": mail.attachments.len(),
            "receivedAt": mail.received_at,
        })
    });
    Json(json!({ "version": store.inbox_version(), "mails": mails.collect::<Vec<_>>() }))
}

fn preview(mail: &Mail) -> String {
    let text = mail.text.as_deref().unwrap_or_default();
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().take(PREVIEW).collect()
}

async fn attachment(
    State(app): State<SharedState>,
    Path((id, number)): Path<(String, usize)>,
) -> Response {
    let store = app.store();
    let mail = store.mails().get(&id);
    let Some(file) = mail.and_then(|mail| mail.attachments.get(number)) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let bytes = STANDARD.decode(&file.base64).unwrap_or_default();
    let safe = |it: char| {
        if it.is_ascii_alphanumeric() || "._- ".contains(it) { it } else { '_' }
    };
    let name: String = file.filename.chars().map(safe).collect();
    let disposition = HeaderValue::from_str(&format!("attachment; filename=\"{name}\""));
    let kind = HeaderValue::from_str(&file.content_type);
    let mut response = bytes.into_response();
    let headers = response.headers_mut();
    let unknown = HeaderValue::from_static("application/octet-stream");
    headers.insert(CONTENT_TYPE, kind.unwrap_or(unknown));
    let unnamed = HeaderValue::from_static("attachment");
    headers.insert(CONTENT_DISPOSITION, disposition.unwrap_or(unnamed));
    headers.insert("x-content-type-options", HeaderValue::from_static("nosniff"));
    response
}
