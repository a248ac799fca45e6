//! GET and POST /callback: the person comes back from a provider. Errors lead to the site as well,
//! in its query and fragment.

use std::collections::HashMap;

use axum::body::Bytes;
use axum::extract::{Query, State};
use axum::response::Response;
use serde::Deserialize;
use url::{Url, form_urlencoded};
use uuid::Uuid;

use crate::app::{self, App};
use crate::guard::security_log::{About, Outcome};
use crate::http::device::FromDevice;
use crate::http::error::ApiError;
use crate::http::external::account::{self, Arrival};
use crate::http::external::settings::{callback_url, provider};
use crate::http::objects;
use crate::http::request::{Parameters, quotable};
use crate::http::verify_link::{encode, lead_to, set_query, with_error};
use crate::providers::{Exchanged, Provider};
use crate::repository::provider_flows::{self, ProviderFlow};
use crate::repository::sessions::{Device, OpenedSession};
use crate::tokens::id_token::IdClaims;
use crate::tokens::secrets::constant_time_eq;

/// Maximum characters of what a provider says of an error.
const DESCRIPTION_MAX: usize = 300;

pub(super) async fn by_query(
    State(app): State<App>,
    FromDevice(device): FromDevice,
    Query(fields): Parameters,
) -> Response {
    lead_to(&arrive(&app, &fields, device).await)
}

/// As Apple does it: the provider's page posts a form.
pub(super) async fn by_form(
    State(app): State<App>,
    FromDevice(device): FromDevice,
    body: Bytes,
) -> Response {
    let fields: HashMap<String, String> = form_urlencoded::parse(&body).into_owned().collect();
    lead_to(&arrive(&app, &fields, device).await)
}

/// Why an arrival failed.
enum Failure {
    /// In the words of this server.
    Ours(ApiError),
    /// In the words of the provider.
    Theirs(String, String),
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self::Ours(error)
    }
}

/// Where the browser goes.
async fn arrive(app: &App, fields: &HashMap<String, String>, device: Device) -> Url {
    let site = app.redirects.site().clone();
    let flow = match take(app, fields).await {
        Ok(flow) => flow,
        Err(error) => return with_error(site, &error, true),
    };
    let place = app.redirects.allowed(flow.redirect_to.as_deref()).unwrap_or(site);
    match finish(app, &flow, fields, device).await {
        Ok(done) => {
            done.place(app, place.clone()).unwrap_or_else(|error| with_error(place, &error, true))
        }
        Err(Failure::Ours(error)) => with_error(place, &error, true),
        Err(Failure::Theirs(error, description)) => with_their_error(place, &error, &description),
    }
}

/// The flow of the state, which works once.
async fn take(app: &App, fields: &HashMap<String, String>) -> Result<ProviderFlow, ApiError> {
    let state = fields.get("state").filter(|state| !state.is_empty());
    let state = state
        .ok_or_else(|| ApiError::bad("bad_oauth_callback", "OAuth state parameter missing"))?;
    let state_id: Uuid = state.parse().map_err(|_malformed| {
        ApiError::bad("bad_oauth_state", "OAuth callback with invalid state")
    })?;
    let taken = app
        .store
        .write(app::metadata(), move |tx| {
            Box::pin(async move {
                let now = tx.now().await?;
                Ok::<_, ApiError>(provider_flows::take(tx, state_id, now).await?)
            })
        })
        .await?;
    taken.ok_or_else(|| ApiError::bad("bad_oauth_state", "OAuth state not found or expired"))
}

async fn finish(
    app: &App,
    flow: &ProviderFlow,
    fields: &HashMap<String, String>,
    device: Device,
) -> Result<Done, Failure> {
    let field = |name: &str| fields.get(name).map(String::as_str).unwrap_or_default();
    if !field("error").is_empty() {
        let said: String = field("error_description").chars().filter(|c| !c.is_control()).collect();
        let said = said.chars().take(DESCRIPTION_MAX).collect();
        return Err(Failure::Theirs(quotable(field("error")), said));
    }
    let code = field("code");
    if code.is_empty() {
        let message = "OAuth callback with missing authorization code missing";
        return Err(ApiError::bad("bad_oauth_callback", message).into());
    }
    let provider = provider(app, &flow.provider)?;
    // RFC 9207: an answer of another provider is not taken for one of this.
    let named = field("iss");
    if !named.is_empty()
        && named.trim_end_matches('/') != provider.settings.issuer.trim_end_matches('/')
    {
        let message = "OAuth callback of another provider";
        return Err(ApiError::bad("bad_oauth_callback", message).into());
    }
    let exchanged = exchange(app, provider, flow, code).await;
    let (mut claims, exchanged) = exchanged.inspect_err(|_| {
        account::write_line(Outcome::WrongProof, About::NoAccount);
    })?;
    add_apples_name(&mut claims, field("user"));
    let arrival = Arrival { provider: flow.provider.clone(), claims, device };
    let entered = account::enter(app, arrival, (flow.link_user_id, flow.flow_state_id)).await?;
    Ok(match entered {
        account::Entered::SignedIn(opened) => Done::Session(opened, exchanged),
        account::Entered::AuthCode(code) => Done::Code(code),
        account::Entered::Banned => return Err(account::banned().into()),
    })
}

async fn exchange(
    app: &App,
    provider: &Provider,
    flow: &ProviderFlow,
    code: &str,
) -> Result<(IdClaims, Exchanged), ApiError> {
    let now = app.store.now().await?;
    let back = callback_url(app);
    let exchanged = provider.exchange(code, (&back, &flow.code_verifier), now).await;
    let (claims, exchanged) = exchanged?;
    let nonce = claims.nonce.as_deref().unwrap_or_default();
    if !constant_time_eq(nonce.as_bytes(), flow.nonce.as_bytes()) {
        tracing::warn!(provider = flow.provider, "an ID token has another nonce");
        return Err(ApiError::bad("bad_oauth_callback", "Nonces mismatch"));
    }
    Ok((claims, exchanged))
}

/// Apple tells the name once, in a field beside the token.
fn add_apples_name(claims: &mut IdClaims, user: &str) {
    #[derive(Deserialize)]
    struct UserField {
        name: Option<Name>,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Name {
        first_name: Option<String>,
        last_name: Option<String>,
    }
    let told = serde_json::from_str::<UserField>(user).ok().and_then(|told| told.name);
    if let Some(name) = told {
        claims.given_name = claims.given_name.take().or(name.first_name);
        claims.family_name = claims.family_name.take().or(name.last_name);
    }
}

/// What the client gets.
enum Done {
    /// A session, in the implicit flow.
    Session(Box<OpenedSession>, Exchanged),
    /// A code that the client exchanges.
    Code(Uuid),
}

impl Done {
    fn place(self, app: &App, mut place: Url) -> Result<Url, ApiError> {
        match self {
            Self::Code(code) => set_query(&mut place, &[("code", &code.to_string())]),
            Self::Session(opened, exchanged) => {
                let tokens = objects::tokens(app, &opened)?;
                let (expires_at, expires_in) =
                    (tokens.expires_at.to_string(), app.tokens.lifetime_seconds().to_string());
                let mut fields = vec![
                    ("access_token", tokens.access_token.as_str()),
                    ("expires_at", expires_at.as_str()),
                    ("expires_in", expires_in.as_str()),
                ];
                // Our own pages have no use for the provider's tokens.
                if app.policy.is_for_any() {
                    let refresh = exchanged.refresh_token.as_deref();
                    fields.extend(refresh.map(|token| ("provider_refresh_token", token)));
                    fields.push(("provider_token", exchanged.access_token.as_str()));
                }
                fields.extend([
                    ("refresh_token", tokens.refresh_token.as_str()),
                    ("sb", ""),
                    ("token_type", "bearer"),
                ]);
                place.set_fragment(Some(&encode(&fields)));
            }
        }
        Ok(place)
    }
}

/// The place with an error that the provider named.
fn with_their_error(mut place: Url, error: &str, description: &str) -> Url {
    let fields = [("error", error), ("error_description", description)];
    set_query(&mut place, &fields);
    place.set_fragment(Some(&format!("{}&sb=", encode(&fields))));
    place
}
