//! /admin/users/{user_id}/factors, and the calls of SAML, which this server does not have.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

use crate::app::{self, App};
use crate::guard::security_log::{self, About, Kind, Method, Outcome};
use crate::http::admin::key::Administrator;
use crate::http::admin::users::{not_found, parse_id, record};
use crate::http::error::ApiError;
use crate::http::factors::enroll::one_line;
use crate::http::factors::unenroll::forget_recovery_codes;
use crate::http::factors::{factor_not_found, verify};
use crate::http::objects;
use crate::http::request::Body;
use crate::repository::audit::Action;
use crate::repository::factors::{self, FactorSummary};
use crate::repository::notices::{self, NewNotice, NoticeKind};
use crate::repository::sessions::Device;
use crate::repository::users::{self, User};
use crate::repository::{factor_limits, session_levels};

#[derive(Deserialize)]
pub(super) struct Rename {
    friendly_name: Option<String>,
}

pub(super) async fn list(
    State(app): State<App>,
    _administrator: Administrator,
    Path(user_id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let user = account(&app, &user_id).await?;
    Ok(Json(user.factors.iter().map(objects::factor).collect()))
}

/// Names a factor anew.
pub(super) async fn change(
    State(app): State<App>,
    administrator: Administrator,
    Path((user_id, factor_id)): Path<(String, String)>,
    Body(body): Body<Rename>,
) -> Result<Json<Value>, ApiError> {
    let user_id = account(&app, &user_id).await?.user_id;
    let factor_id = parse_factor(&factor_id)?;
    let name = body.friendly_name.as_deref();
    let name = name.map(|name| one_line(Some(name), "friendly_name")).transpose()?;
    let name = name.map(|name| name.trim().to_owned());
    app.store
        .write(app::metadata(), move |tx| {
            let (administrator, name) = (administrator.clone(), name.clone());
            Box::pin(async move {
                let now = tx.now().await?;
                let factor = factors::lock(tx.connection(), user_id, factor_id).await?;
                let mut factor = factor.ok_or_else(factor_not_found)?;
                if let Some(name) = name {
                    factor.friendly_name = name;
                    factor.updated_at = now;
                    factors::update(tx.connection(), &factor).await?;
                }
                record(tx, &administrator, (Action::FactorUpdated, user_id), now).await
            })
        })
        .await?;
    Ok(Json(objects::factor(&summary(&app, user_id, factor_id).await?)))
}

/// Removes a factor. Sessions that it had raised drop to `aal1`, and the person is told by mail.
pub(super) async fn remove(
    State(app): State<App>,
    administrator: Administrator,
    Path((user_id, factor_id)): Path<(String, String)>,
) -> Result<Json<Value>, ApiError> {
    let user_id = account(&app, &user_id).await?.user_id;
    let factor_id = parse_factor(&factor_id)?;
    let removed = summary(&app, user_id, factor_id).await?;
    app.store
        .write(app::metadata(), move |tx| {
            let administrator = administrator.clone();
            Box::pin(async move {
                users::lock_by_id(tx.connection(), user_id).await?.ok_or_else(not_found)?;
                let now = tx.now().await?;
                let factor = factors::lock(tx.connection(), user_id, factor_id).await?;
                let factor = factor.ok_or_else(factor_not_found)?;
                factors::delete(tx.connection(), factor_id).await?;
                factor_limits::delete_all(tx.connection(), user_id).await?;
                let method = verify::method(&factor.factor_type);
                session_levels::drop_raised(tx.connection(), (user_id, factor_id), method).await?;
                if factor.is_verified() {
                    let notice = NewNotice {
                        user_id,
                        kind: NoticeKind::FactorRemoved,
                        sent_to: None,
                        device: &Device::default(),
                        subject: factor.words(),
                    };
                    notices::tell(tx, notice, now).await?;
                    forget_recovery_codes(tx, user_id).await?;
                }
                record(tx, &administrator, (Action::FactorDeleted, user_id), now).await
            })
        })
        .await?;
    let about = About::Account(user_id);
    security_log::write(Kind::FactorChange, Outcome::Done, Method::ServiceKey, about);
    Ok(Json(objects::factor(&removed)))
}

async fn account(app: &App, user_id: &str) -> Result<User, ApiError> {
    users::by_id(app.store.pool(), parse_id(user_id)?).await?.ok_or_else(not_found)
}

fn parse_factor(text: &str) -> Result<Uuid, ApiError> {
    text.parse().map_err(|_malformed| {
        ApiError::new(StatusCode::NOT_FOUND, "validation_failed", "factor_id must be an UUID")
    })
}

async fn summary(app: &App, user_id: Uuid, factor_id: Uuid) -> Result<FactorSummary, ApiError> {
    let user = users::by_id(app.store.pool(), user_id).await?.ok_or_else(not_found)?;
    let found = user.factors.into_iter().find(|factor| factor.factor_id == factor_id);
    found.ok_or_else(factor_not_found)
}

pub(super) async fn no_saml(_administrator: Administrator) -> ApiError {
    ApiError::new(StatusCode::NOT_FOUND, "saml_provider_disabled", "SAML 2.0 is disabled")
}
