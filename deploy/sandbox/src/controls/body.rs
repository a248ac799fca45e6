//! The JSON body of a control's request, and the answer to a body that cannot be read.

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::provider::errors::Answer;

/// A body as JSON, or the reason why it cannot be read.
pub(super) type Body<T> = Result<Json<T>, JsonRejection>;

/// Runs a control with its body, or answers that the body cannot be read.
pub(super) fn answer<T>(body: Body<T>, control: impl FnOnce(T) -> Answer) -> Response {
    match body {
        Ok(Json(body)) => control(body).into_response(),
        Err(refused) => unreadable(&refused),
    }
}

/// The answer to a body that cannot be read: 400 with the reason.
pub(super) fn unreadable(refused: &JsonRejection) -> Response {
    let body = Json(json!({ "error": refused.body_text() }));
    (StatusCode::BAD_REQUEST, body).into_response()
}
