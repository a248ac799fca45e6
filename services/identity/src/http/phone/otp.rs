//! POST /otp with a phone, and POST /resend for a sign-up: sign in by a code. GET /reauthenticate
//! of an account without an address.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::app::{self, App};
use crate::guard::caller::Caller;
use crate::http::error::ApiError;
use crate::http::phone::messages::{count_message, lock_and_count, logged, send, sent};
use crate::http::phone::sign_up::{PhoneSignUp, new_user, replace};
use crate::http::timing::with_min_duration;
use crate::repository::codes::Purpose;
use crate::repository::users;

/// What became of a wish for a code.
enum Outcome {
    /// A new account has got its code.
    SignedUp,
    Sent(Uuid),
    /// The phone has no account and gets none, or its person is banned.
    Nothing,
}

pub(crate) async fn otp(
    app: &App,
    wanted: PhoneSignUp,
    create_user: bool,
    worked: bool,
) -> Result<Value, ApiError> {
    let (any, phone) = (app.policy.is_for_any(), wanted.phone.clone());
    let caller = count_message(app, &phone, worked).await?;
    let delivered = with_min_duration(deliver(app, (caller, wanted), create_user)).await;
    match logged(app, &phone, delivered)? {
        Outcome::Sent(message_id) => Ok(sent(app, Some(message_id))),
        Outcome::SignedUp => Ok(json!({})),
        Outcome::Nothing if any && !create_user => {
            Err(ApiError::unprocessable("otp_disabled", "Signups not allowed for otp"))
        }
        Outcome::Nothing if any && !app.policy.signups => {
            let message = "Signups not allowed for this instance";
            Err(ApiError::unprocessable("signup_disabled", message))
        }
        // For our own pages the answer is the same with and without an account.
        Outcome::Nothing => Ok(json!({})),
    }
}

async fn deliver(
    app: &App,
    (caller, wanted): (Caller, PhoneSignUp),
    create_user: bool,
) -> Result<Outcome, ApiError> {
    let shared = app.clone();
    app.store
        .write(app::metadata(), move |tx| {
            let (app, wanted, caller) = (shared.clone(), wanted.clone(), caller.clone());
            Box::pin(async move {
                let now = lock_and_count(tx, &app, (&caller, &wanted.phone)).await?;
                let known = users::lock_by_phone(tx.connection(), &wanted.phone).await?;
                let code = (Purpose::Phone, wanted.channel);
                match known {
                    Some(user) if user.is_banned(now) => Ok(Outcome::Nothing),
                    Some(mut user) if user.phone_confirmed_at.is_some() => {
                        Ok(Outcome::Sent(send(tx, &app, &mut user, code, now).await?))
                    }
                    known if create_user && app.policy.signups => {
                        let mut user = new_user(&wanted, now);
                        replace(tx, known, &user).await?;
                        send(tx, &app, &mut user, code, now).await?;
                        Ok(Outcome::SignedUp)
                    }
                    _ => Ok::<_, ApiError>(Outcome::Nothing),
                }
            })
        })
        .await
}

/// Sends the code of a sign-up once more. A confirmed phone, and one without an account, gets none.
pub(crate) async fn resend_sign_up(
    app: &App,
    phone: String,
    worked: bool,
) -> Result<Value, ApiError> {
    let caller = count_message(app, &phone, worked).await?;
    let (shared, asked) = (app.clone(), phone.clone());
    let work = app.store.write(app::metadata(), move |tx| {
        let (app, phone, caller) = (shared.clone(), phone.clone(), caller.clone());
        Box::pin(async move {
            let now = lock_and_count(tx, &app, (&caller, &phone)).await?;
            let known = users::lock_by_phone(tx.connection(), &phone).await?;
            let waiting =
                |user: &users::User| user.phone_confirmed_at.is_none() && !user.is_banned(now);
            let Some(mut user) = known.filter(waiting) else { return Ok(None) };
            let code = (Purpose::Phone, "sms");
            Ok::<_, ApiError>(Some(send(tx, &app, &mut user, code, now).await?))
        })
    });
    Ok(sent(app, logged(app, &asked, with_min_duration(work).await)?))
}

/// Sends a nonce with which the signed-in person may set a new password.
pub(crate) async fn reauthenticate(app: &App, user: &users::User) -> Result<(), ApiError> {
    let (Some(phone), true) = (user.phone.clone(), app.features.sms.is_some()) else {
        let message = "Reauthentication requires the user to have an email or a phone number";
        return Err(ApiError::unprocessable("validation_failed", message));
    };
    if user.phone_confirmed_at.is_none() {
        let message = "Please verify your phone first.";
        return Err(ApiError::unprocessable("phone_not_confirmed", message));
    }
    let caller = count_message(app, &phone, false).await?;
    let (shared, user_id, asked) = (app.clone(), user.user_id, phone.clone());
    let sending = app
        .store
        .write(app::metadata(), move |tx| {
            let (app, phone, caller) = (shared.clone(), phone.clone(), caller.clone());
            Box::pin(async move {
                let now = lock_and_count(tx, &app, (&caller, &phone)).await?;
                let user = users::lock_by_id(tx.connection(), user_id).await?;
                let Some(mut user) = user else { return Ok(()) };
                let code = (Purpose::Reauthentication, "sms");
                send(tx, &app, &mut user, code, now).await?;
                Ok::<_, ApiError>(())
            })
        })
        .await;
    logged(app, &asked, sending)
}
