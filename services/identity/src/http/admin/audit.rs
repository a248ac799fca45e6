//! GET /admin/audit: what was done to accounts, newest first.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

use crate::app::App;
use crate::http::admin::key::Administrator;
use crate::http::admin::paging::Page;
use crate::http::error::ApiError;
use crate::http::request::{Parameters, parameter};
use crate::repository::audit::{self, Entry, Field};

pub(super) async fn list(
    State(app): State<App>,
    _administrator: Administrator,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let page = Page::of(&parameters)?;
    let search = parameter(&parameters, "query").map(search).transpose()?;
    let (entries, total) = audit::page(app.store.pool(), search, page.bounds()).await?;
    let shown: Vec<Value> = entries.iter().map(entry).collect();
    let headers = page.headers("/admin/audit", &parameters, total);
    Ok((headers, Json(shown)).into_response())
}

/// `author:text`, `action:text` or `type:text`.
fn search(query: &str) -> Result<(Field, &str), ApiError> {
    let named = query.split_once(':').and_then(|(scope, text)| match scope {
        "author" => Some((Field::Author, text)),
        "action" => Some((Field::Action, text)),
        "type" => Some((Field::Type, text)),
        _ => None,
    });
    named.ok_or_else(|| {
        let shown: String = query.chars().filter(|c| !c.is_control()).take(60).collect();
        ApiError::invalid(format!("Invalid query scope: {shown}"))
    })
}

fn entry(entry: &Entry) -> Value {
    json!({
        "id": entry.audit_id,
        "payload": {
            "actor_id": entry.actor_id,
            "actor_via_sso": false,
            "actor_username": entry.actor_name,
            "action": entry.action,
            "log_type": entry.log_type,
            "traits": entry.traits,
        },
        "created_at": entry.created_at,
        "ip_address": entry.network.as_deref().unwrap_or_default(),
    })
}
