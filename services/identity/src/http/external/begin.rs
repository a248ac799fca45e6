//! GET /authorize and /user/identities/authorize: lead the browser to a provider.

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use url::Url;
use uuid::Uuid;

use crate::app::{self, App};
use crate::http::bearer::SignedIn;
use crate::http::challenge::PkceFields;
use crate::http::error::ApiError;
use crate::http::external::settings::{callback_url, manual_linking, provider};
use crate::http::levels::{self, Changing};
use crate::http::request::{self, Parameters, parameter};
use crate::providers::Provider;
use crate::repository::flow_states::{self, NewFlow};
use crate::repository::provider_flows::{self, ProviderFlow, VALID_SECONDS};

/// Parameters that this server sets itself or keeps; others are passed on to the provider.
const RESERVED: &[&str] = &[
    "provider",
    "scopes",
    "redirect_to",
    "skip_http_redirect",
    "invite_token",
    "client_id",
    "client_secret",
    "redirect_uri",
    "response_type",
    "response_mode",
    "scope",
    "state",
    "nonce",
    "code_challenge",
    "code_challenge_method",
    "request",
    "request_uri",
];
/// Maximum characters of a parameter that is passed on.
const PASSED_ON_MAX: usize = 300;

pub(super) async fn authorize(
    State(app): State<App>,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let url = begin(&app, &parameters, None).await?;
    Ok(redirect(&url))
}

/// Begins to add an identity to the caller's account. It opens the account from then on, so it
/// needs what every authenticator needs.
pub(super) async fn link(
    State(app): State<App>,
    signed_in: SignedIn,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    manual_linking(&app)?;
    let caller = levels::caller(&signed_in);
    app.store
        .write(app::metadata(), move |tx| {
            Box::pin(async move {
                let changing = Changing::lock(tx, caller).await?;
                // Nothing else opens an anonymous account, and no mail can be sent to it.
                if changing.user.is_anonymous {
                    return Ok(());
                }
                changing.check_identity(tx, "add an identity").await
            })
        })
        .await?;
    let url = begin(&app, &parameters, Some(signed_in.user.user_id)).await?;
    if parameter(&parameters, "skip_http_redirect") == Some("true") {
        return Ok(Json(json!({ "url": url.as_str() })).into_response());
    }
    Ok(redirect(&url))
}

fn redirect(url: &Url) -> Response {
    let headers = [(header::LOCATION, url.as_str()), (header::CACHE_CONTROL, "no-store")];
    (StatusCode::FOUND, headers).into_response()
}

/// Stores a flow and returns where the browser goes.
async fn begin(
    app: &App,
    parameters: &Parameters,
    link_user_id: Option<Uuid>,
) -> Result<Url, ApiError> {
    let provider = provider(app, parameter(parameters, "provider").unwrap_or_default())?;
    let pkce = PkceFields {
        code_challenge: parameter(parameters, "code_challenge").map(str::to_owned),
        code_challenge_method: parameter(parameters, "code_challenge_method").map(str::to_owned),
    };
    let challenge = pkce.challenge(app)?;
    if challenge.is_none() && !app.policy.is_for_any() {
        // The verifier stays in the browser that began: another one that is led to the callback, to
        // be signed in to a stranger's account, gets a code without worth.
        let message = "Signing in at a provider requires PKCE flow";
        return Err(ApiError::invalid(message));
    }
    let redirect_to = request::redirect_to(app, parameter(parameters, "redirect_to"));
    let flow = ProviderFlow {
        state_id: flow_states::random_id(),
        provider: provider.settings.name.clone(),
        nonce: secret(),
        code_verifier: secret(),
        redirect_to,
        flow_state_id: None,
        link_user_id,
    };
    let place = place(app, provider, (&flow, parameters)).await?;
    app.store
        .write(app::metadata(), move |tx| {
            let (mut flow, challenge) = (flow.clone(), challenge.clone());
            Box::pin(async move {
                let now = tx.now().await?;
                if let Some(challenge) = challenge {
                    let client = NewFlow {
                        challenge,
                        user_id: None,
                        provider_type: flow.provider.clone(),
                        authentication_method: "oauth".to_owned(),
                        redirect_to: flow.redirect_to.clone(),
                        valid_seconds: VALID_SECONDS,
                    };
                    flow.flow_state_id = Some(flow_states::begin(tx, &client, now).await?);
                }
                Ok::<_, ApiError>(provider_flows::begin(tx, &flow, now).await?)
            })
        })
        .await?;
    Ok(place)
}

/// The provider's page for a flow.
async fn place(
    app: &App,
    provider: &Provider,
    (flow, parameters): (&ProviderFlow, &Parameters),
) -> Result<Url, ApiError> {
    let mut place = provider.discovery().await?.authorization_endpoint;
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(flow.code_verifier.as_bytes()));
    let is_apple = provider.settings.name == "apple";
    let scope = scope(is_apple, parameter(parameters, "scopes").unwrap_or_default())?;
    {
        let mut fields = place.query_pairs_mut();
        fields
            .append_pair("client_id", &provider.settings.client_id)
            .append_pair("redirect_uri", &callback_url(app))
            .append_pair("response_type", "code")
            .append_pair("scope", &scope)
            .append_pair("state", &flow.state_id.to_string())
            .append_pair("nonce", &flow.nonce)
            .append_pair("code_challenge", &challenge)
            .append_pair("code_challenge_method", "S256");
        if is_apple {
            // Apple tells name and address only in this way.
            fields.append_pair("response_mode", "form_post");
        }
        for (name, value) in &parameters.0 {
            let reserved = RESERVED.contains(&name.to_ascii_lowercase().as_str());
            if !reserved && name.len() + value.len() <= PASSED_ON_MAX {
                fields.append_pair(name, value);
            }
        }
    }
    Ok(place)
}

/// What is asked for: who the person is, and what the client asks for besides.
fn scope(is_apple: bool, asked: &str) -> Result<String, ApiError> {
    let mut scopes = vec!["openid", "email", if is_apple { "name" } else { "profile" }];
    let known = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:/".contains(&byte);
    for part in asked.split([' ', ',']).filter(|part| !part.is_empty()) {
        if part.len() > PASSED_ON_MAX || !part.bytes().all(known) {
            return Err(ApiError::invalid("The scopes are malformed"));
        }
        if !scopes.contains(&part) {
            scopes.push(part);
        }
    }
    Ok(scopes.join(" "))
}

/// 32 random bytes as text.
fn secret() -> String {
    URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>())
}

#[cfg(test)]
mod tests {
    use super::scope;

    #[test]
    fn scopes_are_added_to_those_of_a_sign_in() {
        assert_eq!(scope(false, "").unwrap(), "openid email profile");
        assert_eq!(scope(true, "email,a.b:c").unwrap(), "openid email name a.b:c");
        assert!(scope(false, "a\nb").is_err());
    }
}
