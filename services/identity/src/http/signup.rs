//! POST /signup: a new account.
//!
//! With confirmation of addresses, the response does not reveal whether the address had an account:
//! the owner of an existing one is mailed a code, too, which signs them in and changes nothing, and
//! the response shows an account that is not stored.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use kernel::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::accounts::address::EmailAddress;
use crate::app::{self, App};
use crate::http::device::FromDevice;
use crate::http::error::ApiError;
use crate::http::objects;
use crate::http::request::{self, Body, Parameters, non_empty, parameter};
use crate::http::timing::with_min_duration;
use crate::repository::codes::{self, NewCode, Purpose};
use crate::repository::limits::{AddressLimits, LimitedAction};
use crate::repository::sessions::{self, AuthMethod, Device, OpenedSession};
use crate::repository::users::{self, User};

#[derive(Deserialize)]
pub(crate) struct SignUp {
    email: Option<String>,
    phone: Option<String>,
    password: Option<String>,
    data: Option<Map<String, Value>>,
}

/// A validated sign-up.
#[derive(Clone)]
struct NewAccount {
    email: EmailAddress,
    password_hash: String,
    user_metadata: Value,
    redirect_to: Option<String>,
}

pub(crate) async fn signup(
    State(app): State<App>,
    parameters: Parameters,
    FromDevice(device): FromDevice,
    Body(body): Body<SignUp>,
) -> Result<Response, ApiError> {
    let redirect_to = app.redirects.allowed(parameter(&parameters, "redirect_to"));
    let (email, user_metadata) = validate(&body)?;
    let password = body.password.unwrap_or_default();
    let work = async {
        let account = NewAccount {
            email,
            password_hash: app.hasher.hash(&password).await?,
            user_metadata,
            redirect_to: redirect_to.map(String::from),
        };
        if app.confirm_email {
            let user = ask_to_confirm(&app, account).await?;
            Ok(Json(objects::unproved_user(&app, &user)).into_response())
        } else {
            objects::session(&app, &begin_at_once(&app, account, device).await?)
        }
    };
    if app.confirm_email { with_min_duration(work).await } else { work.await }
}

fn validate(body: &SignUp) -> Result<(EmailAddress, Value), ApiError> {
    let password = non_empty(body.password.as_deref());
    let email = match (non_empty(body.email.as_deref()), non_empty(body.phone.as_deref())) {
        (Some(email), _) => email,
        (None, Some(_)) => {
            return Err(ApiError::bad("phone_provider_disabled", "Phone signups are disabled"));
        }
        (None, None) if password.is_none() => {
            return Err(ApiError::unprocessable(
                "anonymous_provider_disabled",
                "Anonymous sign-ins are disabled",
            ));
        }
        (None, None) => return Err(ApiError::invalid("To signup, please provide your email")),
    };
    let password = password.ok_or_else(|| ApiError::invalid("Signup requires a valid password"))?;
    let email = request::email(email)?;
    let user_metadata = request::user_metadata(&json!({}), body.data.clone())?;
    request::new_password(password, &email, &user_metadata)?;
    Ok((email, user_metadata))
}

/// Requests a code mail, and returns the account for the response.
async fn ask_to_confirm(app: &App, account: NewAccount) -> Result<User, ApiError> {
    let limits = AddressLimits::of(&account.email, &app.codes);
    app.store
        .write(app::metadata(), move |tx| {
            let (limits, account) = (limits.clone(), account.clone());
            Box::pin(async move {
                limits.lock(tx).await?;
                let now = tx.now().await?;
                if let Some(seconds) =
                    limits.check_and_count(tx, LimitedAction::SignupMail, now).await?
                {
                    return Err(ApiError::wait("over_email_send_rate_limit", seconds));
                }
                let existing = users::by_email(tx.connection(), &account.email).await?;
                let mut new = User::new(&account.email, account.user_metadata, now);
                new.confirmation_sent_at = Some(now);
                let known = existing.filter(|user| user.email_confirmed_at.is_some());
                let user_id = match &known {
                    Some(known) => known.user_id,
                    None => insert_account(tx, &mut new, account.password_hash).await?,
                };
                let redirect_to = account.redirect_to.as_deref();
                let code = NewCode { redirect_to, ..NewCode::default() };
                codes::issue(tx, (user_id, Purpose::Signup), &code, now).await?;
                Ok(new)
            })
        })
        .await
}

async fn begin_at_once(
    app: &App,
    account: NewAccount,
    device: Device,
) -> Result<OpenedSession, ApiError> {
    let limits = AddressLimits::of(&account.email, &app.codes);
    app.store
        .write(app::metadata(), move |tx| {
            let (limits, account) = (limits.clone(), account.clone());
            let device = device.clone();
            Box::pin(async move {
                limits.lock(tx).await?;
                let now: Timestamp = tx.now().await?;
                let existing = users::lock_by_email(tx.connection(), &account.email).await?;
                if existing.is_some_and(|user| user.email_confirmed_at.is_some()) {
                    let message = "User already registered";
                    return Err(ApiError::unprocessable("user_already_exists", message));
                }
                let mut new = User::new(&account.email, account.user_metadata, now);
                new.email_confirmed_at = Some(now);
                new.identities = vec![new.identity_of_address(now)];
                insert_account(tx, &mut new, account.password_hash).await?;
                Ok(sessions::open(tx, new, (AuthMethod::Password, &device), now).await?)
            })
        })
        .await
}

/// Stores the new account with its password.
async fn insert_account(
    tx: &mut eventstore::Tx,
    new: &mut User,
    password_hash: String,
) -> Result<uuid::Uuid, ApiError> {
    new.password_hash = Some(password_hash);
    users::replace(tx.connection(), new).await?;
    Ok(new.user_id)
}
