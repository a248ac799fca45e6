//! /admin/users/{user_id}/factors, and the calls of SAML, which this server does not have.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::app::App;
use crate::http::admin::key::Administrator;
use crate::http::admin::users::{not_found, parse_id};
use crate::http::error::ApiError;
use crate::repository::users;

pub(super) async fn list(
    State(app): State<App>,
    _administrator: Administrator,
    Path(user_id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    users::by_id(app.store.pool(), parse_id(&user_id)?).await?.ok_or_else(not_found)?;
    Ok(Json(json!([])))
}

/// No account has factors.
pub(super) async fn change(
    State(app): State<App>,
    _administrator: Administrator,
    Path((user_id, factor_id)): Path<(String, String)>,
) -> Result<Json<Value>, ApiError> {
    users::by_id(app.store.pool(), parse_id(&user_id)?).await?.ok_or_else(not_found)?;
    let (code, message) = match factor_id.parse::<Uuid>() {
        Err(_malformed) => ("validation_failed", "factor_id must be an UUID"),
        Ok(_) => ("mfa_factor_not_found", "Factor not found"),
    };
    Err(ApiError::new(StatusCode::NOT_FOUND, code, message))
}

pub(super) async fn no_saml(_administrator: Administrator) -> ApiError {
    ApiError::new(StatusCode::NOT_FOUND, "saml_provider_disabled", "SAML 2.0 is disabled")
}
