//! POST /token: the grants that open or refresh a session, and responses for unsupported grants.

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;

use crate::app::App;
use crate::http::captcha::{self, MetaSecurity};
use crate::http::device::FromDevice;
use crate::http::error::ApiError;
use crate::http::external::{self, Shown};
use crate::http::request::{Body, Parameters, non_empty, parameter};
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
    access_token: Option<String>,
    nonce: Option<String>,
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
        Some("id_token") => {
            let shown = Shown {
                provider: non_empty(grant.provider.as_deref()),
                client_id: non_empty(grant.client_id.as_deref()),
                issuer: non_empty(grant.issuer.as_deref()),
                id_token: non_empty(grant.id_token.as_deref()),
                access_token: non_empty(grant.access_token.as_deref()),
                nonce: non_empty(grant.nonce.as_deref()),
            };
            external::id_token_grant(&app, shown, device).await
        }
        Some("web3") => {
            Err(ApiError::unprocessable("web3_provider_disabled", "Web3 provider is disabled"))
        }
        _ => Err(ApiError::bad("invalid_credentials", "unsupported_grant_type")),
    }
}
