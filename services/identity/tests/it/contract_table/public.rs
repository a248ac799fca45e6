//! What the server says of itself.

use super::{Row, get, row};

pub(super) fn rows() -> Vec<Row> {
    vec![
        row(
            "GET /settings",
            "",
            get("/settings"),
            "200 {disable_signup, external, mailer_autoconfirm, passkeys_enabled, \
             phone_autoconfirm, saml_enabled, sms_provider}",
        ),
        row("GET /health", "", get("/health"), "200 {description, name, version}"),
        row(
            "GET /.well-known/jwks.json (not in the yaml)",
            "",
            get("/.well-known/jwks.json"),
            "200 {keys}",
        ),
        row(
            "GET /.well-known/openid-configuration (not in the yaml)",
            "",
            get("/.well-known/openid-configuration"),
            "200 {authorization_endpoint, claims_supported, code_challenge_methods_supported, \
             grant_types_supported, id_token_signing_alg_values_supported, issuer, jwks_uri, \
             response_modes_supported, response_types_supported, scopes_supported, \
             subject_types_supported, token_endpoint, token_endpoint_auth_methods_supported, \
             userinfo_endpoint}",
        ),
        row(
            "GET /.well-known/oauth-authorization-server (not in the yaml)",
            "OAuth server off",
            get("/.well-known/oauth-authorization-server"),
            "404 text",
        ),
        row("GET /nothing (not in the yaml)", "unknown path", get("/nothing"), "404 text"),
    ]
}
