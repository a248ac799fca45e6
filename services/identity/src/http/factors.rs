//! Second factors: enrolment, challenge, verification and removal, as the contract has them.

pub(crate) mod enroll;
mod phone;
pub(crate) mod challenge;
pub(crate) mod verify;
pub(crate) mod unenroll;

use axum::extract::FromRequestParts;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

use crate::app::App;
use crate::http::error::ApiError;
use crate::repository::factors::{self, Factor};
use crate::tokens::webauthn::WebAuthnError;

/// The factor that a path names.
pub(crate) struct FactorId(pub(crate) Uuid);

impl FromRequestParts<App> for FactorId {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let Path(text) = Path::<String>::from_request_parts(parts, app)
            .await
            .map_err(|_no_text| malformed_id())?;
        text.parse().map(Self).map_err(|_no_id| malformed_id())
    }
}

fn malformed_id() -> ApiError {
    ApiError::new(StatusCode::NOT_FOUND, "validation_failed", "factor_id must be an UUID")
}

pub(crate) fn factor_not_found() -> ApiError {
    ApiError::new(StatusCode::NOT_FOUND, "mfa_factor_not_found", "Factor not found")
}

/// A factor of an account, or the contract's error.
async fn find(app: &App, user_id: Uuid, FactorId(id): &FactorId) -> Result<Factor, ApiError> {
    factors::find(app.store.pool(), user_id, *id).await?.ok_or_else(factor_not_found)
}

/// What a client sends about a security key. It may name the site, as the client library does; only
/// this one is accepted.
#[derive(Deserialize)]
pub(crate) struct WebAuthnParameters {
    #[serde(rename = "rpId")]
    rp_id: Option<String>,
    r#type: Option<String>,
    credential_response: Option<Value>,
}

impl WebAuthnParameters {
    fn check_site(&self, app: &App) -> Result<(), ApiError> {
        let named = self.rp_id.as_deref().filter(|named| !named.is_empty());
        if named.is_some_and(|named| named != app.relying_party.id()) {
            return Err(ApiError::invalid("WebAuthn RP ID is not that of this site"));
        }
        Ok(())
    }
}

impl From<WebAuthnError> for ApiError {
    fn from(error: WebAuthnError) -> Self {
        match error {
            WebAuthnError::Malformed => Self::invalid("Invalid credential_response"),
            WebAuthnError::Refused(reason) => {
                tracing::info!(reason, "an answer to a WebAuthn challenge was refused");
                Self::unprocessable(
                    "mfa_verification_failed",
                    "The security key's answer could not be verified",
                )
            }
            WebAuthnError::Unusable(what) => Self::failed(&WebAuthnError::Unusable(what)),
        }
    }
}
