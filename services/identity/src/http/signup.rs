//! POST /signup: a new account.
//!
//! Where addresses are confirmed, nothing in the answer tells whether there was an account: who
//! has one is mailed a code too, which signs them in without changing anything, and the answer
//! shows an account that does not exist.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use kernel::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::address::EmailAddress;
use crate::app::{self, App};
use crate::http::request::{self, Body, Parameters, filled, given};
use crate::http::{ApiError, objects, quietly};
use crate::store::codes::{self, Purpose};
use crate::store::limits::{Limited, Limits};
use crate::store::sessions::{self, Opened, Proof};
use crate::store::users::{self, User};

#[derive(Deserialize)]
pub(crate) struct SignUp {
    email: Option<String>,
    phone: Option<String>,
    password: Option<String>,
    data: Option<Map<String, Value>>,
}

/// What was asked for, checked.
#[derive(Clone)]
struct Wanted {
    email: EmailAddress,
    password_hash: String,
    user_metadata: Value,
    redirect_to: Option<String>,
}

pub(crate) async fn signup(
    State(app): State<App>,
    parameters: Parameters,
    Body(body): Body<SignUp>,
) -> Result<Response, ApiError> {
    let redirect_to = app.redirects.allowed(given(&parameters, "redirect_to"));
    let (email, user_metadata) = checked(&body)?;
    let password = body.password.unwrap_or_default();
    let work = async {
        let wanted = Wanted {
            email,
            password_hash: app.hasher.hash(&password).await?,
            user_metadata,
            redirect_to: redirect_to.map(String::from),
        };
        if app.confirm_email {
            let user = ask_to_confirm(&app, wanted).await?;
            Ok(Json(waiting(&app, &user)).into_response())
        } else {
            objects::session(&app, &begin_at_once(&app, wanted).await?)
        }
    };
    if app.confirm_email { quietly(work).await } else { work.await }
}

/// The account as its maker sees it, with what shows later who made it.
fn waiting(app: &App, user: &User) -> Value {
    let mut object = objects::user(user);
    if let Some(object) = object.as_object_mut() {
        let secret = app.codes.sign_up_secret(user.user_id);
        object.insert("sign_up_secret".to_owned(), json!(secret));
    }
    object
}

fn checked(body: &SignUp) -> Result<(EmailAddress, Value), ApiError> {
    let password = filled(body.password.as_deref());
    let email = match (filled(body.email.as_deref()), filled(body.phone.as_deref())) {
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

/// Has a code mailed, and returns the account as the answer shows it.
async fn ask_to_confirm(app: &App, wanted: Wanted) -> Result<User, ApiError> {
    let limits = Limits::of(&wanted.email, &app.codes);
    app.store
        .write(app::metadata(), move |tx| {
            let (limits, wanted) = (limits.clone(), wanted.clone());
            Box::pin(async move {
                limits.lock(tx).await?;
                let now = tx.now().await?;
                if let Some(seconds) = limits.count(tx, Limited::SignupMail, now).await? {
                    return Err(ApiError::wait("over_email_send_rate_limit", seconds));
                }
                let existing = users::by_email(tx.connection(), &wanted.email).await?;
                let mut new = User::new(&wanted.email, wanted.user_metadata, now);
                new.confirmation_sent_at = Some(now);
                let known = existing.filter(|user| user.email_confirmed_at.is_some());
                let user_id = match &known {
                    Some(known) => known.user_id,
                    None => keep(tx, &mut new, wanted.password_hash).await?,
                };
                let redirect_to = wanted.redirect_to.as_deref();
                codes::request(tx, user_id, Purpose::Signup, redirect_to, now).await?;
                Ok(new)
            })
        })
        .await
}

async fn begin_at_once(app: &App, wanted: Wanted) -> Result<Opened, ApiError> {
    let limits = Limits::of(&wanted.email, &app.codes);
    app.store
        .write(app::metadata(), move |tx| {
            let (limits, wanted) = (limits.clone(), wanted.clone());
            Box::pin(async move {
                limits.lock(tx).await?;
                let now: Timestamp = tx.now().await?;
                let existing = users::by_email(tx.connection(), &wanted.email).await?;
                if existing.is_some_and(|user| user.email_confirmed_at.is_some()) {
                    let message = "User already registered";
                    return Err(ApiError::unprocessable("user_already_exists", message));
                }
                let mut new = User::new(&wanted.email, wanted.user_metadata, now);
                new.email_confirmed_at = Some(now);
                keep(tx, &mut new, wanted.password_hash).await?;
                Ok(sessions::open(tx, new, Proof::Password, now).await?)
            })
        })
        .await
}

/// Stores the new account with its password.
async fn keep(
    tx: &mut eventstore::Tx,
    new: &mut User,
    password_hash: String,
) -> Result<uuid::Uuid, ApiError> {
    new.password_hash = Some(password_hash);
    users::replace(tx.connection(), new).await?;
    Ok(new.user_id)
}
