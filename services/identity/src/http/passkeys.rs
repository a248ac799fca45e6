//! Passkeys, beyond the contract of this version: sign-in without a password. Their answer is a
//! session of the contract; bodies have the form that the client library's passkey calls expect.

pub(crate) mod registration;
pub(crate) mod authentication;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use kernel::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::app::{self, App};
use crate::guard::security_log::{self, About, Kind, Method, Outcome};
use crate::http::bearer::SignedIn;
use crate::http::device::FromDevice;
use crate::http::error::ApiError;
use crate::http::factors::enroll::one_line;
use crate::http::factors::unenroll::forget_recovery_codes;
use crate::http::levels::{self, Changing};
use crate::http::request::Body;
use crate::repository::challenges::{self, Challenge, ChallengeKind};
use crate::repository::notices::{self, NewNotice, NoticeKind};
use crate::repository::passkeys::{self, Passkey};
use crate::repository::session_levels;

/// The method in the amr claim.
const METHOD: &str = "passkey";

#[derive(Deserialize)]
pub(crate) struct Renaming {
    friendly_name: Option<String>,
}

/// The end of a ceremony.
#[derive(Deserialize)]
pub(crate) struct CeremonyAnswer {
    challenge_id: Option<Uuid>,
    friendly_name: Option<String>,
    credential: Option<Value>,
}

impl CeremonyAnswer {
    /// The challenge and the credential, which must be there.
    fn complete(self) -> Result<(Uuid, Value), ApiError> {
        match (self.challenge_id, self.credential) {
            (Some(challenge_id), Some(credential)) => Ok((challenge_id, credential)),
            _ => Err(ApiError::invalid("challenge_id and credential are required")),
        }
    }
}

/// A passkey as its owner sees it.
fn object(passkey: &Passkey) -> Value {
    json!({
        "id": passkey.passkey_id,
        "friendly_name": passkey.friendly_name,
        "created_at": passkey.created_at,
        "last_used_at": passkey.last_used_at,
    })
}

/// What a client is asked.
fn asked(challenge: &Challenge, options: &Value) -> Value {
    json!({
        "challenge_id": challenge.challenge_id,
        "expires_at": challenge.expires_at.seconds(),
        "options": options,
    })
}

/// A challenge that can be answered now, used up: whatever the answer is worth, there is one.
async fn use_up(
    tx: &mut eventstore::Tx,
    challenge_id: Uuid,
    kind: ChallengeKind,
    now: Timestamp,
) -> Result<Option<Challenge>, ApiError> {
    let challenge = challenges::lock(tx.connection(), challenge_id).await?;
    let Some(challenge) = challenge.filter(|it| it.is(kind)) else { return Ok(None) };
    challenges::delete(tx.connection(), challenge_id).await?;
    Ok((challenge.expires_at > now).then_some(challenge))
}

fn challenge_expired() -> ApiError {
    let message = "The challenge has expired or was answered. Please begin again.";
    ApiError::unprocessable("mfa_challenge_expired", message)
}

fn not_found() -> ApiError {
    ApiError::new(StatusCode::NOT_FOUND, "passkey_not_found", "Passkey not found")
}

pub(crate) async fn list(
    State(app): State<App>,
    signed_in: SignedIn,
) -> Result<Json<Value>, ApiError> {
    let known = passkeys::of_user(app.store.pool(), signed_in.user.user_id).await?;
    Ok(Json(known.iter().map(object).collect()))
}

pub(crate) async fn rename(
    State(app): State<App>,
    signed_in: SignedIn,
    Path(passkey_id): Path<String>,
    Body(body): Body<Renaming>,
) -> Result<Json<Value>, ApiError> {
    let passkey_id: Uuid = passkey_id.parse().map_err(|_no_id| not_found())?;
    let name = one_line(body.friendly_name.as_deref(), "friendly_name")?.trim().to_owned();
    if kernel::typed::is_blank(&name) {
        return Err(ApiError::invalid("friendly_name needs to be non-empty"));
    }
    let user_id = signed_in.user.user_id;
    let renamed = app
        .store
        .write(app::metadata(), move |tx| {
            let name = name.clone();
            Box::pin(async move {
                let ids = (user_id, passkey_id);
                Ok::<_, ApiError>(passkeys::rename(tx.connection(), ids, &name).await?)
            })
        })
        .await?;
    renamed.map(|passkey| Json(object(&passkey))).ok_or_else(not_found)
}

/// Removes one. Sessions that it opened drop to `aal1`.
pub(crate) async fn delete(
    State(app): State<App>,
    signed_in: SignedIn,
    FromDevice(device): FromDevice,
    Path(passkey_id): Path<String>,
) -> Result<StatusCode, ApiError> {
    let passkey_id: Uuid = passkey_id.parse().map_err(|_no_id| not_found())?;
    let caller = levels::caller(&signed_in);
    app.store
        .write(app::metadata(), move |tx| {
            let device = device.clone();
            Box::pin(async move {
                let changing = Changing::lock(tx, caller).await?;
                if !changing.is_aal2() {
                    let message = "AAL2 required to remove a passkey";
                    return Err(ApiError::forbidden("insufficient_aal", message));
                }
                let user_id = changing.user.user_id;
                if !passkeys::delete(tx.connection(), user_id, passkey_id).await? {
                    return Err(not_found());
                }
                let ids = (user_id, passkey_id);
                session_levels::drop_raised(tx.connection(), ids, METHOD).await?;
                let notice = NewNotice {
                    user_id,
                    kind: NoticeKind::PasskeyRemoved,
                    sent_to: None,
                    device: &device,
                    subject: "",
                };
                notices::tell(tx, notice, changing.now).await?;
                forget_recovery_codes(tx, user_id).await
            })
        })
        .await?;
    let about = About::Account(caller.0);
    security_log::write(Kind::FactorChange, Outcome::Done, Method::Session, about);
    tracing::info!("a passkey was removed");
    Ok(StatusCode::NO_CONTENT)
}
