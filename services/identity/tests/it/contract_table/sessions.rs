//! Calls that open, continue and end sessions.

use reqwest::Method;
use serde_json::json;

use super::{Ask, MEMBER, Row, Settings, get, post, row, signed};
use crate::test_server::PASSWORD;

const SESSION: &str = "200 {access_token, expires_at, expires_in, refresh_token, token_type, user}";
const PASSWORD_GRANT: &str = "/token?grant_type=password";

pub(super) fn rows() -> Vec<Row> {
    [password(), other_grants(), id_tokens(), endings()].into_iter().flatten().collect()
}

fn password() -> Vec<Row> {
    let right = json!({ "email": MEMBER, "password": PASSWORD });
    let both = json!({ "email": MEMBER, "phone": "+919876543210", "password": PASSWORD });
    vec![
        row("POST /token", "password", post(PASSWORD_GRANT, right), SESSION),
        row(
            "POST /token",
            "password, wrong",
            post(PASSWORD_GRANT, json!({ "email": MEMBER, "password": "x" })),
            "400 invalid_credentials: Invalid login credentials",
        ),
        row(
            "POST /token",
            "password, address and phone",
            post(PASSWORD_GRANT, both),
            "400 validation_failed: Only an email address or phone number should be provided on \
             login.",
        ),
        row(
            "POST /token",
            "password, phone",
            post(PASSWORD_GRANT, json!({ "phone": "+919876543210", "password": "x" })),
            "422 phone_provider_disabled: Phone logins are disabled",
        ),
        row(
            "POST /token",
            "password, neither",
            post(PASSWORD_GRANT, json!({ "password": "x" })),
            "400 validation_failed: missing email or phone",
        ),
    ]
}

fn other_grants() -> Vec<Row> {
    let pkce = |code: &str| {
        let body = json!({ "auth_code": code, "code_verifier": "x" });
        post("/token?grant_type=pkce", body)
    };
    vec![
        row(
            "POST /token",
            "refresh_token",
            Ask::Prepared(|world| {
                Box::pin(async move {
                    let session = world.server.sign_in(MEMBER, PASSWORD).await.ok();
                    world.server.refresh(&session.text("/refresh_token")).await
                })
            }),
            SESSION,
        ),
        row(
            "POST /token",
            "refresh_token, malformed",
            post("/token?grant_type=refresh_token", json!({ "refresh_token": "x" })),
            "400 validation_failed: Refresh token is not valid",
        ),
        row(
            "POST /token",
            "pkce, nothing",
            pkce(""),
            "400 validation_failed: invalid request: both auth code and code verifier should be \
             non-empty",
        ),
        row(
            "POST /token",
            "pkce, unknown code",
            pkce("00000000-0000-4000-8000-000000000000"),
            "404 flow_state_not_found: invalid flow state, no valid flow state found",
        ),
        row(
            "POST /token",
            "web3, any chain",
            post("/token?grant_type=web3", json!({ "chain": "other" })),
            "422 web3_provider_disabled: Web3 provider is disabled",
        ),
        row(
            "POST /token",
            "unknown grant",
            post("/token?grant_type=implicit", json!({})),
            "400 invalid_credentials: unsupported_grant_type",
        ),
    ]
}

fn id_tokens() -> Vec<Row> {
    let with = |body| post("/token?grant_type=id_token", body);
    vec![
        row(
            "POST /token",
            "id_token, nothing",
            with(json!({})),
            "400 invalid request: id_token required",
        ),
        row(
            "POST /token",
            "id_token, provider off",
            with(json!({ "id_token": "x", "provider": "google" })),
            "400 provider_disabled: Provider (issuer \"https://accounts.google.com\") is not \
             enabled",
        ),
        row(
            "POST /token",
            "id_token, unknown provider",
            with(json!({ "id_token": "x", "provider": "zzz" })),
            "400 validation_failed: Custom OIDC provider \"zzz\" not allowed",
        ),
    ]
}

fn endings() -> Vec<Row> {
    vec![
        row(
            "POST /logout",
            "without a token",
            post("/logout", json!({})),
            "401 no_authorization: This endpoint requires a valid Bearer token",
        ),
        row(
            "POST /logout",
            "unknown scope",
            signed(Method::POST, "/logout?scope=x", json!({})),
            "400 validation_failed: Unsupported logout scope \"x\"",
        ),
        row(
            "POST /logout",
            "other sessions",
            signed(Method::POST, "/logout?scope=others", json!({})),
            "204",
        ),
        row(
            "GET /user",
            "an expired or forged token",
            Ask::Prepared(|world| Box::pin(async move { world.server.user("x.y.z").await })),
            "403 bad_jwt: invalid JWT: unable to parse or verify signature, token is malformed: \
             could not base64 decode header: illegal base64 data at input byte 0",
        )
        .differs("the beginning is the same, which clients look for; the rest is our library's"),
        row(
            "GET /user",
            "without a token",
            get("/user"),
            "401 no_authorization: This endpoint requires a valid Bearer token",
        ),
        row(
            "POST /signup",
            "no confirmation, new address",
            post("/signup", json!({ "email": "new@example.test", "password": PASSWORD })),
            SESSION,
        )
        .with(Settings::ConfirmEmailOff),
    ]
}
