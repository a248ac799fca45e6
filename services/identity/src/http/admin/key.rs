//! The calling administrator: a program with a service key.

use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;
use uuid::Uuid;

use crate::app::App;
use crate::http::bearer::{bad_jwt, bearer};
use crate::http::device::FromDevice;
use crate::http::error::ApiError;
use crate::repository::audit::Actor;
use crate::repository::{service_keys, sessions};
use crate::tokens::token::{ADMIN_ROLE, SERVICE_ROLE};

/// The caller of an administrator's call.
#[derive(Clone)]
pub(crate) struct Administrator {
    id: Option<Uuid>,
    name: String,
    network: Option<String>,
}

impl Administrator {
    /// The caller, for the audit log.
    pub(crate) fn actor(&self) -> Actor<'_> {
        Actor { id: self.id, name: &self.name, network: self.network.as_deref() }
    }
}

impl FromRequestParts<App> for Administrator {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let token = bearer(&parts.headers).ok_or_else(|| {
            let message = "This endpoint requires a valid Bearer token";
            ApiError::new(StatusCode::UNAUTHORIZED, "no_authorization", message)
        })?;
        let claims = app.tokens.verify_role(token).ok_or_else(unverifiable)?;
        let now = app.store.now().await?;
        if claims.exp <= now.seconds() {
            return Err(bad_jwt(
                "invalid JWT: unable to parse or verify signature, \
                 token has invalid claims: token is expired",
            ));
        }
        if !matches!(claims.role.as_str(), SERVICE_ROLE | ADMIN_ROLE) {
            return Err(ApiError::forbidden("not_admin", "User not allowed"));
        }
        if let Some(session_id) = claims.session_id {
            let user_id = claims.sub.parse().unwrap_or_default();
            let session = sessions::find_active(app.store.pool(), user_id, session_id).await?;
            session.ok_or_else(|| {
                let message = "Session from session_id claim in JWT does not exist";
                ApiError::forbidden("session_not_found", message)
            })?;
        }
        let key = match claims.jti {
            Some(key_id) => service_keys::active(app.store.pool(), key_id).await?,
            None => None,
        };
        let key = key.ok_or_else(unverifiable)?;
        let Ok(FromDevice(device)) = FromDevice::from_request_parts(parts, app).await;
        Ok(Self { id: Some(key.key_id), name: key.name, network: device.network })
    }
}

fn unverifiable() -> ApiError {
    bad_jwt("invalid JWT: unable to parse or verify signature, token is unverifiable")
}
