//! The discovery document.

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use crate::state::{AppState, SharedState};

/// The name by which the provider signs its tokens.
pub(super) fn issuer(app: &AppState) -> String {
    format!("{}/oidc", app.public_url)
}

pub(super) async fn document(State(app): State<SharedState>) -> Json<Value> {
    let issuer = issuer(&app);
    Json(json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"),
        "userinfo_endpoint": format!("{issuer}/userinfo"),
        "jwks_uri": format!("{issuer}/jwks"),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query", "form_post"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["RS256", "ES256"],
        "scopes_supported": ["openid", "email", "profile"],
        "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": true,
    }))
}
