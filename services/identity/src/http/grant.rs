//! POST /token: the grants that open or refresh a session, and responses for unsupported grants.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;

use crate::app::App;
use crate::http::device::FromDevice;
use crate::http::error::ApiError;
use crate::http::request::{Body, Parameters, non_empty, parameter};
use crate::http::{password, refresh};

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
    chain: Option<String>,
}

pub(crate) async fn token(
    State(app): State<App>,
    parameters: Parameters,
    FromDevice(device): FromDevice,
    Body(grant): Body<Grant>,
) -> Result<Response, ApiError> {
    match parameter(&parameters, "grant_type") {
        Some("password") => {
            let account = (grant.email.as_deref(), grant.phone.as_deref());
            password::grant(&app, account, grant.password.as_deref(), device).await
        }
        Some("refresh_token") => refresh::grant(&app, grant.refresh_token.as_deref()).await,
        Some("pkce") => Err(pkce(&grant)),
        Some("id_token") => Err(id_token(&grant)),
        Some("web3") => Err(web3(&grant)),
        _ => Err(ApiError::bad("invalid_credentials", "unsupported_grant_type")),
    }
}

/// Links of mails are redeemed directly, so there are no authorization codes to exchange.
fn pkce(grant: &Grant) -> ApiError {
    let (code, verifier) = (non_empty(grant.auth_code.as_deref()), grant.code_verifier.as_deref());
    if code.is_none() || non_empty(verifier).is_none() {
        let message = "invalid request: both auth code and code verifier should be non-empty";
        return ApiError::invalid(message);
    }
    let message = "invalid flow state, no valid flow state found";
    ApiError::new(StatusCode::NOT_FOUND, "flow_state_not_found", message)
}

fn id_token(grant: &Grant) -> ApiError {
    if non_empty(grant.id_token.as_deref()).is_none() {
        return ApiError::oauth("invalid request", "id_token required");
    }
    let provider = non_empty(grant.provider.as_deref());
    let issuer = non_empty(grant.issuer.as_deref());
    match (provider, issuer) {
        (None, None) => {
            ApiError::oauth("invalid request", "provider or client_id and issuer required")
        }
        (None, Some(_)) if non_empty(grant.client_id.as_deref()).is_none() => {
            ApiError::oauth("invalid request", "provider or client_id and issuer required")
        }
        (Some(named), _) | (None, Some(named)) => {
            // The input is echoed only as far as it could be a name.
            let known = |c: &char| c.is_ascii_alphanumeric() || "-_.:/".contains(*c);
            let named: String = named.chars().filter(known).take(100).collect();
            let message = format!("Provider (issuer \"{named}\") is not enabled");
            ApiError::bad("provider_disabled", message)
        }
    }
}

fn web3(grant: &Grant) -> ApiError {
    match grant.chain.as_deref() {
        Some("solana" | "ethereum") => {
            ApiError::unprocessable("web3_provider_disabled", "Web3 provider is disabled")
        }
        _ => ApiError::bad("web3_unsupported_chain", "Unsupported chain"),
    }
}
