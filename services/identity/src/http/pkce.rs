//! PKCE: the grant that exchanges a code for a session.

use axum::Json;
use axum::response::{IntoResponse as _, Response};
use eventstore::Tx;
use serde_json::json;
use uuid::Uuid;

use axum::http::StatusCode;

use crate::app::{self, App};
use crate::guard::security_log::{self, About, Kind, Outcome};
use crate::http::email_change::{self, Half};
use crate::http::error::ApiError;
use crate::http::redeem::HALF_CHANGED;
use crate::http::request::non_empty;
use crate::http::{identity_links, objects, opening};
use crate::repository::flow_states::{self, FlowState};
use crate::repository::sessions::{self, AuthMethod, Device, OpenedSession};
use crate::tokens::pkce;

/// The method of a flow that confirms a change of address.
const EMAIL_CHANGE: &str = "email_change";

/// The outcome of an exchange.
enum Exchange {
    SignedIn(Box<OpenedSession>),
    /// One of the two addresses has confirmed a change.
    HalfChanged,
    Unknown,
    /// The code was used before; the account whose session has ended.
    Reused(Option<Uuid>),
    Expired,
    WrongVerifier,
    Banned,
    /// The address of a change has got another account meanwhile.
    AddressTaken,
}

/// The grant. A code works once, for five minutes, for the client that has the verifier.
pub(crate) async fn grant(
    app: &App,
    (code, verifier): (Option<&str>, Option<&str>),
    device: Device,
) -> Result<Response, ApiError> {
    let (Some(code), Some(verifier)) = (non_empty(code), non_empty(verifier)) else {
        let message = "invalid request: both auth code and code verifier should be non-empty";
        return Err(ApiError::invalid(message));
    };
    let outcome = match code.parse::<Uuid>() {
        Ok(code) => exchange(app, (code, verifier.to_owned()), device).await?,
        Err(_no_code) => Exchange::Unknown,
    };
    log(&outcome);
    match outcome {
        Exchange::SignedIn(opened) => objects::session(app, &opened),
        Exchange::HalfChanged => {
            Ok(Json(json!({ "msg": HALF_CHANGED, "code": "200" })).into_response())
        }
        Exchange::Unknown | Exchange::Reused(_) => {
            let message = "invalid flow state, no valid flow state found";
            Err(ApiError::new(StatusCode::NOT_FOUND, "flow_state_not_found", message))
        }
        Exchange::Expired => {
            let message = "invalid flow state, flow state has expired";
            Err(ApiError::unprocessable("flow_state_expired", message))
        }
        Exchange::WrongVerifier => {
            let message = "code challenge does not match previously saved code verifier";
            Err(ApiError::bad("bad_code_verifier", message))
        }
        Exchange::AddressTaken => Err(ApiError::email_exists()),
        Exchange::Banned => Err(ApiError::forbidden("user_banned", "User is banned")),
    }
}

/// Writes how a sign-in ended; half a change is none.
fn log(outcome: &Exchange) {
    let (ended, about) = match outcome {
        Exchange::HalfChanged => return,
        Exchange::SignedIn(opened) => (Outcome::Done, About::Account(opened.user.user_id)),
        Exchange::Banned => (Outcome::Banned, About::NoAccount),
        Exchange::Reused(account) => {
            (Outcome::Reused, account.map_or(About::NoAccount, About::Account))
        }
        _ => (Outcome::WrongProof, About::NoAccount),
    };
    security_log::write(Kind::SignIn, ended, security_log::Method::Exchange, about);
}

async fn exchange(
    app: &App,
    (code, verifier): (Uuid, String),
    device: Device,
) -> Result<Exchange, ApiError> {
    let shared = app.clone();
    app.store
        .write(app::metadata(), move |tx| {
            let (app, verifier, device) = (shared.clone(), verifier.clone(), device.clone());
            Box::pin(async move {
                let Some(flow) = flow_states::lock_by_code(tx, code).await? else {
                    return Ok(Exchange::Unknown);
                };
                if flow.used_at.is_some() {
                    return end_session_of(tx, &flow).await;
                }
                let now = tx.now().await?;
                if flow.expires_at <= now {
                    return Ok(Exchange::Expired);
                }
                if !pkce::fits(&verifier, &flow.code_challenge, &flow.code_challenge_method) {
                    return Ok(Exchange::WrongVerifier);
                }
                open(tx, &app, flow, &device).await
            })
        })
        .await
}

/// Ends the session that the first use of a code gave: one of the two that had the code is not its
/// client (RFC 6749, section 4.1.2).
async fn end_session_of(tx: &mut Tx, flow: &FlowState) -> Result<Exchange, ApiError> {
    if let Some(session_id) = flow.session_id {
        sessions::end(tx.connection(), session_id).await?;
    }
    Ok(Exchange::Reused(flow.user_id))
}

/// Opens the session of a flow and ends the flow.
async fn open(
    tx: &mut Tx,
    app: &App,
    flow: FlowState,
    device: &Device,
) -> Result<Exchange, ApiError> {
    let now = tx.now().await?;
    flow_states::use_up(tx, flow.flow_state_id, None, now).await?;
    let Some(user_id) = flow.user_id else { return Ok(Exchange::Unknown) };
    let user = identity_links::add_waiting(tx, app, (&flow, user_id), now).await?;
    let Some(mut user) = user else { return Ok(Exchange::Unknown) };
    if user.is_banned(now) {
        return Ok(Exchange::Banned);
    }
    let waiting = (&mut user, flow.flow_state_id);
    let changes = flow.authentication_method == EMAIL_CHANGE;
    match email_change::confirm_in_flow(tx, waiting, device, now).await? {
        Some(Half::Taken) => return Ok(Exchange::AddressTaken),
        Some(Half::Gone) => return Ok(Exchange::Unknown),
        // The new address may be that of a stranger with a session of the account. Its mail is
        // worth half a change: no session of its own, which would say that a code was redeemed.
        Some(Half::First) => return Ok(Exchange::HalfChanged),
        // The code has ended since its link was pressed, as by a new password.
        None if changes => return Ok(Exchange::Unknown),
        Some(Half::Second) | None => {}
    }
    // This client has signed up, so the password of the sign-up is its own.
    if user.password_hash.is_none() {
        user.password_hash = flow.password_hash;
    }
    let method = AuthMethod::of_flow(&flow.authentication_method);
    let opened = opening::open(tx, app, user, (method, device), now).await?;
    let session_id = Some(opened.session.session_id);
    flow_states::use_up(tx, flow.flow_state_id, session_id, now).await?;
    Ok(Exchange::SignedIn(Box::new(opened)))
}
