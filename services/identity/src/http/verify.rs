//! POST and GET /verify: the code of a mail, typed or followed as a link, begins a session.

use axum::extract::State;
use axum::response::{IntoResponse as _, Redirect, Response};
use eventstore::Tx;
use kernel::Timestamp;
use serde::Deserialize;
use url::Url;
use url::form_urlencoded::Serializer;
use uuid::Uuid;

use crate::address::EmailAddress;
use crate::app::{self, App};
use crate::http::request::{self, Body, Parameters, filled, given};
use crate::http::{ApiError, objects, quietly};
use crate::secrets::same;
use crate::store::codes::{self, Purpose};
use crate::store::limits::{Limited, Limits};
use crate::store::sessions::{self, Opened, Proof};
use crate::store::users;
use crate::token::LIFE_SECONDS;

/// Kinds of codes that the contract knows and this server never mails.
const NEVER_MAILED: &[&str] = &["invite", "magiclink", "email_change", "sms", "phone_change"];
const LINK_EXPIRED: &str = "Email link is invalid or has expired";

#[derive(Deserialize)]
pub(crate) struct Verify {
    r#type: Option<String>,
    token: Option<String>,
    token_hash: Option<String>,
    email: Option<String>,
    phone: Option<String>,
}

/// How a code fares.
enum Redeemed {
    In(Box<Opened>),
    Banned,
    Wrong,
}

pub(crate) async fn by_code(
    State(app): State<App>,
    Body(body): Body<Verify>,
) -> Result<Response, ApiError> {
    let (token, token_hash) = (filled(body.token.as_deref()), filled(body.token_hash.as_deref()));
    let (email, phone) = (filled(body.email.as_deref()), filled(body.phone.as_deref()));
    let kind = filled(body.r#type.as_deref())
        .ok_or_else(|| ApiError::invalid("Verify requires a verification type"))?;
    let (message, redeemed) = match (token, token_hash) {
        (None, None) => {
            return Err(ApiError::invalid("Verify requires a token or a token hash"));
        }
        (None, Some(hash)) => {
            if email.is_some() || phone.is_some() {
                let message = "Only the token_hash and type should be provided";
                return Err(ApiError::invalid(message));
            }
            (LINK_EXPIRED, quietly(redeem_link(&app, purpose_of(kind)?, hash)).await?)
        }
        (Some(token), _) => {
            let (Some(email), None) = (email, phone) else {
                let message = "Only an email address or phone number should be provided on verify";
                return Err(ApiError::invalid(message));
            };
            let (email, purpose) = (request::email(email)?, purpose_of(kind)?);
            let redeeming = redeem_digits(&app, purpose, email, token.to_owned());
            ("Token has expired or is invalid", quietly(redeeming).await?)
        }
    };
    match redeemed {
        Redeemed::In(opened) => objects::session(&app, &opened),
        Redeemed::Banned => Err(ApiError::forbidden("user_banned", "User is banned")),
        Redeemed::Wrong => Err(ApiError::forbidden("otp_expired", message)),
    }
}

/// A link leads to the page that it names, with a session or with an error in the fragment, which
/// browsers send to nobody.
pub(crate) async fn by_link(
    State(app): State<App>,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let token = given(&parameters, "token").or_else(|| given(&parameters, "token_hash"));
    let token =
        token.ok_or_else(|| ApiError::invalid("Verify requires a token or a token hash"))?;
    let kind = given(&parameters, "type")
        .ok_or_else(|| ApiError::invalid("Verify requires a verification type"))?;
    let purpose = purpose_of(kind)?;
    let asked = app.redirects.allowed(given(&parameters, "redirect_to"));
    let page = asked.unwrap_or_else(|| app.redirects.usual(purpose));
    let fragment = match redeem_link(&app, purpose, token).await? {
        Redeemed::In(opened) => session_fragment(&app, &opened, kind)?,
        Redeemed::Banned => error_fragment("user_banned", "User is banned"),
        Redeemed::Wrong => error_fragment("otp_expired", LINK_EXPIRED),
    };
    Ok(lead_to(page, &fragment))
}

/// What a type of the contract means here; `None` when no such code is ever mailed.
fn purpose_of(kind: &str) -> Result<Option<Purpose>, ApiError> {
    match kind {
        "signup" | "email" => Ok(Some(Purpose::Signup)),
        "recovery" => Ok(Some(Purpose::Recovery)),
        never if NEVER_MAILED.contains(&never) => Ok(None),
        _ => Err(ApiError::invalid("Unsupported verification type")),
    }
}

async fn redeem_digits(
    app: &App,
    purpose: Option<Purpose>,
    email: EmailAddress,
    token: String,
) -> Result<Redeemed, ApiError> {
    let shared = app.clone();
    app.store
        .write(app::metadata(), move |tx| {
            let (app, email, token) = (shared.clone(), email.clone(), token.clone());
            Box::pin(async move {
                let limits = Limits::of(&email, &app.codes);
                limits.lock(tx).await?;
                let now = tx.now().await?;
                if let Some(seconds) = limits.count(tx, Limited::Code, now).await? {
                    return Err(ApiError::wait("over_request_rate_limit", seconds));
                }
                let user = users::by_email(tx.connection(), &email).await?;
                let (Some(user), Some(purpose)) = (user, purpose) else {
                    return Ok(Redeemed::Wrong);
                };
                let code = codes::of_user(tx, user.user_id, purpose, now).await?;
                let Some(code) = code else { return Ok(Redeemed::Wrong) };
                if !same(app.codes.digits(code.code_id).as_bytes(), token.as_bytes()) {
                    codes::wrong_try(tx, code.code_id).await?;
                    return Ok(Redeemed::Wrong);
                }
                begin(tx, &app, (code.code_id, user.user_id), purpose, now).await
            })
        })
        .await
}

async fn redeem_link(
    app: &App,
    purpose: Option<Purpose>,
    token: &str,
) -> Result<Redeemed, ApiError> {
    let (Some(code_id), Some(purpose)) = (app.codes.code_of_link(token), purpose) else {
        return Ok(Redeemed::Wrong);
    };
    let shared = app.clone();
    app.store
        .write(app::metadata(), move |tx| {
            let app = shared.clone();
            Box::pin(async move {
                let code = codes::by_id(tx.connection(), code_id).await?;
                let Some(code) = code.filter(|code| code.purpose == purpose.word()) else {
                    return Ok(Redeemed::Wrong);
                };
                let now = tx.now().await?;
                begin(tx, &app, (code_id, code.user_id), purpose, now).await
            })
        })
        .await
}

/// Uses the code up and lets its owner in.
async fn begin(
    tx: &mut Tx,
    app: &App,
    (code_id, user_id): (Uuid, Uuid),
    purpose: Purpose,
    now: Timestamp,
) -> Result<Redeemed, ApiError> {
    let Some(mut user) = users::locked(tx.connection(), user_id).await? else {
        return Ok(Redeemed::Wrong);
    };
    if !codes::use_up(tx, code_id).await? {
        return Ok(Redeemed::Wrong);
    }
    if user.is_banned(now) {
        return Ok(Redeemed::Banned);
    }
    if user.email_confirmed_at.is_none() {
        user.email_confirmed_at = Some(now);
        if purpose == Purpose::Recovery {
            // Whoever signed up with this address had not shown that it is theirs.
            user.password_hash = None;
        }
    }
    if let Some(email) = EmailAddress::parse(&user.email) {
        let limits = Limits::of(&email, &app.codes);
        limits.forget(tx, Limited::Code).await?;
        limits.forget(tx, Limited::Password).await?;
    }
    let proof = match purpose {
        Purpose::Signup => Proof::Signup,
        Purpose::Recovery => Proof::Recovery,
    };
    let opened = sessions::open(tx, user, proof, now).await?;
    Ok(Redeemed::In(Box::new(opened)))
}

fn session_fragment(app: &App, opened: &Opened, kind: &str) -> Result<String, ApiError> {
    let tokens = objects::tokens(app, opened)?;
    let fragment = Serializer::new(String::new())
        .append_pair("access_token", &tokens.access_token)
        .append_pair("expires_at", &tokens.expires_at.to_string())
        .append_pair("expires_in", &LIFE_SECONDS.to_string())
        .append_pair("refresh_token", &tokens.refresh_token)
        .append_pair("sb", "")
        .append_pair("token_type", "bearer")
        .append_pair("type", kind)
        .finish();
    Ok(fragment)
}

fn error_fragment(code: &str, description: &str) -> String {
    Serializer::new(String::new())
        .append_pair("error", "access_denied")
        .append_pair("error_code", code)
        .append_pair("error_description", description)
        .append_pair("sb", "")
        .finish()
}

fn lead_to(mut page: Url, fragment: &str) -> Response {
    page.set_fragment(Some(fragment));
    let unseen = [("cache-control", "no-store"), ("referrer-policy", "no-referrer")];
    (unseen, Redirect::to(page.as_str())).into_response()
}
