//! POST /resend and /recover: mail a code if there is a matching account; the response is the same
//! in both cases.

use axum::Json;
use axum::extract::State;
use kernel::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::accounts::address::EmailAddress;
use crate::app::{self, App};
use crate::guard::security_log::{self, About, Kind, Method, Outcome};
use crate::http::captcha::{self, MetaSecurity};
use crate::http::challenge::PkceFields;
use crate::http::code_mail::{self, Admission, LinkWish};
use crate::http::email_change;
use crate::http::error::ApiError;
use crate::http::phone;
use crate::http::request::{self, Body, Parameters, non_empty};
use crate::http::timing::with_min_duration;
use crate::repository::codes::{self, Purpose};
use crate::repository::limits::{AddressLimits, LimitedAction};
use crate::repository::users::{self, User};

#[derive(Deserialize)]
pub(crate) struct Resend {
    r#type: Option<String>,
    email: Option<String>,
    phone: Option<String>,
    gotrue_meta_security: Option<MetaSecurity>,
}

#[derive(Deserialize)]
pub(crate) struct Recover {
    email: Option<String>,
    #[serde(flatten)]
    pkce: PkceFields,
    gotrue_meta_security: Option<MetaSecurity>,
}

pub(crate) async fn resend(
    State(app): State<App>,
    parameters: Parameters,
    Body(body): Body<Resend>,
) -> Result<Json<Value>, ApiError> {
    let kind = non_empty(body.r#type.as_deref());
    if !matches!(kind, Some("signup" | "email_change" | "sms" | "phone_change")) {
        let message = "Missing one of these types: signup, email_change, sms, phone_change";
        return Err(ApiError::invalid(message));
    }
    let (email, phone) = (non_empty(body.email.as_deref()), non_empty(body.phone.as_deref()));
    if email.is_none() && kind == Some("signup") {
        return Err(ApiError::invalid("Type provided requires an email address"));
    }
    if phone.is_none() && kind == Some("sms") {
        return Err(ApiError::invalid("Type provided requires a phone number"));
    }
    let email = match (email, phone) {
        (Some(_), Some(_)) => {
            let message = "Only an email address or phone number should be provided.";
            return Err(ApiError::invalid(message));
        }
        (None, Some(number)) => {
            phone::enabled(&app, || {
                ApiError::bad("phone_provider_disabled", "Phone logins are disabled")
            })?;
            let number = request::phone(number)?;
            let worked = captcha::has_worked(&app, body.gotrue_meta_security).await?;
            return Ok(Json(match kind {
                Some("sms") => phone::resend_sign_up(&app, number, worked).await?,
                Some("phone_change") => phone::resend_change(&app, number, worked).await?,
                // A phone has no code of an address.
                _ => json!({}),
            }));
        }
        (None, None) => return Err(ApiError::invalid("Missing email address or phone number")),
        (Some(email), None) => request::email(email)?,
    };
    // As in the contract, a link that is sent again is one of the implicit flow.
    let wish = LinkWish::of(&app, &parameters, &PkceFields::default())?;
    let worked = captcha::has_worked(&app, body.gotrue_meta_security).await?;
    match kind {
        Some("signup") => mail(&app, (email, worked), Purpose::Signup, wish).await?,
        Some("email_change") => mail(&app, (email, worked), Purpose::EmailChangeNew, wish).await?,
        // An address has no code of a phone.
        _ => {}
    }
    Ok(Json(json!({})))
}

pub(crate) async fn recover(
    State(app): State<App>,
    parameters: Parameters,
    Body(body): Body<Recover>,
) -> Result<Json<Value>, ApiError> {
    let email = non_empty(body.email.as_deref())
        .ok_or_else(|| ApiError::invalid("Password recovery requires an email"))?;
    let email = request::email(email)?;
    let wish = LinkWish::of(&app, &parameters, &body.pkce)?;
    let worked = captcha::has_worked(&app, body.gotrue_meta_security).await?;
    mail(&app, (email, worked), Purpose::Recovery, wish).await?;
    Ok(Json(json!({})))
}

async fn mail(
    app: &App,
    (email, worked): (EmailAddress, bool),
    purpose: Purpose,
    wish: LinkWish,
) -> Result<(), ApiError> {
    let limits = AddressLimits::of(&email, &app.codes);
    let about = About::Address(limits.address_hash());
    if limits.count_mail(&app.spray, worked).is_err() {
        security_log::write(Kind::CodeRequest, Outcome::Limited, Method::Nothing, about);
        return Err(captcha::limited(app, "over_email_send_rate_limit").await);
    }
    let limited = match purpose {
        Purpose::Signup => LimitedAction::SignupMail,
        Purpose::EmailChangeNew => LimitedAction::ChangeMail,
        _recovery => LimitedAction::RecoveryMail,
    };
    let shared = app.clone();
    let work = app.store.write(app::metadata(), move |tx| {
        let (app, limits) = (shared.clone(), limits.clone());
        let (email, wish) = (email.clone(), wish.clone().from(&limits));
        Box::pin(async move {
            limits.lock(tx).await?;
            let now = tx.now().await?;
            if let Some(seconds) = limits.check_and_count(tx, limited, now).await? {
                return Err(ApiError::wait("over_email_send_rate_limit", seconds));
            }
            let user = users::lock_by_email(tx.connection(), &email).await?;
            let known = user.filter(|user| !user.is_banned(now));
            // The new address of a change gets a mail as well.
            let new = match &known {
                Some(user) if purpose == Purpose::EmailChangeNew => {
                    email_change::count_new(tx, &app, user, now).await?
                }
                _ => None,
            };
            let has_account = known.as_ref().is_some_and(|user| user.email_confirmed_at.is_some());
            let admission = code_mail::admit(tx, &app, (&limits, has_account), now).await?;
            let Some(mut user) = known.filter(|_| admission.is_sent()) else {
                return Ok(admission);
            };
            if !needs_code(tx, &user, purpose, now).await? {
                return Ok(admission);
            }
            match (purpose, &new) {
                (Purpose::EmailChangeNew, None) => {}
                (Purpose::EmailChangeNew, Some(new)) => {
                    // One mail more of the hour's budget.
                    if code_mail::admit(tx, &app, (new, false), now).await?.is_sent() {
                        email_change::send_again(tx, &mut user, &wish, now).await?;
                    }
                }
                _ => code_mail::issue(tx, &mut user, purpose, &wish, now).await?,
            }
            Ok::<_, ApiError>(admission)
        })
    });
    let asked = with_min_duration(work).await.and_then(Admission::told);
    let outcome = if asked.is_ok() { Outcome::Done } else { Outcome::Limited };
    security_log::write(Kind::CodeRequest, outcome, Method::Nothing, about);
    asked
}

/// Whether a mail is useful: a sign-up code is sent while the address is not proved, and again
/// while one is pending; codes of a change are sent while it waits for both addresses.
async fn needs_code(
    tx: &mut eventstore::Tx,
    user: &User,
    purpose: Purpose,
    now: Timestamp,
) -> Result<bool, ApiError> {
    match purpose {
        Purpose::EmailChangeNew => Ok(user.new_email.is_some()),
        Purpose::Signup if user.email_proved_at.is_some() => {
            Ok(codes::is_pending(tx, user.user_id, purpose, now).await?)
        }
        _ => Ok(true),
    }
}
