//! POST /otp and /magiclink: sign in by a mailed code or link, without a password. An address
//! without an account gets one, unless the request says otherwise.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::accounts::address::EmailAddress;
use crate::app::{self, App};
use crate::guard::security_log::{self, About, Kind, Method, Outcome};
use crate::http::captcha::{self, MetaSecurity};
use crate::http::challenge::PkceFields;
use crate::http::code_mail::{self, Admission, LinkWish};
use crate::http::error::ApiError;
use crate::http::phone::{self, PhoneSignUp};
use crate::http::request::{self, Body, Parameters, non_empty};
use crate::http::timing::with_min_duration;
use crate::repository::codes::Purpose;
use crate::repository::limits::{AddressLimits, LimitedAction};
use crate::repository::users::{self, User};

#[derive(Deserialize)]
pub(crate) struct Otp {
    email: Option<String>,
    phone: Option<String>,
    create_user: Option<bool>,
    data: Option<Map<String, Value>>,
    channel: Option<String>,
    #[serde(flatten)]
    pkce: PkceFields,
    gotrue_meta_security: Option<MetaSecurity>,
}

/// A wish for a code, after validation.
#[derive(Clone)]
struct OtpRequest {
    email: EmailAddress,
    user_metadata: Value,
    create_user: bool,
    wish: LinkWish,
    worked: bool,
}

/// What became of it.
enum Sending {
    /// It was sent, as far as the hour's budget has room.
    Asked(Admission),
    /// The address has no account and gets none.
    NoAccount,
}

pub(crate) async fn otp(
    State(app): State<App>,
    parameters: Parameters,
    Body(body): Body<Otp>,
) -> Result<Json<Value>, ApiError> {
    let (email, phone) = (non_empty(body.email.as_deref()), non_empty(body.phone.as_deref()));
    if email.is_some() && phone.is_some() {
        let message = "Only an email address or phone number should be provided";
        return Err(ApiError::invalid(message));
    }
    if email.is_some() && non_empty(body.channel.as_deref()).is_some() {
        return Err(ApiError::invalid("Channel should only be specified with Phone OTP"));
    }
    let wish = LinkWish::of(&app, &parameters, &body.pkce)?;
    match (email, phone) {
        (Some(email), _) => {
            let email = request::email(email)?;
            let create_user = body.create_user.unwrap_or(true);
            let worked = captcha::has_worked(&app, body.gotrue_meta_security).await?;
            let user_metadata = request::user_metadata(&app, &json!({}), body.data)?;
            by_mail(&app, OtpRequest { email, user_metadata, create_user, wish, worked }).await
        }
        (None, Some(number)) => {
            phone::enabled(&app, || {
                ApiError::bad("phone_provider_disabled", "Unsupported phone provider")
            })?;
            let channel = phone::channel(body.channel.as_deref())?;
            let create_user = body.create_user.unwrap_or(true);
            let worked = captcha::has_worked(&app, body.gotrue_meta_security).await?;
            let phone = request::phone(number)?;
            let user_metadata = request::user_metadata(&app, &json!({}), body.data)?;
            let wanted = PhoneSignUp { phone, password_hash: None, user_metadata, channel };
            Ok(Json(phone::otp(&app, wanted, create_user, worked).await?))
        }
        (None, None) => Err(ApiError::invalid("One of email or phone must be set")),
    }
}

pub(crate) async fn magiclink(
    State(app): State<App>,
    parameters: Parameters,
    Body(body): Body<Otp>,
) -> Result<Json<Value>, ApiError> {
    let email = non_empty(body.email.as_deref())
        .ok_or_else(|| ApiError::invalid("Password recovery requires an email"))?;
    let email = request::email(email)?;
    let wish = LinkWish::of(&app, &parameters, &body.pkce)?;
    let worked = captcha::has_worked(&app, body.gotrue_meta_security).await?;
    let user_metadata = request::user_metadata(&app, &json!({}), body.data)?;
    by_mail(&app, OtpRequest { email, user_metadata, create_user: true, wish, worked }).await
}

async fn by_mail(app: &App, wanted: OtpRequest) -> Result<Json<Value>, ApiError> {
    let (any, create_user) = (app.policy.is_for_any(), wanted.create_user);
    match with_min_duration(send(app, wanted)).await? {
        Sending::Asked(admission) => {
            admission.told()?;
            Ok(Json(json!({})))
        }
        Sending::NoAccount if any && !create_user => {
            Err(ApiError::unprocessable("otp_disabled", "Signups not allowed for otp"))
        }
        Sending::NoAccount if any => {
            let message = "Signups not allowed for this instance";
            Err(ApiError::unprocessable("signup_disabled", message))
        }
        // For our own pages the answer is the same with and without an account.
        Sending::NoAccount => Ok(Json(json!({}))),
    }
}

async fn send(app: &App, wanted: OtpRequest) -> Result<Sending, ApiError> {
    let limits = AddressLimits::of(&wanted.email, &app.codes);
    let about = About::Address(limits.address_hash());
    let log = |outcome| security_log::write(Kind::CodeRequest, outcome, Method::Nothing, about);
    if limits.count_mail(&app.spray, wanted.worked).is_err() {
        log(Outcome::Limited);
        return Err(captcha::limited(app, "over_email_send_rate_limit").await);
    }
    let shared = app.clone();
    let sent = app
        .store
        .write(app::metadata(), move |tx| {
            let (app, limits, wanted) = (shared.clone(), limits.clone(), wanted.clone());
            Box::pin(async move {
                limits.lock(tx).await?;
                let now = tx.now().await?;
                let limited = LimitedAction::MagiclinkMail;
                if let Some(seconds) = limits.check_and_count(tx, limited, now).await? {
                    return Err(ApiError::wait("over_email_send_rate_limit", seconds));
                }
                let known = users::lock_by_email(tx.connection(), &wanted.email).await?;
                let has_account =
                    known.as_ref().is_some_and(|user| user.email_confirmed_at.is_some());
                let asking = (&limits, has_account);
                let admission = code_mail::admit(tx, &app, asking, now).await?;
                let mut user = match known {
                    Some(user) if user.is_banned(now) => return Ok(Sending::Asked(admission)),
                    _ if !admission.is_sent() => return Ok(Sending::Asked(admission)),
                    Some(user) => user,
                    None if wanted.create_user && app.policy.signups => {
                        let new = User::new(&wanted.email, wanted.user_metadata, now);
                        users::insert(tx.connection(), &new).await?;
                        new
                    }
                    None => return Ok(Sending::NoAccount),
                };
                // The code of an account that waits for its confirmation is that of a sign-up.
                let confirms = user.email_confirmed_at.is_none() && app.confirm_email;
                let purpose = if confirms { Purpose::Signup } else { Purpose::Magiclink };
                let wish = wanted.wish.from(&limits);
                code_mail::issue(tx, &mut user, purpose, &wish, now).await?;
                Ok(Sending::Asked(admission))
            })
        })
        .await;
    log(if sent.is_ok() { Outcome::Done } else { Outcome::Limited });
    sent
}
