//! Other providers, SAML, the OAuth server, and the calls of administrators.

use reqwest::Method;
use serde_json::json;

use super::{Ask, Row, get, post, row, signed};

const SAML_OFF: &str = "404 saml_provider_disabled: SAML 2.0 is disabled";
const LINKING_OFF: &str = "404 manual_linking_disabled: Manual linking is disabled";
const NO_TOKEN: &str = "401 no_authorization: This endpoint requires a valid Bearer token";
const NO_ROUTE: &str = "404 text";
const ID: &str = "00000000-0000-4000-8000-000000000000";

pub(super) fn rows() -> Vec<Row> {
    [providers(), saml(), admin(), oauth_server()].into_iter().flatten().collect()
}

fn providers() -> Vec<Row> {
    let no_state = "303 to https://sukoon.example/\
                    ?error=invalid_request&error_code=bad_oauth_callback&error_description\
                    #error=invalid_request&error_code=bad_oauth_callback&error_description&sb";
    vec![
        row(
            "GET /authorize",
            "provider off",
            get("/authorize?provider=google"),
            "400 validation_failed: Unsupported provider: provider is not enabled",
        ),
        row(
            "GET /authorize",
            "unknown provider",
            get("/authorize?provider=zzz"),
            "400 validation_failed: Unsupported provider: Provider zzz could not be found",
        ),
        row("GET /callback", "without state", get("/callback"), no_state),
        row("POST /callback", "without state", post("/callback", json!({})), no_state),
        row(
            "GET /user/identities/authorize",
            "linking off",
            signed(Method::GET, "/user/identities/authorize?provider=google", json!({})),
            LINKING_OFF,
        ),
        row(
            "DELETE /user/identities/{identityId}",
            "linking off",
            signed(
                Method::DELETE,
                "/user/identities/00000000-0000-4000-8000-000000000000",
                json!({}),
            ),
            LINKING_OFF,
        ),
    ]
}

fn saml() -> Vec<Row> {
    vec![
        row("POST /sso", "off", post("/sso", json!({ "domain": "x.test" })), SAML_OFF),
        row("GET /saml/metadata", "off", get("/sso/saml/metadata"), SAML_OFF),
        row("POST /saml/acs", "off", post("/sso/saml/acs", json!({})), SAML_OFF),
    ]
}

/// Calls of administrators, without their key.
fn admin() -> Vec<Row> {
    let calls: [(&'static str, Method); 15] = [
        ("POST /invite", Method::POST),
        ("POST /admin/generate_link", Method::POST),
        ("GET /admin/audit", Method::GET),
        ("GET /admin/users", Method::GET),
        ("GET /admin/users/{userId}", Method::GET),
        ("PUT /admin/users/{userId}", Method::PUT),
        ("DELETE /admin/users/{userId}", Method::DELETE),
        ("GET /admin/users/{userId}/factors", Method::GET),
        ("PUT /admin/users/{userId}/factors/{factorId}", Method::PUT),
        ("DELETE /admin/users/{userId}/factors/{factorId}", Method::DELETE),
        ("GET /admin/sso/providers", Method::GET),
        ("POST /admin/sso/providers", Method::POST),
        ("GET /admin/sso/providers/{ssoProviderId}", Method::GET),
        ("PUT /admin/sso/providers/{ssoProviderId}", Method::PUT),
        ("DELETE /admin/sso/providers/{ssoProviderId}", Method::DELETE),
    ];
    let rows = calls.into_iter().map(|(operation, method)| {
        row(operation, "without a token", filled(operation, method), NO_TOKEN)
    });
    rows.collect()
}

/// A default server has none of these routes.
fn oauth_server() -> Vec<Row> {
    let calls: [(&'static str, Method); 13] = [
        ("POST /admin/oauth/clients", Method::POST),
        ("GET /admin/oauth/clients", Method::GET),
        ("GET /admin/oauth/clients/{clientId}", Method::GET),
        ("PUT /admin/oauth/clients/{clientId}", Method::PUT),
        ("DELETE /admin/oauth/clients/{clientId}", Method::DELETE),
        ("POST /admin/oauth/clients/{clientId}/regenerate_secret", Method::POST),
        ("GET /oauth/authorize", Method::GET),
        ("GET /oauth/authorizations/{authorizationId}", Method::GET),
        ("POST /oauth/authorizations/{authorizationId}/consent", Method::POST),
        ("POST /oauth/token", Method::POST),
        ("POST /oauth/clients/register", Method::POST),
        ("GET /user/oauth/grants", Method::GET),
        ("DELETE /user/oauth/grants", Method::DELETE),
    ];
    let rows = calls
        .into_iter()
        .map(|(operation, method)| row(operation, "off", filled(operation, method), NO_ROUTE));
    rows.collect()
}

/// The operation's path with an id in each place for one.
fn filled(operation: &str, method: Method) -> Ask {
    let (_, path) = operation.split_once(' ').unwrap();
    let parts = path.split('/').map(|part| if part.starts_with('{') { ID } else { part });
    Ask::Plain(method, parts.collect::<Vec<_>>().join("/"), json!({}))
}
