//! POST /passkeys/registration/options and /passkeys/registration: a new passkey of the caller.

use axum::Json;
use axum::extract::State;
use eventstore::Tx;
use serde_json::Value;
use uuid::Uuid;

use crate::accounts::device;
use crate::app::{self, App};
use crate::guard::security_log::{self, About, Kind, Method, Outcome};
use crate::http::bearer::SignedIn;
use crate::http::device::FromDevice;
use crate::http::error::ApiError;
use crate::http::factors::challenge::{known_credentials, owner};
use crate::http::factors::enroll::one_line;
use crate::http::levels::{self, Changing};
use crate::http::passkeys::{CeremonyAnswer, asked, challenge_expired, object, use_up};
use crate::http::request::Body;
use crate::repository::challenges::{self, Challenge, ChallengeKind};
use crate::repository::notices::{self, NewNotice, NoticeKind};
use crate::repository::passkeys::{self, Passkey};
use crate::repository::sessions::Device;
use crate::tokens::webauthn::{Owner, Purpose};

/// Maximum passkeys of an account.
const PASSKEYS_MAX: usize = 20;

#[derive(Clone)]
struct Registration {
    caller: (Uuid, Uuid),
    challenge_id: Uuid,
    credential: Value,
    name: String,
    device: Device,
}

pub(crate) async fn options(
    State(app): State<App>,
    signed_in: SignedIn,
    FromDevice(device): FromDevice,
) -> Result<Json<Value>, ApiError> {
    levels::refuse_anonymous(&signed_in)?;
    let (shared, caller) = (app.clone(), levels::caller(&signed_in));
    app.store
        .write(app::metadata(), move |tx| {
            let (app, network) = (shared.clone(), device.network.clone());
            Box::pin(async move {
                let changing = Changing::lock(tx, caller).await?;
                check(tx, &changing).await?;
                let user = &changing.user;
                let known = known_credentials(tx, user.user_id).await?;
                let (name, display_name) = owner(user);
                let owner =
                    Owner { user_id: user.user_id, name: &name, display_name: &display_name };
                let begun =
                    app.relying_party.start_registration(owner, &known, Purpose::Passkey)?;
                let challenge = Challenge {
                    user_id: Some(user.user_id),
                    session_id: Some(changing.session.session_id),
                    network,
                    state: Some(begun.state),
                    ..Challenge::new(ChallengeKind::PasskeyCreate, changing.now)
                };
                challenges::insert(tx.connection(), &challenge, changing.now).await?;
                Ok(Json(asked(&challenge, &begun.options)))
            })
        })
        .await
}

/// Whether the caller may add a passkey.
async fn check(tx: &mut Tx, changing: &Changing) -> Result<(), ApiError> {
    let known = passkeys::of_user(tx.connection(), changing.user.user_id).await?;
    if known.len() >= PASSKEYS_MAX {
        let message = "Maximum number of passkeys reached, remove one to continue";
        return Err(ApiError::unprocessable("too_many_enrolled_mfa_factors", message));
    }
    changing.check_proof(tx, "add a passkey").await
}

pub(crate) async fn register(
    State(app): State<App>,
    signed_in: SignedIn,
    FromDevice(device): FromDevice,
    Body(body): Body<CeremonyAnswer>,
) -> Result<Json<Value>, ApiError> {
    levels::refuse_anonymous(&signed_in)?;
    let name = one_line(body.friendly_name.as_deref(), "friendly_name")?.trim().to_owned();
    let name = if kernel::typed::is_blank(&name) {
        device.user_agent.as_deref().map_or_else(|| "Passkey".to_owned(), device::words)
    } else {
        name
    };
    let (challenge_id, credential) = body.complete()?;
    let caller = levels::caller(&signed_in);
    let registration = Registration { caller, challenge_id, credential, name, device };
    // A refusal uses the challenge up, which is committed, so it is not an error here.
    let registered = store(&app, registration).await??;
    let about = About::Account(caller.0);
    security_log::write(Kind::FactorChange, Outcome::Done, Method::Session, about);
    tracing::info!("a passkey was added");
    Ok(Json(object(&registered)))
}

async fn store(
    app: &App,
    registration: Registration,
) -> Result<Result<Passkey, ApiError>, ApiError> {
    let shared = app.clone();
    app.store
        .write(app::metadata(), move |tx| {
            let (app, given) = (shared.clone(), registration.clone());
            Box::pin(async move {
                let changing = Changing::lock(tx, given.caller).await?;
                let (user_id, now) = (changing.user.user_id, changing.now);
                let kind = ChallengeKind::PasskeyCreate;
                let challenge = use_up(tx, given.challenge_id, kind, now).await?;
                let (_, session_id) = given.caller;
                let ours = challenge.filter(|challenge| challenge.session_id == Some(session_id));
                let Some(challenge) = ours else { return Ok(Err(challenge_expired())) };
                let state = challenge.ceremony();
                let made = match app.relying_party.finish_registration(state, &given.credential) {
                    Ok(made) => made,
                    Err(refused) => return Ok(Err(refused.into())),
                };
                // The account may have got a second factor since the challenge.
                if let Err(refused) = check(tx, &changing).await {
                    return Ok(Err(refused));
                }
                if passkeys::is_credential_known(tx.connection(), &made.credential_id).await? {
                    let message = "This passkey is registered already";
                    return Ok(Err(ApiError::unprocessable("passkey_exists", message)));
                }
                let passkey = Passkey::new(user_id, &given.name, made, now);
                passkeys::insert(tx.connection(), &passkey).await?;
                let notice = NewNotice {
                    user_id,
                    kind: NoticeKind::PasskeyAdded,
                    sent_to: None,
                    device: &given.device,
                    subject: "",
                };
                notices::tell(tx, notice, now).await?;
                Ok(Ok(passkey))
            })
        })
        .await
}
