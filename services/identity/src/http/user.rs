//! GET and PUT /user: the account of the signed-in caller.
//!
//! A new password needs the old one, unless a mailed code was just redeemed for it. It ends all
//! other sessions and deletes all codes.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::accounts::address::EmailAddress;
use crate::app::{self, App};
use crate::http::bearer::SignedIn;
use crate::http::error::ApiError;
use crate::http::request::{self, Body, non_empty};
use crate::http::{objects, password};
use crate::repository::limits::{AddressLimits, LimitedAction};
use crate::repository::users::{self, User};
use crate::repository::{codes, sessions};

#[derive(Deserialize)]
pub(crate) struct UserUpdate {
    email: Option<String>,
    phone: Option<String>,
    password: Option<String>,
    current_password: Option<String>,
    data: Option<Map<String, Value>>,
    app_metadata: Option<Value>,
}

/// A new password, to replace the one with the hash `before`.
#[derive(Clone)]
struct NewPassword {
    before: Option<String>,
    hash: String,
}

/// The account, and while its address is not proved the secret that shows, with the mailed code,
/// that the account is the caller's.
pub(crate) async fn read(State(app): State<App>, signed_in: SignedIn) -> Json<Value> {
    let user = &signed_in.user;
    let is_proved = user.email_proved_at.is_some();
    Json(if is_proved { objects::user(user) } else { objects::unproved_user(&app, user) })
}

pub(crate) async fn update(
    State(app): State<App>,
    signed_in: SignedIn,
    Body(body): Body<UserUpdate>,
) -> Result<Json<Value>, ApiError> {
    reject_forbidden_fields(&signed_in, &body)?;
    let user_metadata = request::user_metadata(&signed_in.user.user_metadata, body.data.clone())?;
    let new_password = match non_empty(body.password.as_deref()) {
        None => None,
        Some(password) => {
            let current = body.current_password.as_deref();
            Some(new_password(&app, &signed_in, &user_metadata, (password, current)).await?)
        }
    };
    let user = store(&app, &signed_in, body.data, new_password).await?;
    Ok(Json(objects::user(&user)))
}

fn reject_forbidden_fields(signed_in: &SignedIn, body: &UserUpdate) -> Result<(), ApiError> {
    if body.app_metadata.as_ref().is_some_and(|metadata| !metadata.is_null()) {
        let message = "Updating app_metadata requires admin privileges";
        return Err(ApiError::forbidden("not_admin", message));
    }
    if non_empty(body.phone.as_deref()).is_some() {
        let message = "Unsupported phone provider";
        return Err(ApiError::bad("phone_provider_disabled", message));
    }
    if let Some(email) = non_empty(body.email.as_deref())
        && request::email(email)?.as_str() != signed_in.user.email_text()
    {
        let message = "The email address of an account cannot be changed";
        return Err(ApiError::unprocessable("validation_failed", message));
    }
    Ok(())
}

async fn new_password(
    app: &App,
    signed_in: &SignedIn,
    user_metadata: &Value,
    (new, current): (&str, Option<&str>),
) -> Result<NewPassword, ApiError> {
    let user = &signed_in.user;
    let email = request::email(user.email_text())?;
    request::new_password(new, &email, user_metadata)?;
    let reset = signed_in.session.password_reset_until_at;
    if reset.is_none_or(|until| until <= signed_in.now) {
        reauthenticate(app, &email, non_empty(current)).await?;
    }
    let before = user.password_hash.clone();
    if app.hasher.verify(new, before.as_deref()).await? {
        let message = "New password should be different from the old password.";
        return Err(ApiError::unprocessable("same_password", message));
    }
    Ok(NewPassword { before, hash: app.hasher.hash(new).await? })
}

async fn reauthenticate(
    app: &App,
    email: &EmailAddress,
    current: Option<&str>,
) -> Result<(), ApiError> {
    let Some(current) = current else {
        let message = "Setting a new password requires current_password";
        return Err(ApiError::bad("reauthentication_needed", message));
    };
    match password::right_password(app, email, current).await? {
        Some(_) => Ok(()),
        None => Err(ApiError::bad("invalid_credentials", "Current password is not right")),
    }
}

async fn store(
    app: &App,
    signed_in: &SignedIn,
    data: Option<Map<String, Value>>,
    new_password: Option<NewPassword>,
) -> Result<User, ApiError> {
    let (user_id, session_id) = (signed_in.user.user_id, signed_in.session.session_id);
    let shared = app.clone();
    app.store
        .write(app::metadata(), move |tx| {
            let (app, data, new_password) = (shared.clone(), data.clone(), new_password.clone());
            Box::pin(async move {
                let user = users::lock_by_id(tx.connection(), user_id).await?;
                let mut user = user.ok_or_else(user_not_found)?;
                user.user_metadata = request::user_metadata(&user.user_metadata, data)?;
                user.updated_at = tx.now().await?;
                if let Some(new) = new_password {
                    if user.password_hash != new.before {
                        return Err(password_changed());
                    }
                    user.password_hash = Some(new.hash);
                    revoke_other_access(tx, &app, &user, session_id).await?;
                }
                users::update(tx.connection(), &user).await?;
                Ok(user)
            })
        })
        .await
}

/// Ends all other access: sessions of the old password and pending codes.
async fn revoke_other_access(
    tx: &mut eventstore::Tx,
    app: &App,
    user: &User,
    session_id: Uuid,
) -> Result<(), ApiError> {
    sessions::end_all(tx.connection(), user.user_id, Some(session_id)).await?;
    sessions::revoke_password_reset(tx.connection(), session_id).await?;
    codes::delete_all(tx.connection(), user.user_id).await?;
    if let Some(email) = user.address() {
        AddressLimits::of(&email, &app.codes).reset(tx, LimitedAction::Password).await?;
    }
    Ok(())
}

fn user_not_found() -> ApiError {
    ApiError::forbidden("user_not_found", "User from sub claim in JWT does not exist")
}

fn password_changed() -> ApiError {
    ApiError::bad("invalid_credentials", "The password was changed meanwhile")
}
