//! POST /verify: the code of a mail, typed or followed as a link, begins a session. GET /verify
//! only leads to the page that asks for it: mail programs and scanners open links without being
//! asked.

use axum::extract::State;
use axum::response::{IntoResponse as _, Redirect, Response};
use eventstore::Tx;
use kernel::Timestamp;
use serde::Deserialize;
use url::Url;
use uuid::Uuid;

use crate::address::EmailAddress;
use crate::app::{self, App};
use crate::http::request::{self, Body, Parameters, filled, given};
use crate::http::{ApiError, objects, quietly};
use crate::secrets::same;
use crate::store::codes::{self, Purpose};
use crate::store::limits::{Limited, Limits};
use crate::store::sessions::{self, Opened, Proof};
use crate::store::users::{self, User};

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
    sign_up_secret: Option<String>,
}

/// A code that was shown, and who shows it.
struct Shown {
    code_id: Uuid,
    user_id: Uuid,
    purpose: Purpose,
    /// What the answer of their sign-up gave them, if it is theirs.
    sign_up_secret: Option<String>,
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
    let secret = filled(body.sign_up_secret.as_deref());
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
            (LINK_EXPIRED, quietly(redeem_link(&app, purpose_of(kind)?, hash, secret)).await?)
        }
        (Some(token), _) => {
            let (Some(email), None) = (email, phone) else {
                let message = "Only an email address or phone number should be provided on verify";
                return Err(ApiError::invalid(message));
            };
            let (email, purpose) = (request::email(email)?, purpose_of(kind)?);
            let typed = (email, token.to_owned());
            let redeeming = redeem_digits(&app, purpose, typed, secret);
            ("Token has expired or is invalid", quietly(redeeming).await?)
        }
    };
    match redeemed {
        Redeemed::In(opened) => objects::session(&app, &opened),
        Redeemed::Banned => Err(ApiError::forbidden("user_banned", "User is banned")),
        Redeemed::Wrong => Err(ApiError::forbidden("otp_expired", message)),
    }
}

/// Leads to the page of the site that asks for the press of a button and posts the link's token.
/// Nothing is looked up and nothing changes, so who opens a link, and how often, does not matter.
pub(crate) async fn by_link(
    State(app): State<App>,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let token = given(&parameters, "token").or_else(|| given(&parameters, "token_hash"));
    let token =
        token.ok_or_else(|| ApiError::invalid("Verify requires a token or a token hash"))?;
    let kind = given(&parameters, "type")
        .ok_or_else(|| ApiError::invalid("Verify requires a verification type"))?;
    purpose_of(kind)?;
    let back = app.redirects.allowed(given(&parameters, "redirect_to"));
    let page = app.redirects.link(token, kind, back.as_ref().map(Url::as_str));
    let unseen = [("cache-control", "no-store"), ("referrer-policy", "no-referrer")];
    Ok((unseen, Redirect::to(page.as_str())).into_response())
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
    (email, token): (EmailAddress, String),
    secret: Option<&str>,
) -> Result<Redeemed, ApiError> {
    let (shared, secret) = (app.clone(), secret.map(str::to_owned));
    app.store
        .write(app::metadata(), move |tx| {
            let (app, email, token) = (shared.clone(), email.clone(), token.clone());
            let sign_up_secret = secret.clone();
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
                let (code_id, user_id) = (code.code_id, user.user_id);
                begin(tx, &app, Shown { code_id, user_id, purpose, sign_up_secret }, now).await
            })
        })
        .await
}

async fn redeem_link(
    app: &App,
    purpose: Option<Purpose>,
    token: &str,
    secret: Option<&str>,
) -> Result<Redeemed, ApiError> {
    let (Some(code_id), Some(purpose)) = (app.codes.code_of_link(token), purpose) else {
        return Ok(Redeemed::Wrong);
    };
    let (shared, secret) = (app.clone(), secret.map(str::to_owned));
    app.store
        .write(app::metadata(), move |tx| {
            let (app, sign_up_secret) = (shared.clone(), secret.clone());
            Box::pin(async move {
                let code = codes::by_id(tx.connection(), code_id).await?;
                let Some(code) = code.filter(|code| code.purpose == purpose.word()) else {
                    return Ok(Redeemed::Wrong);
                };
                let (user_id, now) = (code.user_id, tx.now().await?);
                begin(tx, &app, Shown { code_id, user_id, purpose, sign_up_secret }, now).await
            })
        })
        .await
}

/// Uses the code up and lets its owner in.
async fn begin(tx: &mut Tx, app: &App, shown: Shown, now: Timestamp) -> Result<Redeemed, ApiError> {
    let Some(mut user) = users::locked(tx.connection(), shown.user_id).await? else {
        return Ok(Redeemed::Wrong);
    };
    if !codes::use_up(tx, shown.code_id).await? {
        return Ok(Redeemed::Wrong);
    }
    if user.is_banned(now) {
        return Ok(Redeemed::Banned);
    }
    if user.email_confirmed_at.is_none() {
        user.email_confirmed_at = Some(now);
        if !made_by(app, &user, &shown) {
            user.password_hash = None;
        }
    }
    if let Some(email) = EmailAddress::parse(&user.email) {
        let limits = Limits::of(&email, &app.codes);
        limits.forget(tx, Limited::Code).await?;
        limits.forget(tx, Limited::Password).await?;
    }
    let proof = match shown.purpose {
        Purpose::Signup => Proof::Signup,
        Purpose::Recovery => Proof::Recovery,
    };
    let opened = sessions::open(tx, user, proof, now).await?;
    Ok(Redeemed::In(Box::new(opened)))
}

/// Whether the one who shows the code of an unconfirmed account has also made the account. The code
/// proves the address only: the account, and its password, may have been made by a stranger.
fn made_by(app: &App, user: &User, shown: &Shown) -> bool {
    let secret = shown.sign_up_secret.as_deref().unwrap_or_default();
    let right = app.codes.sign_up_secret(user.user_id);
    shown.purpose == Purpose::Signup && same(right.as_bytes(), secret.as_bytes())
}
