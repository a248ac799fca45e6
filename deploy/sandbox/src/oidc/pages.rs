//! The page on which a person signs in, and the way back to the client.

use axum::body::Bytes;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::{Form, Json};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::discovery::issuer;
use super::provider::{Grant, Person};
use crate::assets;
use crate::ids;
use crate::state::{AppState, SharedState};

const PAGE: &str = include_str!("page.html");
const POST: &str = include_str!("post.html");
const CSS: &str = concat!(include_str!("../assets/paper.css"), include_str!("page.css"));
const SCRIPT: &str = include_str!("post.js");

pub(super) async fn css() -> Response {
    assets::file(assets::CSS, CSS)
}

pub(super) async fn script() -> Response {
    assets::file(assets::SCRIPT, SCRIPT)
}

/// What a client asks for.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct AuthorizationRequest {
    client_id: String,
    redirect_uri: String,
    response_type: String,
    response_mode: String,
    scope: String,
    state: String,
    nonce: String,
    code_challenge: String,
    code_challenge_method: String,
}

impl AuthorizationRequest {
    /// What is wrong with it; a wrong client or address is never led back.
    fn problem(&self, app: &AppState) -> Option<&'static str> {
        let plain = self.redirect_uri.starts_with("https://")
            || self.redirect_uri.starts_with("http://127.0.0.1")
            || self.redirect_uri.starts_with("http://localhost");
        let scopes: Vec<&str> = self.scope.split(' ').collect();
        if self.client_id != app.oidc.client.id {
            Some("The client is not known.")
        } else if !plain || !self.redirect_uri.ends_with("/callback") {
            Some("redirect_uri is not registered.")
        } else if self.response_type != "code" || !scopes.contains(&"openid") {
            Some("Only code with the scope openid is supported.")
        } else if self.state.is_empty() || self.nonce.is_empty() {
            Some("state and nonce are required.")
        } else if self.code_challenge.len() != 43 || self.code_challenge_method != "S256" {
            Some("PKCE with S256 is required.")
        } else if !matches!(self.response_mode.as_str(), "" | "query" | "form_post") {
            Some("response_mode is not supported.")
        } else {
            None
        }
    }
}

pub(super) async fn authorize(
    State(app): State<SharedState>,
    Query(asked): Query<AuthorizationRequest>,
) -> Response {
    if let Some(problem) = asked.problem(&app) {
        return (StatusCode::BAD_REQUEST, problem).into_response();
    }
    let asked = serde_json::to_string(&asked).unwrap_or_default();
    assets::checkout_page(PAGE.replace("{asked}", &assets::escape(&asked)))
}

#[derive(Deserialize)]
pub(super) struct Decision {
    asked: String,
    email: String,
    verified: Option<String>,
    approves: Option<String>,
}

/// The person's decision on the page. Accounts are told apart by their addresses.
pub(super) async fn decide(
    State(app): State<SharedState>,
    Form(decision): Form<Decision>,
) -> Response {
    let Ok(asked) = serde_json::from_str::<AuthorizationRequest>(&decision.asked) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    if let Some(problem) = asked.problem(&app) {
        return (StatusCode::BAD_REQUEST, problem).into_response();
    }
    let person = Person {
        sub: ids::fingerprint(decision.email.as_bytes()).chars().take(24).collect(),
        name: decision.email.split('@').next().map(str::to_owned),
        email: Some(decision.email),
        email_verified: decision.verified.is_some(),
        ..Person::default()
    };
    let fields = fields(&app, &asked, decision.approves.map(|_| person));
    if asked.response_mode == "form_post" {
        let inputs = fields.iter().map(|(name, value)| {
            format!(r#"<input type="hidden" name="{name}" value="{}">"#, assets::escape(value))
        });
        let page = POST
            .replace("{action}", &assets::escape(&asked.redirect_uri))
            .replace("{inputs}", &inputs.collect::<String>());
        return assets::checkout_page(page);
    }
    Redirect::to(&with_query(&asked.redirect_uri, &fields)).into_response()
}

#[derive(Deserialize)]
pub(super) struct Approval {
    /// The address to which the client led the browser.
    url: String,
    /// The person who approves; without one the request is declined.
    person: Option<Person>,
}

/// The same without a browser: where the browser goes, or what it posts there.
pub(super) async fn approve(State(app): State<SharedState>, body: Bytes) -> Response {
    let Ok(approval) = serde_json::from_slice::<Approval>(&body) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let query = approval.url.split_once('?').map_or("", |(_, query)| query);
    let uri = format!("/?{query}").parse().unwrap_or_default();
    let Ok(Query(asked)) = Query::<AuthorizationRequest>::try_from_uri(&uri) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    if let Some(problem) = asked.problem(&app) {
        return (StatusCode::BAD_REQUEST, problem).into_response();
    }
    let fields = fields(&app, &asked, approval.person);
    let redirect = with_query(&asked.redirect_uri, &fields);
    let form: serde_json::Map<_, _> =
        fields.into_iter().map(|(name, value)| (name.to_owned(), json!(value))).collect();
    Json(json!({ "redirect": redirect, "form": form })).into_response()
}

/// What the client is told.
fn fields(
    app: &AppState,
    asked: &AuthorizationRequest,
    person: Option<Person>,
) -> Vec<(&'static str, String)> {
    let mut fields = vec![("state", asked.state.clone()), ("iss", issuer(app))];
    match person {
        None => {
            fields.push(("error", "access_denied".to_owned()));
            fields.push(("error_description", "The person did not approve".to_owned()));
        }
        Some(person) => {
            let code = ids::random_text(32);
            let grant = Grant {
                person,
                nonce: asked.nonce.clone(),
                redirect_uri: asked.redirect_uri.clone(),
                code_challenge: asked.code_challenge.clone(),
            };
            app.oidc.lock().grants.insert(code.clone(), grant);
            fields.push(("code", code));
        }
    }
    fields
}

fn with_query(place: &str, fields: &[(&str, String)]) -> String {
    let encode = |text: &str| -> String {
        text.bytes()
            .map(|byte| match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                    char::from(byte).to_string()
                }
                other => format!("%{other:02X}"),
            })
            .collect()
    };
    let pairs: Vec<String> =
        fields.iter().map(|(name, value)| format!("{name}={}", encode(value))).collect();
    format!("{place}?{}", pairs.join("&"))
}
