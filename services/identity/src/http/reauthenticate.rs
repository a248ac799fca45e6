//! GET and POST /reauthenticate: mail a nonce with which the signed-in caller may set a new
//! password. POST /reauthenticate/verify, beyond the contract: redeems it for the session, which
//! may then add an authenticator.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::app::{self, App};
use crate::guard::security_log::{self, About, Kind, Method, Outcome};
use crate::http::bearer::SignedIn;
use crate::http::captcha;
use crate::http::code_guess;
use crate::http::code_mail::{self, Admission, LinkWish};
use crate::http::error::ApiError;
use crate::http::levels::{self, Changing};
use crate::http::login::Login;
use crate::http::phone;
use crate::http::request::{Body, non_empty};
use crate::repository::codes::{self, Purpose};
use crate::repository::limits::{AddressLimits, LimitedAction};
use crate::repository::session_levels;
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
    let shared = app.clone();
    let asked = app
        .store
        .write(app::metadata(), move |tx| {
            let (app, limits) = (shared.clone(), limits.clone());
            Box::pin(async move {
                limits.lock(tx).await?;
                let now = tx.now().await?;
                let limited = LimitedAction::ReauthenticationMail;
                if let Some(seconds) = limits.check_and_count(tx, limited, now).await? {
                    return Err(ApiError::wait("over_email_send_rate_limit", seconds));
                }
                let user = users::lock_by_id(tx.connection(), user_id).await?;
                let Some(mut user) = user else { return Ok(Admission::Free) };
                let admission = code_mail::admit(tx, &app, (&limits, true), now).await?;
                if admission.is_sent() {
                    let (wish, purpose) = (LinkWish::default(), Purpose::Reauthentication);
                    code_mail::issue(tx, &mut user, purpose, &wish, now).await?;
                }
                Ok::<_, ApiError>(admission)
            })
        })
        .await
        // The caller is known by the session, so there is nothing to hide.
        .and_then(|admission| if admission.is_sent() { Ok(()) } else { admission.told() });
    log(if asked.is_ok() { Outcome::Done } else { Outcome::Limited });
    asked.map(|()| Json(json!({})))
}

#[derive(Deserialize)]
pub(crate) struct Nonce {
    nonce: Option<String>,
}

/// Redeems a nonce for the caller's session.
pub(crate) async fn verify(
    State(app): State<App>,
    signed_in: SignedIn,
    Body(body): Body<Nonce>,
) -> Result<Json<Value>, ApiError> {
    let nonce = non_empty(body.nonce.as_deref())
        .ok_or_else(|| ApiError::invalid("nonce needs to be non-empty"))?;
    let about = About::Account(signed_in.user.user_id);
    let log = |outcome| security_log::write(Kind::Reauthentication, outcome, Method::Code, about);
    if !use_nonce(&app, &signed_in.user, nonce).await? {
        log(Outcome::WrongProof);
        return Err(not_valid());
    }
    let caller = levels::caller(&signed_in);
    app.store
        .write(app::metadata(), move |tx| {
            Box::pin(async move {
                let changing = Changing::lock(tx, caller).await?;
                let (session, now) = (&changing.session, changing.now);
                Ok::<(), ApiError>(session_levels::note_code(tx, session, now).await?)
            })
        })
        .await?;
    log(Outcome::Done);
    Ok(Json(json!({})))
}

/// The refusal of a nonce.
pub(crate) fn not_valid() -> ApiError {
    ApiError::unprocessable("reauthentication_not_valid", "Nonce has expired or is invalid")
}

/// Whether the nonce is the one that was mailed to the account; it works once, and five wrong ones
/// end it. Guesses are counted across nonces, as those at other codes are.
pub(crate) async fn use_nonce(app: &App, user: &User, nonce: &str) -> Result<bool, ApiError> {
    let Some(login) = Login::of(user) else { return Ok(false) };
    let limits = login.limits(&app.codes);
    let guess = limits.code_guess(&app.spray, false);
    let redeeming = redeem(app, user.user_id, limits, nonce.to_owned());
    code_guess::counted(app, guess, redeeming, |is_right| *is_right).await
}

async fn redeem(
    app: &App,
    user_id: Uuid,
    client_limits: AddressLimits,
    nonce: String,
) -> Result<bool, ApiError> {
    let shared = app.clone();
    app.store
        .write(app::metadata(), move |tx| {
            let (app, limits) = (shared.clone(), client_limits.clone());
            let nonce = nonce.clone();
            Box::pin(async move {
                limits.lock(tx).await?;
                let now = tx.now().await?;
                if let Some(seconds) = limits.check_and_count(tx, LimitedAction::Code, now).await? {
                    return Err(ApiError::wait("over_request_rate_limit", seconds));
                }
                let code = codes::of_user(tx, user_id, Purpose::Reauthentication, now).await?;
                let Some(code) = code else { return Ok(false) };
                if !app.codes.is_digits(code.typed(), &nonce) {
                    codes::count_wrong_attempt(tx, code.code_id).await?;
                    return Ok(false);
                }
                limits.reset(tx, LimitedAction::Code).await?;
                Ok::<bool, ApiError>(codes::consume(tx, code.code_id).await?)
            })
        })
        .await
}
