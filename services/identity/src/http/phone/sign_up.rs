//! POST /signup with a phone.

use axum::Json;
use axum::response::{IntoResponse as _, Response};
use eventstore::Tx;
use kernel::Timestamp;
use serde_json::Value;

use crate::app::{self, App};
use crate::http::error::ApiError;
use crate::http::objects;
use crate::http::phone::messages::{count_message, lock_and_count, logged, send};
use crate::http::timing::with_min_duration;
use crate::repository::codes::Purpose;
use crate::repository::contacts;
use crate::repository::users::{self, User};

/// A validated sign-up.
#[derive(Clone)]
pub(crate) struct PhoneSignUp {
    /// The digits of the phone.
    pub(crate) phone: String,
    /// PHC string; none for a sign-in by code.
    pub(crate) password_hash: Option<String>,
    pub(crate) user_metadata: Value,
    pub(crate) channel: &'static str,
}

/// Makes the account and sends its code. A phone that has a confirmed account gets no message, and
/// the answer is one of an account that is not stored.
pub(crate) async fn sign_up(
    app: &App,
    wanted: PhoneSignUp,
    password: &str,
    worked: bool,
) -> Result<Response, ApiError> {
    let asked = wanted.phone.clone();
    let caller = count_message(app, &asked, worked).await?;
    let work = async {
        let password_hash = Some(app.hasher.hash(password).await?);
        let wanted = PhoneSignUp { password_hash, ..wanted };
        let shared = app.clone();
        app.store
            .write(app::metadata(), move |tx| {
                let (app, wanted, caller) = (shared.clone(), wanted.clone(), caller.clone());
                Box::pin(async move {
                    let now = lock_and_count(tx, &app, (&caller, &wanted.phone)).await?;
                    let known = users::lock_by_phone(tx.connection(), &wanted.phone).await?;
                    let confirmed =
                        known.as_ref().is_some_and(|user| user.phone_confirmed_at.is_some());
                    let mut user = new_user(&wanted, now);
                    if confirmed {
                        user.confirmation_sent_at = Some(now);
                        return Ok((user, true));
                    }
                    replace(tx, known, &user).await?;
                    send(tx, &app, &mut user, (Purpose::Phone, wanted.channel), now).await?;
                    Ok::<_, ApiError>((user, false))
                })
            })
            .await
    };
    let (user, known) = logged(app, &asked, with_min_duration(work).await)?;
    if known && app.policy.is_for_any() {
        return Ok(Json(objects::repeated_sign_up(&user)).into_response());
    }
    Ok(Json(objects::unproved_user(app, &user)).into_response())
}

/// A new account with this phone; not yet stored.
pub(super) fn new_user(wanted: &PhoneSignUp, now: Timestamp) -> User {
    let mut user = User::blank(wanted.user_metadata.clone(), now);
    user.replace_phone(&wanted.phone, now);
    user.password_hash.clone_from(&wanted.password_hash);
    user
}

/// Stores a new account. One that has only this phone and was never confirmed belongs to no one
/// yet; from another one the phone, which it has not confirmed, is taken.
pub(super) async fn replace(tx: &mut Tx, known: Option<User>, user: &User) -> Result<(), ApiError> {
    if let Some(known) = known {
        if known.email.is_none() && known.last_sign_in_at.is_none() {
            users::delete(tx.connection(), known.user_id).await?;
        } else {
            contacts::take_phone(tx.connection(), known).await?;
        }
    }
    users::insert(tx.connection(), user).await?;
    Ok(())
}
