//! GET /verify: where the links of mails lead. By default it only redirects to the page that asks
//! for confirmation, because mail programs and scanners open links on their own; by setting it
//! redeems at once and leads to the client, as the contract has it.

use axum::Json;
use axum::extract::State;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse as _, Redirect, Response};
use serde_json::json;
use url::Url;
use url::form_urlencoded::Serializer;

use crate::app::App;
use crate::guard::security_log::{self, About, Kind, Outcome};
use crate::http::device::FromDevice;
use crate::http::error::ApiError;
use crate::http::proving::Redeemer;
use crate::http::redeem::{self, HALF_CHANGED, LINK_EXPIRED, Redeemed, RedeemedLink};
use crate::http::request::{Parameters, parameter};
use crate::http::{email_change, objects};
use crate::repository::sessions::OpenedSession;
use crate::tokens::pkce;

pub(crate) async fn by_link(
    State(app): State<App>,
    method: Method,
    FromDevice(device): FromDevice,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let kind = parameter(&parameters, "type")
        .ok_or_else(|| ApiError::invalid("Verify requires a verification type"))?;
    let token = parameter(&parameters, "token").or_else(|| parameter(&parameters, "token_hash"));
    let token =
        token.ok_or_else(|| ApiError::invalid("Verify requires a token or a token hash"))?;
    let back = app.redirects.allowed(parameter(&parameters, "redirect_to"));
    if redeem::purposes(kind).is_empty() {
        let error = ApiError::invalid("Invalid email verification type");
        let place = back.unwrap_or_else(|| app.redirects.site().clone());
        return Ok(lead_to(&with_error(place, &error, is_pkce(token))));
    }
    // Asking what a link is redeems nothing, whatever the setting says.
    if !app.policy.verify_by_get || method == Method::HEAD {
        let page = app.redirects.page(token, kind, back.as_ref().map(Url::as_str));
        return Ok(lead_to(&page));
    }
    let recovers = kind == "recovery";
    let redeemer = Redeemer {
        sign_up_secret: None,
        bearer: None,
        device,
        goes_on: true,
        recovers,
        has_worked: false,
    };
    let mut redeemed = redeem::link(&app, kind, token, redeemer).await?;
    log(&redeemed.outcome);
    redeemed.redirect_to = back.map(String::from).or(redeemed.redirect_to);
    Ok(lead_to(&place(&app, (kind, token), &redeemed)?))
}

/// Writes how a link that leads on ended. The exchange of a code writes its own line.
pub(crate) fn log(outcome: &Redeemed) {
    let (outcome, about) = match outcome {
        Redeemed::SignedIn(opened) => (Outcome::Done, About::Account(opened.user.user_id)),
        Redeemed::Banned => (Outcome::Banned, About::NoAccount),
        Redeemed::Invalid => (Outcome::WrongProof, About::NoAccount),
        Redeemed::AuthCode(_)
        | Redeemed::HalfChanged
        | Redeemed::AddressTaken
        | Redeemed::Elsewhere => return,
    };
    security_log::write(Kind::SignIn, outcome, security_log::Method::Link, about);
}

/// The answer to our own page, which then leads there.
pub(crate) fn answer(
    app: &App,
    (kind, token): (&str, &str),
    redeemed: &RedeemedLink,
) -> Result<Response, ApiError> {
    // What the person can still mend on the page is told there.
    match redeemed.outcome {
        Redeemed::Invalid => Err(ApiError::forbidden("otp_expired", LINK_EXPIRED)),
        Redeemed::Banned => Err(ApiError::forbidden("user_banned", "User is banned")),
        Redeemed::AddressTaken => Err(ApiError::email_exists()),
        Redeemed::Elsewhere => Err(email_change::elsewhere()),
        _ => {
            let place = place(app, (kind, token), redeemed)?;
            let headers = [("cache-control", "no-store")];
            Ok((headers, Json(json!({ "redirect_to": place.as_str() }))).into_response())
        }
    }
}

pub(crate) fn lead_to(place: &Url) -> Response {
    let headers = [("cache-control", "no-store"), ("referrer-policy", "no-referrer")];
    (StatusCode::SEE_OTHER, headers, Redirect::to(place.as_str())).into_response()
}

fn is_pkce(token: &str) -> bool {
    token.starts_with(pkce::PREFIX)
}

/// Where the contract leads after a link was redeemed.
fn place(app: &App, (kind, token): (&str, &str), redeemed: &RedeemedLink) -> Result<Url, ApiError> {
    let asked = app.redirects.allowed(redeemed.redirect_to.as_deref());
    let mut place = asked.unwrap_or_else(|| app.redirects.site().clone());
    match &redeemed.outcome {
        Redeemed::SignedIn(opened) => {
            place.set_fragment(Some(&session_fragment(app, kind, opened)?));
        }
        Redeemed::AuthCode(code) => {
            set_query(&mut place, &[("code", &code.to_string())]);
        }
        Redeemed::HalfChanged => {
            let fields = [("message", HALF_CHANGED)];
            if is_pkce(token) {
                set_query(&mut place, &fields);
            }
            place.set_fragment(Some(&encode(&fields)));
        }
        Redeemed::AddressTaken => {
            place = with_error(place, &ApiError::email_exists(), is_pkce(token));
        }
        Redeemed::Elsewhere => {
            place = with_error(place, &email_change::elsewhere(), is_pkce(token));
        }
        Redeemed::Banned => {
            let error = ApiError::forbidden("user_banned", "User is banned");
            place = with_error(place, &error, is_pkce(token));
        }
        Redeemed::Invalid => {
            let error = ApiError::forbidden("otp_expired", LINK_EXPIRED);
            place = with_error(place, &error, is_pkce(token));
        }
    }
    Ok(place)
}

/// The session, as a client of the implicit flow reads it.
fn session_fragment(app: &App, kind: &str, opened: &OpenedSession) -> Result<String, ApiError> {
    let tokens = objects::tokens(app, opened)?;
    Ok(encode(&[
        ("access_token", &tokens.access_token),
        ("expires_at", &tokens.expires_at.to_string()),
        ("expires_in", &app.tokens.lifetime_seconds().to_string()),
        ("refresh_token", &tokens.refresh_token),
        ("sb", ""),
        ("token_type", "bearer"),
        ("type", kind),
    ]))
}

/// The place with an error in its fragment; clients with PKCE read the query.
pub(crate) fn with_error(mut place: Url, error: &ApiError, in_query: bool) -> Url {
    let (word, code, message) = error.for_redirect();
    let fields = [("error", word), ("error_code", code), ("error_description", message)];
    if in_query {
        set_query(&mut place, &fields);
    }
    place.set_fragment(Some(&format!("{}&sb=", encode(&fields))));
    place
}

/// Sets fields of the query, and leaves the others.
pub(crate) fn set_query(place: &mut Url, fields: &[(&str, &str)]) {
    let named = |name: &str| fields.iter().any(|(known, _)| *known == name);
    let kept: Vec<(String, String)> =
        place.query_pairs().into_owned().filter(|(name, _)| !named(name)).collect();
    place.query_pairs_mut().clear().extend_pairs(kept).extend_pairs(fields);
}

pub(crate) fn encode(fields: &[(&str, &str)]) -> String {
    Serializer::new(String::new()).extend_pairs(fields).finish()
}
