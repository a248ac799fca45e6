//! Public information about the server: settings, health and public keys.

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::http::unsupported::PROVIDERS;

pub(crate) async fn settings(State(app): State<App>) -> Json<Value> {
    let off = PROVIDERS.iter().map(|name| ((*name).to_owned(), json!(false)));
    let mut external: Map<String, Value> = off.chain([("email".to_owned(), json!(true))]).collect();
    external.insert("anonymous_users".to_owned(), json!(app.features.anonymous));
    for provider in &app.providers {
        external.insert(provider.settings.name.clone(), json!(true));
    }
    external.insert("phone".to_owned(), json!(app.features.sms.is_some()));
    Json(json!({
        "external": external,
        "disable_signup": !app.policy.signups,
        "mailer_autoconfirm": !app.confirm_email,
        "phone_autoconfirm": false,
        "sms_provider": "",
        "saml_enabled": false,
        "passkeys_enabled": false,
    }))
}

/// The discovery document of OpenID Connect. As in the contract it names the endpoints of the OAuth
/// server also while that is switched off.
pub(crate) async fn openid(State(app): State<App>) -> Response {
    let issuer = app.tokens.issuer();
    let at = |path: &str| format!("{}/{path}", issuer.trim_end_matches('/'));
    let document = json!({
        "issuer": issuer,
        "authorization_endpoint": at("oauth/authorize"),
        "token_endpoint": at("oauth/token"),
        "userinfo_endpoint": at("oauth/userinfo"),
        "jwks_uri": at(".well-known/jwks.json"),
        "scopes_supported": ["openid", "profile", "email", "phone"],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["ES256"],
        "token_endpoint_auth_methods_supported":
            ["client_secret_basic", "client_secret_post", "none"],
        "claims_supported": [
            "sub", "aud", "iss", "exp", "iat", "auth_time", "nonce", "email", "email_verified",
            "phone_number", "phone_number_verified", "name", "picture", "preferred_username",
            "updated_at",
        ],
        "code_challenge_methods_supported": ["S256"],
    });
    ([(header::CACHE_CONTROL, "public, max-age=600")], Json(document)).into_response()
}

pub(crate) async fn health() -> Json<Value> {
    Json(json!({
        "name": "Sukoon identity",
        "version": env!("CARGO_PKG_VERSION"),
        "description": "Accounts, sessions and tokens in the GoTrue form",
    }))
}

pub(crate) async fn jwks(State(app): State<App>) -> Response {
    let kept = [(header::CACHE_CONTROL, "public, max-age=600")];
    (kept, Json(app.tokens.jwks())).into_response()
}
