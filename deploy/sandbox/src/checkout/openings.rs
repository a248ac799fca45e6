//! The call with which the checkout's frame forwards what its page sent.

use axum::extract::rejection::JsonRejection;
use axum::extract::{Path, State};
use axum::{Json, http::StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::provider::errors::ApiError;
use crate::state::SharedState;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Opening {
    key_id: String,
    /// The address of the page, as reported by the script.
    referer: String,
    /// The look that the page requests for the checkout.
    config: Value,
}

/// Records what a page sent to its checkout.
pub(super) async fn record(
    State(app): State<SharedState>,
    Path(order_id): Path<String>,
    opening: Result<Json<Opening>, JsonRejection>,
) -> Result<StatusCode, ApiError> {
    let Ok(Json(opening)) = opening else {
        return Err(ApiError::bad("What the page told could not be read."));
    };
    if opening.key_id != app.account.key_id {
        return Err(ApiError::wrong_key());
    }
    app.checkout_log.add_opening(json!({
        "order_id": order_id, "referer": opening.referer, "config": opening.config,
    }));
    Ok(StatusCode::NO_CONTENT)
}
