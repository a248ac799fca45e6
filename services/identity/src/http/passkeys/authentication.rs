//! POST /passkeys/authentication/options and /passkeys/authentication: sign-in by a passkey, which
//! says itself whose it is. A passkey that is not known, of another account, or wrong, gets the
//! same response after the same time.

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use serde_json::Value;
use uuid::Uuid;

use crate::app::{self, App};
use crate::guard::security_log::{self, About, Kind, Method};
use crate::http::counter;
use crate::http::device::FromDevice;
use crate::http::error::ApiError;
use crate::http::passkeys::{CeremonyAnswer, METHOD, asked, challenge_expired, use_up};
use crate::http::request::Body;
use crate::http::timing::with_min_duration;
use crate::http::{objects, opening};
use crate::repository::challenges::{self, Challenge, ChallengeKind};
use crate::repository::sessions::{AuthMethod, Device, OpenedSession};
use crate::repository::{passkeys, session_levels, users};
use crate::tokens::webauthn::{PasskeyClaim, WebAuthnError};

#[derive(Clone)]
struct SignIn {
    challenge_id: Uuid,
    credential: Value,
    device: Device,
}

/// What an answer came to. All of them are committed, because the challenge is used up.
enum Outcome {
    SignedIn(Box<OpenedSession>),
    Expired,
    Refused(WebAuthnError),
    Unknown,
    Banned,
}

pub(crate) async fn options(State(app): State<App>) -> Result<Json<Value>, ApiError> {
    let shared = app.clone();
    app.store
        .write(app::metadata(), move |tx| {
            let app = shared.clone();
            Box::pin(async move {
                let now = tx.now().await?;
                let begun = app.relying_party.start_sign_in()?;
                let challenge = Challenge {
                    state: Some(begun.state),
                    ..Challenge::new(ChallengeKind::PasskeyRequest, now)
                };
                challenges::insert(tx.connection(), &challenge, now).await?;
                Ok::<_, ApiError>(Json(asked(&challenge, &begun.options)))
            })
        })
        .await
}

pub(crate) async fn sign_in(
    State(app): State<App>,
    FromDevice(device): FromDevice,
    Body(body): Body<CeremonyAnswer>,
) -> Result<Response, ApiError> {
    let (challenge_id, credential) = body.complete()?;
    let given = SignIn { challenge_id, credential, device };
    let outcome = with_min_duration(open(&app, given)).await?;
    log(&outcome);
    match outcome {
        Outcome::SignedIn(opened) => {
            tracing::info!("a sign-in by a passkey");
            objects::session(&app, &opened)
        }
        Outcome::Expired => Err(challenge_expired()),
        Outcome::Banned => Err(ApiError::bad("user_banned", "User is banned")),
        Outcome::Refused(WebAuthnError::Unusable(what)) => {
            Err(ApiError::failed(&WebAuthnError::Unusable(what)))
        }
        Outcome::Refused(reason) => {
            tracing::info!(%reason, "a sign-in by a passkey was refused");
            Err(wrong())
        }
        Outcome::Unknown => {
            tracing::info!("a sign-in by a passkey that is not known was refused");
            Err(wrong())
        }
    }
}

fn log(outcome: &Outcome) {
    let (ended, about) = match outcome {
        Outcome::SignedIn(opened) => {
            (security_log::Outcome::Done, About::Account(opened.user.user_id))
        }
        Outcome::Banned => (security_log::Outcome::Banned, About::NoAccount),
        Outcome::Refused(_) | Outcome::Unknown => {
            (security_log::Outcome::WrongProof, About::NoAccount)
        }
        Outcome::Expired => return,
    };
    security_log::write(Kind::SignIn, ended, Method::Passkey, about);
}

fn wrong() -> ApiError {
    ApiError::bad("invalid_credentials", "This passkey does not sign in here")
}

async fn open(app: &App, given: SignIn) -> Result<Outcome, ApiError> {
    let shared = app.clone();
    app.store
        .write(app::metadata(), move |tx| {
            let (app, given) = (shared.clone(), given.clone());
            Box::pin(async move {
                let now = tx.now().await?;
                let kind = ChallengeKind::PasskeyRequest;
                let challenge = use_up(tx, given.challenge_id, kind, now).await?;
                let Some(challenge) = challenge else { return Ok(Outcome::Expired) };
                let claim = match PasskeyClaim::parse(&given.credential) {
                    Ok(claim) => claim,
                    Err(malformed) => return Ok(Outcome::Refused(malformed)),
                };
                let user = users::lock_by_id(tx.connection(), claim.user_id()).await?;
                let Some(user) = user else { return Ok(Outcome::Unknown) };
                let id = claim.credential_id();
                let known =
                    passkeys::lock_by_credential(tx.connection(), user.user_id, &id).await?;
                let Some(passkey) = known else { return Ok(Outcome::Unknown) };
                let owned = (user.user_id, &passkey.credential());
                let state = challenge.ceremony();
                let signed = match app.relying_party.finish_sign_in(state, &claim, owned) {
                    Ok(signed) => signed,
                    Err(refused) => return Ok(Outcome::Refused(refused)),
                };
                if user.is_banned(now) {
                    return Ok(Outcome::Banned);
                }
                passkeys::note_use(tx.connection(), passkey.passkey_id, &signed.state, now).await?;
                if signed.counter_stood {
                    let method = Method::Passkey;
                    counter::tell(tx, (user.user_id, method), &given.device, now).await?;
                }
                let how = (AuthMethod::Named(METHOD), &given.device);
                let mut opened = opening::open(tx, &app, user, how, now).await?;
                session_levels::mark_passkey(tx, &mut opened, passkey.passkey_id).await?;
                Ok::<_, ApiError>(Outcome::SignedIn(Box::new(opened)))
            })
        })
        .await
}
