//! POST /factors/{factor_id}/verify: the answer to a challenge, which raises the session to `aal2`.

use axum::extract::State;
use axum::response::Response;
use eventstore::Tx;
use kernel::Timestamp;
use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

use crate::app::{self, App};
use crate::guard::caller::Caller;
use crate::guard::security_log::{self, About, Kind, Method};
use crate::http::bearer::SignedIn;
use crate::http::counter;
use crate::http::device::FromDevice;
use crate::http::error::ApiError;
use crate::http::factors::{
    self as http_factors, FactorId, WebAuthnParameters, factor_not_found, phone,
};
use crate::http::levels::{self, Changing, session_gone};
use crate::http::objects;
use crate::http::request::{Body, non_empty};
use crate::repository::challenges::{self, Challenge, ChallengeKind};
use crate::repository::factor_limits::{self, Subject};
use crate::repository::factors::{self, Factor, PHONE, TOTP, WEBAUTHN};
use crate::repository::notices::{self, NewNotice, NoticeKind};
use crate::repository::passkeys;
use crate::repository::session_levels::{self, Proof};
use crate::repository::sessions::{Device, OpenedSession};
use crate::tokens::secrets::Digits;
use crate::tokens::totp;
use crate::tokens::webauthn::WebAuthnError;

#[derive(Deserialize)]
pub(crate) struct Verification {
    challenge_id: Option<Uuid>,
    code: Option<String>,
    webauthn: Option<WebAuthnParameters>,
}

/// A well-formed answer.
#[derive(Clone)]
enum Answer {
    Code(String),
    Created(Value),
    Asserted(Value),
}

#[derive(Clone)]
struct Attempt {
    caller: (Uuid, Uuid),
    factor_id: Uuid,
    challenge_id: Uuid,
    answer: Answer,
    device: Device,
    /// The network from which it comes, shortened.
    place: String,
}

impl Attempt {
    /// Whose answers are counted.
    fn subject(&self) -> Subject {
        let (user_id, _) = self.caller;
        Subject { subject_id: self.factor_id, user_id, place: self.place.clone() }
    }
}

/// What an answer came to. All of them are committed: a counted attempt and a used challenge stay.
enum Outcome {
    Raised(Box<OpenedSession>),
    UnknownChallenge,
    OtherNetwork,
    Expired(Uuid),
    Wait(i64),
    WrongCode,
    Refused(WebAuthnError),
}

pub(crate) async fn verify(
    State(app): State<App>,
    signed_in: SignedIn,
    FromDevice(device): FromDevice,
    factor_id: FactorId,
    Body(body): Body<Verification>,
) -> Result<Response, ApiError> {
    levels::refuse_anonymous(&signed_in)?;
    let factor = http_factors::find(&app, signed_in.user.user_id, &factor_id).await?;
    let attempt = Attempt {
        caller: levels::caller(&signed_in),
        factor_id: factor.factor_id,
        challenge_id: body.challenge_id.unwrap_or_default(),
        answer: answer(&app, &factor, body)?,
        device,
        place: Caller::current().network_text(),
    };
    let outcome = check(&app, attempt).await?;
    log(&factor, &outcome);
    let told = |code, message: &'static str| Err(ApiError::unprocessable(code, message));
    match outcome {
        Outcome::Raised(opened) => {
            tracing::info!(factor = factor.factor_type, "a session was raised by a second factor");
            objects::session(&app, &opened)
        }
        Outcome::UnknownChallenge => {
            told("mfa_factor_not_found", "MFA factor with the provided challenge ID not found")
        }
        Outcome::OtherNetwork => {
            told("mfa_ip_address_mismatch", "Challenge and verify IP addresses mismatch.")
        }
        Outcome::Expired(id) => Err(ApiError::unprocessable(
            "mfa_challenge_expired",
            format!(
                "MFA challenge {id} has expired, verify against another challenge or create a new \
                 challenge."
            ),
        )),
        Outcome::Wait(seconds) => {
            tracing::info!("a second factor was answered too often");
            Err(ApiError::wait("over_request_rate_limit", seconds))
        }
        Outcome::WrongCode if factor.factor_type == PHONE => {
            told("mfa_verification_failed", "Invalid MFA Phone code entered")
        }
        Outcome::WrongCode => told("mfa_verification_failed", "Invalid TOTP code entered"),
        Outcome::Refused(error) => Err(error.into()),
    }
}

/// Writes how the proof ended; a wrong challenge is no proof.
fn log(factor: &Factor, outcome: &Outcome) {
    let ended = match outcome {
        Outcome::Raised(_) => security_log::Outcome::Done,
        Outcome::Wait(_) => security_log::Outcome::Limited,
        Outcome::WrongCode | Outcome::Refused(_) => security_log::Outcome::WrongProof,
        _ => return,
    };
    let method = match factor.factor_type.as_str() {
        WEBAUTHN => Method::SecurityKey,
        TOTP => Method::App,
        _ => Method::Code,
    };
    let about = About::Account(factor.user_id);
    security_log::write(Kind::SignIn, ended, method, about);
    if !factor.is_verified() && ended == security_log::Outcome::Done {
        security_log::write(Kind::FactorChange, ended, method, about);
    }
}

/// The answer in the form of the factor's type.
fn answer(app: &App, factor: &Factor, body: Verification) -> Result<Answer, ApiError> {
    let code = non_empty(body.code.as_deref());
    match factor.factor_type.as_str() {
        WEBAUTHN => {
            let given =
                body.webauthn.ok_or_else(|| ApiError::invalid("WebAuthn config required"))?;
            given.check_site(app)?;
            let kind = given.r#type.as_deref();
            let response = given.credential_response;
            match (kind, response) {
                (Some("create" | "request"), None) => {
                    Err(ApiError::invalid("credential_response required"))
                }
                (Some("create"), Some(response)) => Ok(Answer::Created(response)),
                (Some("request"), Some(response)) => Ok(Answer::Asserted(response)),
                _ => Err(ApiError::invalid("WebAuthn type must be create or request")),
            }
        }
        _ => {
            let code = code.ok_or_else(|| ApiError::invalid("Code needs to be non-empty"))?;
            if factor.factor_type == PHONE {
                phone::check_enabled(app)?;
            }
            Ok(Answer::Code(code.to_owned()))
        }
    }
}

async fn check(app: &App, attempt: Attempt) -> Result<Outcome, ApiError> {
    let shared = app.clone();
    app.store
        .write(app::metadata(), move |tx| {
            let (app, attempt) = (shared.clone(), attempt.clone());
            Box::pin(async move {
                let changing = Changing::lock(tx, attempt.caller).await?;
                let user_id = changing.user.user_id;
                let factor = factors::lock(tx.connection(), user_id, attempt.factor_id).await?;
                let mut factor = factor.ok_or_else(factor_not_found)?;
                let challenge = challenges::lock(tx.connection(), attempt.challenge_id).await?;
                let challenge = match valid(challenge, &attempt, changing.now) {
                    Ok(challenge) => challenge,
                    Err(outcome) => return Ok(outcome),
                };
                if !factor.is_verified() {
                    changing.check_first_answer(tx).await?;
                }
                let (subject, now) = (attempt.subject(), changing.now);
                if let Some(seconds) =
                    factor_limits::check_and_count(tx.connection(), &subject, now).await?
                {
                    return Ok(Outcome::Wait(seconds));
                }
                let checked = match &attempt.answer {
                    Answer::Code(code) if factor.factor_type == PHONE => {
                        check_message(&app, tx, challenge.challenge_id, code).await?
                    }
                    Answer::Code(code) => check_code(&app, &mut factor, code, now)?,
                    Answer::Created(response) | Answer::Asserted(response) => {
                        // A security key's challenge is used up by any answer.
                        challenges::delete(tx.connection(), challenge.challenge_id).await?;
                        let key = (&mut factor, &attempt.device);
                        check_key(&app, tx, key, (&challenge, response), now).await?
                    }
                };
                if let Some(failure) = checked {
                    return Ok(failure);
                }
                challenges::note_answer(tx.connection(), challenge.challenge_id, now).await?;
                factor_limits::note_right(tx.connection(), &subject, now).await?;
                accept(tx, changing, factor, &attempt.device).await
            })
        })
        .await
}

/// The challenge, if this session may answer it now.
fn valid(
    challenge: Option<Challenge>,
    attempt: &Attempt,
    now: Timestamp,
) -> Result<Challenge, Outcome> {
    let (_, session_id) = attempt.caller;
    let kind = match attempt.answer {
        Answer::Code(_) => ChallengeKind::Factor,
        Answer::Created(_) => ChallengeKind::FactorCreate,
        Answer::Asserted(_) => ChallengeKind::FactorRequest,
    };
    let ours = |challenge: &Challenge| {
        challenge.is(kind)
            && challenge.factor_id == Some(attempt.factor_id)
            && challenge.session_id == Some(session_id)
    };
    let challenge = challenge.filter(ours).ok_or(Outcome::UnknownChallenge)?;
    if challenge.verified_at.is_some() || challenge.network != attempt.device.network {
        return Err(Outcome::OtherNetwork);
    }
    if challenge.is_over(now) {
        return Err(Outcome::Expired(challenge.challenge_id));
    }
    Ok(challenge)
}

fn check_code(
    app: &App,
    factor: &mut Factor,
    code: &str,
    now: Timestamp,
) -> Result<Option<Outcome>, ApiError> {
    let sealed = factor.secret_sealed.as_deref().unwrap_or_default();
    let secret = app.sealer.open(factor.factor_id, sealed);
    let secret = secret.map_err(|error| ApiError::failed(&error))?;
    match totp::matching_step(&secret, code, now.seconds(), factor.last_totp_step) {
        Some(step) => {
            factor.last_totp_step = Some(step);
            if !app.sealer.is_current(sealed) {
                let again = app.sealer.seal(factor.factor_id, &secret);
                factor.secret_sealed = Some(again.map_err(|error| ApiError::failed(&error))?);
            }
            Ok(None)
        }
        None => Ok(Some(Outcome::WrongCode)),
    }
}

/// The digits of a message answer its own challenge only.
async fn check_message(
    app: &App,
    tx: &mut Tx,
    challenge_id: Uuid,
    digits: &str,
) -> Result<Option<Outcome>, ApiError> {
    if app.codes.is_digits((challenge_id, Digits::Six), digits) {
        return Ok(None);
    }
    challenges::count_wrong_answer(tx.connection(), challenge_id).await?;
    Ok(Some(Outcome::WrongCode))
}

async fn check_key(
    app: &App,
    tx: &mut Tx,
    (factor, device): (&mut Factor, &Device),
    (challenge, response): (&Challenge, &Value),
    now: Timestamp,
) -> Result<Option<Outcome>, ApiError> {
    let state = challenge.ceremony();
    if challenge.is(ChallengeKind::FactorCreate) {
        let made = match app.relying_party.finish_registration(state, response) {
            Ok(made) => made,
            Err(refused) => return Ok(Some(Outcome::Refused(refused))),
        };
        if passkeys::is_credential_known(tx.connection(), &made.credential_id).await? {
            let known = WebAuthnError::Refused("the credential is registered already".to_owned());
            return Ok(Some(Outcome::Refused(known)));
        }
        factor.set_credential(made);
        return Ok(None);
    }
    let credential = factor.credential().ok_or_else(factor_not_found)?;
    let known = (factor.user_id, &credential);
    match app.relying_party.finish_factor(state, response, known) {
        Ok(signed) => {
            factor.credential_state = Some(signed.state);
            if signed.counter_stood {
                let whose = (factor.user_id, Method::SecurityKey);
                counter::tell(tx, whose, device, now).await?;
            }
            Ok(None)
        }
        Err(refused) => Ok(Some(Outcome::Refused(refused))),
    }
}

/// Raises the session, and ends what a session at `aal1` could still do.
async fn accept(
    tx: &mut Tx,
    changing: Changing,
    mut factor: Factor,
    device: &Device,
) -> Result<Outcome, ApiError> {
    let (user_id, now) = (changing.user.user_id, changing.now);
    let session_id = changing.session.session_id;
    let is_new = factor.verify(now);
    factors::update(tx.connection(), &factor).await?;
    factors::delete_unverified(tx.connection(), user_id, &factor.factor_type).await?;
    session_levels::end_lower(tx.connection(), user_id, session_id).await?;
    if is_new {
        let notice = NewNotice {
            user_id,
            kind: NoticeKind::FactorAdded,
            sent_to: None,
            device,
            subject: factor.words(),
        };
        notices::tell(tx, notice, now).await?;
    }
    let user = levels::reload(tx, user_id).await?;
    let proof = Proof { method: method(&factor.factor_type), factor_id: Some(factor.factor_id) };
    let raised = session_levels::raise(tx, user, session_id, proof, now).await?;
    Ok(Outcome::Raised(Box::new(raised.ok_or_else(session_gone)?)))
}

/// The value of a factor's type in the amr claim.
pub(crate) fn method(factor_type: &str) -> &'static str {
    match factor_type {
        WEBAUTHN => "mfa/webauthn",
        TOTP => "totp",
        _ => "mfa/phone",
    }
}
