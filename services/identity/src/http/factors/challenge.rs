//! POST /factors/{factor_id}/challenge: what a factor has to answer next.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::app::{self, App};
use crate::http::bearer::SignedIn;
use crate::http::device::FromDevice;
use crate::http::error::ApiError;
use crate::http::factors::{
    self as http_factors, FactorId, WebAuthnParameters, factor_not_found, phone,
};
use crate::http::levels::{self, Changing};
use crate::http::request::OptionalBody;
use crate::repository::challenges::{self, Challenge, ChallengeKind};
use crate::repository::factors::{self, Factor, PHONE, WEBAUTHN};
use crate::repository::passkeys;
use crate::repository::users::User;
use crate::tokens::webauthn::{Ceremony, Credential, Owner, Purpose};

#[derive(Default, Deserialize)]
pub(crate) struct ChallengeRequest {
    webauthn: Option<WebAuthnParameters>,
    /// Of a phone: `sms`, which is the default, or `whatsapp`.
    channel: Option<String>,
}

/// A stored challenge, and what the client is asked.
type IssuedChallenge = (Challenge, Option<(&'static str, Value)>);

pub(crate) async fn challenge(
    State(app): State<App>,
    signed_in: SignedIn,
    FromDevice(device): FromDevice,
    factor_id: FactorId,
    OptionalBody(body): OptionalBody<ChallengeRequest>,
) -> Result<Json<Value>, ApiError> {
    levels::refuse_anonymous(&signed_in)?;
    let factor = http_factors::find(&app, signed_in.user.user_id, &factor_id).await?;
    if let Some(webauthn) = &body.webauthn {
        webauthn.check_site(&app)?;
    }
    let (challenge, asked) = if factor.factor_type == PHONE {
        let asked = (&factor, body.channel.as_deref());
        (phone::challenge(&app, &signed_in, asked, device.network).await?, None)
    } else {
        issue(&app, &signed_in, factor.factor_id, device.network).await?
    };
    let mut answer = json!({
        "id": challenge.challenge_id,
        "type": factor.factor_type,
        "expires_at": challenge.expires_at.seconds(),
    });
    if let (Some((kind, options)), Some(answer)) = (asked, answer.as_object_mut()) {
        let asked = json!({ "type": kind, "credential_options": { "publicKey": options } });
        answer.insert("webauthn".to_owned(), asked);
    }
    Ok(Json(answer))
}

async fn issue(
    app: &App,
    signed_in: &SignedIn,
    factor_id: Uuid,
    network: Option<String>,
) -> Result<IssuedChallenge, ApiError> {
    let (shared, caller) = (app.clone(), levels::caller(signed_in));
    app.store
        .write(app::metadata(), move |tx| {
            let (app, network) = (shared.clone(), network.clone());
            Box::pin(async move {
                let changing = Changing::lock(tx, caller).await?;
                let (user, now) = (&changing.user, changing.now);
                let factor = factors::lock(tx.connection(), user.user_id, factor_id).await?;
                let mut factor = factor.ok_or_else(factor_not_found)?;
                let (kind, ceremony) = begin(&app, tx, user, &factor).await?;
                let (state, options) = match ceremony {
                    Some(ceremony) => (Some(ceremony.state), Some(ceremony.options)),
                    None => (None, None),
                };
                let challenge = Challenge {
                    user_id: Some(user.user_id),
                    factor_id: Some(factor_id),
                    session_id: Some(changing.session.session_id),
                    network,
                    state,
                    ..Challenge::new(kind, now)
                };
                challenges::insert(tx.connection(), &challenge, now).await?;
                factor.last_challenged_at = Some(now);
                factors::update(tx.connection(), &factor).await?;
                let word = if kind == ChallengeKind::FactorCreate { "create" } else { "request" };
                Ok::<IssuedChallenge, ApiError>((challenge, options.map(|options| (word, options))))
            })
        })
        .await
}

/// The kind of the challenge, with its ceremony for a security key.
async fn begin(
    app: &App,
    tx: &mut eventstore::Tx,
    user: &User,
    factor: &Factor,
) -> Result<(ChallengeKind, Option<Ceremony>), ApiError> {
    if factor.factor_type != WEBAUTHN {
        return Ok((ChallengeKind::Factor, None));
    }
    if !factor.is_verified() {
        let known = known_credentials(tx, user.user_id).await?;
        let owner = owner(user);
        let owner = Owner { user_id: user.user_id, name: &owner.0, display_name: &owner.1 };
        let begun = app.relying_party.start_registration(owner, &known, Purpose::Factor)?;
        return Ok((ChallengeKind::FactorCreate, Some(begun)));
    }
    let credential = factor.credential().ok_or_else(factor_not_found)?;
    let begun = app.relying_party.start_factor(&[credential])?;
    Ok((ChallengeKind::FactorRequest, Some(begun)))
}

/// All credentials of an account, security keys and passkeys: an authenticator that has one of them
/// makes no second one, which would overwrite it.
pub(crate) async fn known_credentials(
    tx: &mut eventstore::Tx,
    user_id: Uuid,
) -> Result<Vec<Credential>, ApiError> {
    let factors = factors::of_user(tx.connection(), user_id).await?;
    let passkeys = passkeys::of_user(tx.connection(), user_id).await?;
    let keys = factors.iter().filter_map(Factor::credential);
    Ok(keys.chain(passkeys.iter().map(passkeys::Passkey::credential)).collect())
}

/// The names of an account's owner for authenticators: address, and first and last name.
pub(crate) fn owner(user: &User) -> (String, String) {
    let name = |key: &str| user.user_metadata.get(key).and_then(Value::as_str).unwrap_or_default();
    let display_name = format!("{} {}", name("firstName"), name("lastName")).trim().to_owned();
    let account = user.email.as_deref().or(user.phone.as_deref()).unwrap_or_default();
    (account.to_owned(), display_name)
}
