//! Recovery codes, beyond the contract: `GET` and `POST /factors/recovery-codes`,
//! `POST /factors/recovery-codes/verify`. One of them stands in for a lost factor once.

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::app::{self, App};
use crate::guard::caller::Caller;
use crate::guard::security_log::{self, About, Kind, Method};
use crate::http::bearer::SignedIn;
use crate::http::device::FromDevice;
use crate::http::error::ApiError;
use crate::http::levels::{self, Changing, session_gone};
use crate::http::objects;
use crate::http::request::{Body, non_empty};
use crate::repository::factor_limits::{self, Subject};
use crate::repository::notices::{self, NewNotice, NoticeKind};
use crate::repository::recovery_codes;
use crate::repository::session_levels::{self, Proof};
use crate::repository::sessions::{Device, OpenedSession};
use crate::tokens::recovery_code;

/// The method in the amr claim.
const METHOD: &str = "mfa/recovery_code";

#[derive(Deserialize)]
pub(crate) struct Verification {
    code: Option<String>,
}

enum Outcome {
    Raised(Box<OpenedSession>),
    Wrong,
    Wait(i64),
}

/// How many are left; the codes themselves are not known any more.
pub(crate) async fn count(
    State(app): State<App>,
    signed_in: SignedIn,
) -> Result<Json<Value>, ApiError> {
    let left = recovery_codes::count(app.store.pool(), signed_in.user.user_id).await?;
    Ok(Json(json!({ "remaining": left })))
}

/// Makes new ones, which replace the old. They are shown in this response and never again.
pub(crate) async fn make(
    State(app): State<App>,
    signed_in: SignedIn,
    FromDevice(device): FromDevice,
) -> Result<Response, ApiError> {
    levels::refuse_anonymous(&signed_in)?;
    let caller = levels::caller(&signed_in);
    let (user_id, _) = caller;
    let codes: Vec<String> = (0..recovery_code::CODES).map(|_| recovery_code::random()).collect();
    let hash = |code: &String| recovery_code::hash(user_id, &recovery_code::normal(code));
    let hashes: Vec<Vec<u8>> = codes.iter().map(hash).collect();
    app.store
        .write(app::metadata(), move |tx| {
            let (hashes, device) = (hashes.clone(), device.clone());
            Box::pin(async move {
                let changing = Changing::lock(tx, caller).await?;
                if !changing.has_shown_second_factor() {
                    let message = "AAL2 required to make recovery codes";
                    return Err(ApiError::forbidden("insufficient_aal", message));
                }
                let now = changing.now;
                recovery_codes::replace_all(tx.connection(), user_id, &hashes, now).await?;
                tell(tx, (NoticeKind::RecoveryCodesMade, user_id), &device, now).await
            })
        })
        .await?;
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(json!({ "codes": codes }))).into_response())
}

/// Uses one up and raises the session to `aal2`. The person is told by mail.
pub(crate) async fn verify(
    State(app): State<App>,
    signed_in: SignedIn,
    FromDevice(device): FromDevice,
    Body(body): Body<Verification>,
) -> Result<Response, ApiError> {
    levels::refuse_anonymous(&signed_in)?;
    let code = non_empty(body.code.as_deref())
        .ok_or_else(|| ApiError::invalid("Code needs to be non-empty"))?;
    let (user_id, _) = levels::caller(&signed_in);
    let typed = recovery_code::normal(code);
    let mut hashes = app.codes.recovery_code_hashes(user_id, &typed);
    hashes.push(recovery_code::hash(user_id, &typed));
    let log = |outcome| {
        let about = About::Account(user_id);
        security_log::write(Kind::SignIn, outcome, Method::RecoveryCode, about);
    };
    match redeem(&app, &signed_in, hashes, device).await? {
        Outcome::Raised(opened) => {
            log(security_log::Outcome::Done);
            tracing::info!("a session was raised by a recovery code");
            objects::session(&app, &opened)
        }
        Outcome::Wrong => {
            log(security_log::Outcome::WrongProof);
            let message = "Invalid recovery code entered";
            Err(ApiError::unprocessable("mfa_verification_failed", message))
        }
        Outcome::Wait(seconds) => {
            log(security_log::Outcome::Limited);
            Err(ApiError::wait("over_request_rate_limit", seconds))
        }
    }
}

async fn redeem(
    app: &App,
    signed_in: &SignedIn,
    hashes: Vec<Vec<u8>>,
    device: Device,
) -> Result<Outcome, ApiError> {
    let (caller, place) = (levels::caller(signed_in), Caller::current().network_text());
    app.store
        .write(app::metadata(), move |tx| {
            let (hashes, device, place) = (hashes.clone(), device.clone(), place.clone());
            Box::pin(async move {
                let changing = Changing::lock(tx, caller).await?;
                let (user_id, now) = (changing.user.user_id, changing.now);
                let subject = Subject { subject_id: user_id, user_id, place: place.clone() };
                if let Some(seconds) =
                    factor_limits::check_and_count(tx.connection(), &subject, now).await?
                {
                    return Ok(Outcome::Wait(seconds));
                }
                if !recovery_codes::consume(tx.connection(), user_id, &hashes).await? {
                    return Ok(Outcome::Wrong);
                }
                factor_limits::note_right(tx.connection(), &subject, now).await?;
                let session_id = changing.session.session_id;
                session_levels::end_lower(tx.connection(), user_id, session_id).await?;
                tell(tx, (NoticeKind::RecoveryCodeUsed, user_id), &device, now).await?;
                let proof = Proof { method: METHOD, factor_id: None };
                let raised =
                    session_levels::raise(tx, changing.user, session_id, proof, now).await?;
                Ok(Outcome::Raised(Box::new(raised.ok_or_else(session_gone)?)))
            })
        })
        .await
}

async fn tell(
    tx: &mut eventstore::Tx,
    (kind, user_id): (NoticeKind, uuid::Uuid),
    device: &Device,
    now: kernel::Timestamp,
) -> Result<(), ApiError> {
    let notice = NewNotice { user_id, kind, sent_to: None, device, subject: "" };
    Ok(notices::tell(tx, notice, now).await?)
}
