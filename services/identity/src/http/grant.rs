//! POST /token: the grants that open or refresh a session, and responses for unsupported grants.

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;

use crate::app::App;
use crate::http::captcha::{self, MetaSecurity};
use crate::http::device::FromDevice;
use crate::http::error::ApiError;
use crate::http::request::{Body, Parameters, non_empty, parameter, quotable};
use crate::http::{password, pkce, refresh};

/// The fields of all grants.
#[derive(Deserialize)]
pub(crate) struct Grant {
    email: Option<String>,
    phone: Option<String>,
    password: Option<String>,
    refresh_token: Option<String>,
    auth_code: Option<String>,
    code_verifier: Option<String>,
    provider: Option<String>,
    client_id: Option<String>,
    issuer: Option<String>,
    id_token: Option<String>,
    gotrue_meta_security: Option<MetaSecurity>,
}

pub(crate) async fn token(
    State(app): State<App>,
    parameters: Parameters,
    FromDevice(device): FromDevice,
    Body(grant): Body<Grant>,
) -> Result<Response, ApiError> {
    match parameter(&parameters, "grant_type") {
        Some("password") => {
            let worked = captcha::has_worked(&app, grant.gotrue_meta_security).await?;
            let account = (grant.email.as_deref(), grant.phone.as_deref());
            let from = (worked, device);
            password::grant(&app, account, grant.password.as_deref(), from).await
        }
        Some("refresh_token") => refresh::grant(&app, grant.refresh_token.as_deref()).await,
        Some("pkce") => {
            let given = (grant.auth_code.as_deref(), grant.code_verifier.as_deref());
            pkce::grant(&app, given, device).await
        }
        Some("id_token") => Err(id_token(&grant)),
        Some("web3") => {
            Err(ApiError::unprocessable("web3_provider_disabled", "Web3 provider is disabled"))
        }
        _ => Err(ApiError::bad("invalid_credentials", "unsupported_grant_type")),
    }
}

/// The issuers of providers that a default server knows, all of them switched off.
const ISSUERS: &[(&str, &str)] = &[
    ("google", "https://accounts.google.com"),
    ("apple", "https://appleid.apple.com"),
    ("azure", "https://login.microsoftonline.com/common/v2.0"),
    ("facebook", "https://www.facebook.com"),
    ("kakao", "https://kauth.kakao.com"),
    ("keycloak", ""),
];

fn id_token(grant: &Grant) -> ApiError {
    if non_empty(grant.id_token.as_deref()).is_none() {
        return ApiError::oauth("invalid request", "id_token required");
    }
    let provider = non_empty(grant.provider.as_deref());
    let client = non_empty(grant.client_id.as_deref());
    let issuer = non_empty(grant.issuer.as_deref());
    if provider.is_none() && (client.is_none() || issuer.is_none()) {
        let message = "provider or client_id and issuer required";
        return ApiError::oauth("invalid request", message);
    }
    let known = ISSUERS.iter().find(|(name, known)| {
        provider.is_some_and(|named| named == *name) || issuer.is_some_and(|named| named == *known)
    });
    match known {
        Some((_, issuer)) => {
            let message = format!("Provider (issuer \"{issuer}\") is not enabled");
            ApiError::bad("provider_disabled", message)
        }
        None => {
            let named = quotable(provider.unwrap_or_default());
            ApiError::invalid(format!("Custom OIDC provider \"{named}\" not allowed"))
        }
    }
}
