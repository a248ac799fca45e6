//! POST /resend and /recover: mail a code if there is a matching account; the response is the same
//! in both cases.

use axum::Json;
use axum::extract::State;
use kernel::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::accounts::address::EmailAddress;
use crate::app::{self, App};
use crate::http::error::ApiError;
use crate::http::request::{self, Body, Parameters, non_empty, parameter};
use crate::http::timing::with_min_duration;
use crate::repository::codes::{self, NewCode, Purpose};
use crate::repository::limits::{AddressLimits, LimitedAction};
use crate::repository::users::{self, User};

#[derive(Deserialize)]
pub(crate) struct Resend {
    r#type: Option<String>,
    email: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct Recover {
    email: Option<String>,
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
    if matches!(kind, Some("sms" | "phone_change")) {
        let message = "Unsupported phone provider";
        return Err(ApiError::bad("phone_provider_disabled", message));
    }
    let email = non_empty(body.email.as_deref())
        .ok_or_else(|| ApiError::invalid("Type provided requires an email address"))?;
    let email = request::email(email)?;
    // Addresses cannot be changed, so no such code is ever pending.
    if kind == Some("signup") {
        mail(&app, &parameters, email, Purpose::Signup).await?;
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
    mail(&app, &parameters, request::email(email)?, Purpose::Recovery).await?;
    Ok(Json(json!({})))
}

async fn mail(
    app: &App,
    parameters: &Parameters,
    email: EmailAddress,
    purpose: Purpose,
) -> Result<(), ApiError> {
    let limits = AddressLimits::of(&email, &app.codes);
    let redirect_to = app.redirects.allowed(parameter(parameters, "redirect_to")).map(String::from);
    let limited = match purpose {
        Purpose::Signup => LimitedAction::SignupMail,
        _recovery => LimitedAction::RecoveryMail,
    };
    let work = app.store.write(app::metadata(), move |tx| {
        let (limits, email, redirect_to) = (limits.clone(), email.clone(), redirect_to.clone());
        Box::pin(async move {
            limits.lock(tx).await?;
            let now = tx.now().await?;
            if let Some(seconds) = limits.check_and_count(tx, limited, now).await? {
                return Err(ApiError::wait("over_email_send_rate_limit", seconds));
            }
            let user = users::lock_by_email(tx.connection(), &email).await?;
            let Some(mut user) = user.filter(|user| !user.is_banned(now)) else { return Ok(()) };
            if !needs_code(tx, &user, purpose, now).await? {
                return Ok(());
            }
            match purpose {
                Purpose::Signup => user.confirmation_sent_at = Some(now),
                _recovery => user.recovery_sent_at = Some(now),
            }
            users::update(tx.connection(), &user).await?;
            let redirect_to = redirect_to.as_deref();
            let code = NewCode { redirect_to, ..NewCode::default() };
            codes::issue(tx, (user.user_id, purpose), &code, now).await?;
            Ok::<(), ApiError>(())
        })
    });
    with_min_duration(work).await
}

/// Whether a mail is useful: a sign-up code is sent while the address is not proved, and again
/// while one is pending.
async fn needs_code(
    tx: &mut eventstore::Tx,
    user: &User,
    purpose: Purpose,
    now: Timestamp,
) -> Result<bool, ApiError> {
    if purpose == Purpose::Recovery || user.email_proved_at.is_none() {
        return Ok(true);
    }
    Ok(codes::of_user(tx, user.user_id, purpose, now).await?.is_some())
}
