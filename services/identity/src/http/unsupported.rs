//! Responses for endpoints of the contract that are switched off: other providers, SAML, linking of
//! identities. The texts are those of the contract.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};

use crate::app::App;
use crate::http::bearer::SignedIn;
use crate::http::error::ApiError;
use crate::http::request::{Parameters, parameter, quotable};
use crate::http::verify_link;

/// The providers that a default server knows.
const PROVIDERS: &[&str] = &[
    "apple",
    "azure",
    "bitbucket",
    "discord",
    "facebook",
    "figma",
    "fly",
    "github",
    "gitlab",
    "google",
    "kakao",
    "keycloak",
    "linkedin",
    "linkedin_oidc",
    "notion",
    "slack",
    "slack_oidc",
    "snapchat",
    "spotify",
    "twitch",
    "twitter",
    "workos",
    "zoom",
];

/// Every provider is switched off; of a name that a default server does not know it says so.
pub(crate) async fn authorize(parameters: Parameters) -> ApiError {
    let named = parameter(&parameters, "provider").unwrap_or_default().to_ascii_lowercase();
    if PROVIDERS.contains(&named.as_str()) {
        return ApiError::invalid("Unsupported provider: provider is not enabled");
    }
    let named = quotable(&named);
    ApiError::invalid(format!("Unsupported provider: Provider {named} could not be found"))
}

/// No provider is switched on, so nothing leads back from one.
pub(crate) async fn callback(State(app): State<App>, parameters: Parameters) -> Response {
    let (code, message) = match parameter(&parameters, "state") {
        None => ("bad_oauth_callback", "OAuth state parameter missing"),
        Some(_) => ("bad_oauth_state", "OAuth callback with invalid state"),
    };
    let site = app.redirects.site().clone();
    let place = verify_link::with_error(site, &ApiError::bad(code, message), true);
    (StatusCode::SEE_OTHER, Redirect::to(place.as_str())).into_response()
}

pub(crate) async fn sso() -> ApiError {
    not_found("saml_provider_disabled", "SAML 2.0 is disabled")
}

pub(crate) async fn link_identity(_signed_in: SignedIn) -> ApiError {
    not_found("manual_linking_disabled", "Manual linking is disabled")
}

fn not_found(code: &'static str, message: &'static str) -> ApiError {
    ApiError::new(StatusCode::NOT_FOUND, code, message)
}
