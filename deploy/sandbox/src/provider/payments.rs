//! Calls that show and capture payments.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use serde_json::Value;

use crate::provider::errors::{Answer, ApiError};
use crate::provider::requests::{ListFilter, read_amount, read_json, reject_unknown_fields};
use crate::provider::{bank, entities};
use crate::state::SharedState;

pub(crate) async fn fetch(State(app): State<SharedState>, Path(id): Path<String>) -> Answer {
    let store = app.store();
    let payment = store.payments().get(&id).ok_or_else(ApiError::unknown_id)?;
    Ok(Json(entities::payment(payment)))
}

/// Every payment of the account, newest first.
pub(crate) async fn list(
    State(app): State<SharedState>,
    Query(filter): Query<ListFilter>,
) -> Answer {
    let store = app.store();
    let payments = store.payments().iter().rev();
    let listed = payments.filter(|payment| filter.takes(payment.created_at));
    let items: Vec<_> = filter.page(listed, 100)?.map(entities::payment).collect();
    Ok(Json(entities::collection(&items)))
}

pub(crate) async fn capture(
    State(app): State<SharedState>,
    Path(id): Path<String>,
    body: Bytes,
) -> Answer {
    let given = read_json(&body)?;
    reject_unknown_fields(&given, &["amount", "currency"])?;
    let amount = read_amount(&given)?
        .ok_or_else(|| ApiError::bad_field("amount", "The amount field is required."))?;
    let currency = given
        .get("currency")
        .and_then(Value::as_str)
        .ok_or_else(|| ApiError::bad_field("currency", "The currency field is required."))?;
    Ok(Json(entities::payment(&bank::capture(&app, &id, (amount, currency))?)))
}
