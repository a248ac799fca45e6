//! GET and POST /reauthenticate: mail a nonce with which the signed-in caller may set a new
//! password.

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use crate::app::{self, App};
use crate::guard::security_log::{self, About, Kind, Method, Outcome};
use crate::http::bearer::SignedIn;
use crate::http::captcha;
use crate::http::code_mail::{self, LinkWish};
use crate::http::error::ApiError;
use crate::http::phone;
use crate::repository::codes::{self, Purpose};
use crate::repository::limits::{AddressLimits, LimitedAction};
use crate::repository::users::{self, User};

pub(crate) async fn reauthenticate(
    State(app): State<App>,
    signed_in: SignedIn,
) -> Result<Json<Value>, ApiError> {
    let user = &signed_in.user;
    let Some(email) = user.address() else {
        phone::reauthenticate(&app, user).await?;
        return Ok(Json(json!({})));
    };
    if user.email_confirmed_at.is_none() {
        let message = "Please verify your email first.";
        return Err(ApiError::unprocessable("email_not_confirmed", message));
    }
    let (limits, user_id) = (AddressLimits::of(&email, &app.codes), user.user_id);
    let log = |outcome| {
        let about = About::Account(user_id);
        security_log::write(Kind::CodeRequest, outcome, Method::Session, about);
    };
    if limits.count_mail(&app.spray, false).is_err() {
        log(Outcome::Limited);
        return Err(captcha::limited(&app, "over_email_send_rate_limit").await);
    }
    let asked = app
        .store
        .write(app::metadata(), move |tx| {
            let limits = limits.clone();
            Box::pin(async move {
                limits.lock(tx).await?;
                let now = tx.now().await?;
                let limited = LimitedAction::ReauthenticationMail;
                if let Some(seconds) = limits.check_and_count(tx, limited, now).await? {
                    return Err(ApiError::wait("over_email_send_rate_limit", seconds));
                }
                let user = users::lock_by_id(tx.connection(), user_id).await?;
                let Some(mut user) = user else { return Ok(()) };
                let wish = LinkWish::default();
                code_mail::issue(tx, &mut user, Purpose::Reauthentication, &wish, now).await
            })
        })
        .await;
    log(if asked.is_ok() { Outcome::Done } else { Outcome::Limited });
    asked.map(|()| Json(json!({})))
}

/// Whether the nonce is the one that was mailed to the account; it works once, and five wrong ones
/// end it.
pub(crate) async fn use_nonce(app: &App, user: &User, nonce: &str) -> Result<bool, ApiError> {
    let (shared, user_id, nonce) = (app.clone(), user.user_id, nonce.to_owned());
    app.store
        .write(app::metadata(), move |tx| {
            let (app, nonce) = (shared.clone(), nonce.clone());
            Box::pin(async move {
                let now = tx.now().await?;
                let code = codes::of_user(tx, user_id, Purpose::Reauthentication, now).await?;
                let Some(code) = code else { return Ok(false) };
                if !app.codes.is_digits(code.code_id, &nonce) {
                    codes::count_wrong_attempt(tx, code.code_id).await?;
                    return Ok(false);
                }
                Ok::<bool, ApiError>(codes::consume(tx, code.code_id).await?)
            })
        })
        .await
}
