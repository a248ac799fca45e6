//! POST /verify: redeems a mailed code, typed or as a link, and opens a session. GET /verify only
//! redirects to the page that asks for confirmation, because mail programs and scanners open links
//! on their own.

use axum::extract::State;
use axum::response::{IntoResponse as _, Redirect, Response};
use eventstore::Tx;
use kernel::Timestamp;
use serde::Deserialize;
use url::Url;
use uuid::Uuid;

use crate::accounts::address::EmailAddress;
use crate::app::{self, App};
use crate::http::device::FromDevice;
use crate::http::error::ApiError;
use crate::http::objects;
use crate::http::request::{self, Body, Parameters, non_empty, parameter};
use crate::http::timing::with_min_duration;
use crate::repository::codes::{self, Purpose};
use crate::repository::limits::{AddressLimits, LimitedAction};
use crate::repository::sessions::{self, AuthMethod, Device, OpenedSession};
use crate::repository::users::{self, User};
use crate::tokens::secrets::constant_time_eq;

/// Code types of the contract that this server never mails.
const UNSUPPORTED_TYPES: &[&str] = &["invite", "magiclink", "email_change", "sms", "phone_change"];
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

/// A presented code with its account.
struct PresentedCode {
    code_id: Uuid,
    user_id: Uuid,
    purpose: Purpose,
    redeemer: Redeemer,
}

/// What the request says of its sender.
#[derive(Clone)]
struct Redeemer {
    /// The secret from the sign-up's response, if the client sent it.
    sign_up_secret: Option<String>,
    device: Device,
}

/// The outcome of redeeming a code.
enum RedeemOutcome {
    SignedIn(Box<OpenedSession>),
    Banned,
    Invalid,
}

pub(crate) async fn by_code(
    State(app): State<App>,
    FromDevice(device): FromDevice,
    Body(body): Body<Verify>,
) -> Result<Response, ApiError> {
    let (token, token_hash) =
        (non_empty(body.token.as_deref()), non_empty(body.token_hash.as_deref()));
    let (email, phone) = (non_empty(body.email.as_deref()), non_empty(body.phone.as_deref()));
    let secret = non_empty(body.sign_up_secret.as_deref()).map(str::to_owned);
    let redeemer = Redeemer { sign_up_secret: secret, device };
    let kind = non_empty(body.r#type.as_deref())
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
            (
                LINK_EXPIRED,
                with_min_duration(redeem_link(&app, purpose_of(kind)?, hash, redeemer)).await?,
            )
        }
        (Some(token), _) => {
            let (Some(email), None) = (email, phone) else {
                let message = "Only an email address or phone number should be provided on verify";
                return Err(ApiError::invalid(message));
            };
            let (email, purpose) = (request::email(email)?, purpose_of(kind)?);
            let typed = (email, token.to_owned());
            let redeeming = redeem_digits(&app, purpose, typed, redeemer);
            ("Token has expired or is invalid", with_min_duration(redeeming).await?)
        }
    };
    match redeemed {
        RedeemOutcome::SignedIn(opened) => objects::session(&app, &opened),
        RedeemOutcome::Banned => Err(ApiError::forbidden("user_banned", "User is banned")),
        RedeemOutcome::Invalid => Err(ApiError::forbidden("otp_expired", message)),
    }
}

/// Redirects to the page of the site whose button posts the link's token. It reads and changes
/// nothing, so it does not matter how often or by which program a link is opened.
pub(crate) async fn by_link(
    State(app): State<App>,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let token = parameter(&parameters, "token").or_else(|| parameter(&parameters, "token_hash"));
    let token =
        token.ok_or_else(|| ApiError::invalid("Verify requires a token or a token hash"))?;
    let kind = parameter(&parameters, "type")
        .ok_or_else(|| ApiError::invalid("Verify requires a verification type"))?;
    purpose_of(kind)?;
    let back = app.redirects.allowed(parameter(&parameters, "redirect_to"));
    let page = app.redirects.link(token, kind, back.as_ref().map(Url::as_str));
    let headers = [("cache-control", "no-store"), ("referrer-policy", "no-referrer")];
    Ok((headers, Redirect::to(page.as_str())).into_response())
}

/// The purpose of a contract's type; `None` when no such code is ever mailed.
fn purpose_of(kind: &str) -> Result<Option<Purpose>, ApiError> {
    match kind {
        "signup" | "email" => Ok(Some(Purpose::Signup)),
        "recovery" => Ok(Some(Purpose::Recovery)),
        never if UNSUPPORTED_TYPES.contains(&never) => Ok(None),
        _ => Err(ApiError::invalid("Unsupported verification type")),
    }
}

async fn redeem_digits(
    app: &App,
    purpose: Option<Purpose>,
    (email, token): (EmailAddress, String),
    redeemer: Redeemer,
) -> Result<RedeemOutcome, ApiError> {
    let shared = app.clone();
    app.store
        .write(app::metadata(), move |tx| {
            let (app, email, token) = (shared.clone(), email.clone(), token.clone());
            let redeemer = redeemer.clone();
            Box::pin(async move {
                let limits = AddressLimits::of(&email, &app.codes);
                limits.lock(tx).await?;
                let now = tx.now().await?;
                if let Some(seconds) = limits.check_and_count(tx, LimitedAction::Code, now).await? {
                    return Err(ApiError::wait("over_request_rate_limit", seconds));
                }
                let user = users::by_email(tx.connection(), &email).await?;
                let (Some(user), Some(purpose)) = (user, purpose) else {
                    return Ok(RedeemOutcome::Invalid);
                };
                let code = codes::of_user(tx, user.user_id, purpose, now).await?;
                let Some(code) = code else { return Ok(RedeemOutcome::Invalid) };
                if !constant_time_eq(app.codes.digits(code.code_id).as_bytes(), token.as_bytes()) {
                    codes::count_wrong_attempt(tx, code.code_id).await?;
                    return Ok(RedeemOutcome::Invalid);
                }
                let (code_id, user_id) = (code.code_id, user.user_id);
                sign_in(tx, &app, PresentedCode { code_id, user_id, purpose, redeemer }, now).await
            })
        })
        .await
}

async fn redeem_link(
    app: &App,
    purpose: Option<Purpose>,
    token: &str,
    redeemer: Redeemer,
) -> Result<RedeemOutcome, ApiError> {
    let (Some(code_id), Some(purpose)) = (app.codes.code_of_link(token), purpose) else {
        return Ok(RedeemOutcome::Invalid);
    };
    let shared = app.clone();
    app.store
        .write(app::metadata(), move |tx| {
            let (app, redeemer) = (shared.clone(), redeemer.clone());
            Box::pin(async move {
                let code = codes::by_id(tx.connection(), code_id).await?;
                let Some(code) = code.filter(|code| code.purpose == purpose.word()) else {
                    return Ok(RedeemOutcome::Invalid);
                };
                let (user_id, now) = (code.user_id, tx.now().await?);
                sign_in(tx, &app, PresentedCode { code_id, user_id, purpose, redeemer }, now).await
            })
        })
        .await
}

/// Consumes the code and opens a session for its account.
async fn sign_in(
    tx: &mut Tx,
    app: &App,
    presented: PresentedCode,
    now: Timestamp,
) -> Result<RedeemOutcome, ApiError> {
    let Some(mut user) = users::lock_by_id(tx.connection(), presented.user_id).await? else {
        return Ok(RedeemOutcome::Invalid);
    };
    if !codes::consume(tx, presented.code_id).await? {
        return Ok(RedeemOutcome::Invalid);
    }
    if user.is_banned(now) {
        return Ok(RedeemOutcome::Banned);
    }
    if user.email_proved_at.is_none() && !is_creator(app, &user, &presented) {
        user.password_hash = None;
        sessions::end_all(tx.connection(), user.user_id, None).await?;
    }
    user.prove_address(now);
    if let Some(email) = user.address() {
        let limits = AddressLimits::of(&email, &app.codes);
        limits.reset(tx, LimitedAction::Code).await?;
        limits.reset(tx, LimitedAction::Password).await?;
    }
    let auth_method = match presented.purpose {
        Purpose::Recovery => AuthMethod::Recovery,
        _other => AuthMethod::Otp,
    };
    let opened = sessions::open(tx, user, (auth_method, &presented.redeemer.device), now).await?;
    Ok(RedeemOutcome::SignedIn(Box::new(opened)))
}

/// Whether the code is presented by the client that created the account, or that is signed in to
/// it. The code proves only the address; the account and its password may be a stranger's.
fn is_creator(app: &App, user: &User, presented: &PresentedCode) -> bool {
    let secret = presented.redeemer.sign_up_secret.as_deref().unwrap_or_default();
    let right = app.codes.sign_up_secret(user.user_id);
    presented.purpose == Purpose::Signup && constant_time_eq(right.as_bytes(), secret.as_bytes())
}
