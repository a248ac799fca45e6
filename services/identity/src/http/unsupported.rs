//! Responses for what is switched off: other providers, SAML. The texts are those of the contract.

use axum::http::StatusCode;

use crate::http::error::ApiError;
use crate::http::request::quotable;

/// The providers that a default server knows.
pub(crate) const PROVIDERS: &[&str] = &[
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

/// The answer for a provider that is switched off; of a name that a default server does not know it
/// says so.
pub(crate) fn provider(named: &str) -> ApiError {
    if PROVIDERS.contains(&named) {
        return ApiError::invalid("Unsupported provider: provider is not enabled");
    }
    let named = quotable(named);
    ApiError::invalid(format!("Unsupported provider: Provider {named} could not be found"))
}

pub(crate) async fn sso() -> ApiError {
    not_found("saml_provider_disabled", "SAML 2.0 is disabled")
}

fn not_found(code: &'static str, message: &'static str) -> ApiError {
    ApiError::new(StatusCode::NOT_FOUND, code, message)
}
