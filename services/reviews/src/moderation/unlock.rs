//! Unlocks the panel: checks a password and issues a grant.
//!
//! All failures (a wrong password, a missing role, a wait) get the same answer, no sooner than a
//! real check takes. Only the audit log has the reason. One is told: that a member's session lacks
//! the second factor, which says nothing about a password.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use eventstore::audit::{self, DONE};
use eventstore::{Act, Actor, Metadata, StoreError, Tx};
use runtime::status::{reject, unavailable};
use secrecy::{ExposeSecret as _, SecretString};
use staff::StaffError;
use tonic::Status;
use tonic::metadata::MetadataMap;

use crate::moderation::authorization::{AuthError, grant_of, token_error};
use crate::moderation::grant::{GrantHash, Holder, IDLE_SECONDS, IssuedGrant, LIFETIME_SECONDS};
use crate::moderation::login_throttle::{self, ThrottleKey};
use crate::moderation::{AuthMethod, CALLER_ADDRESS_HEADER, Denial, Moderation, repository};

/// Minimum time of a denial; longer than a check takes.
const DENIAL_TIME_MIN: Duration = Duration::from_millis(400);
/// Maximum bytes of a password.
const PASSWORD_BYTES_MAX: usize = 1024;
/// The call's name in the audit log.
const ACT: Act<'static> = Act { action: "Unlock", subject: "" };

/// Reasons that appear only in the audit log.
const WRONG_PASSWORD: &str = "WRONG_PASSWORD";
const MUST_WAIT: &str = "MUST_WAIT";

/// Why an attempt gets no grant.
enum Failure {
    /// The actor, and why the attempt is denied.
    Denied(Actor, &'static str),
    /// A member's session lacks the second factor, or has shown it too long ago.
    SecondFactor(Actor, StaffError),
    /// The password cannot be checked now.
    Unavailable(runtime::BoxError),
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Unavailable(error.into())
    }
}

impl From<AuthError> for Failure {
    fn from(error: AuthError) -> Self {
        match error {
            AuthError::Denied(
                actor,
                Denial::Staff(
                    why @ (StaffError::SecondFactorRequired | StaffError::SecondFactorTooOld),
                ),
            ) => Self::SecondFactor(actor, why),
            AuthError::Denied(actor, denial) => {
                Self::Denied(actor, kernel::Reject::reason(&denial))
            }
            AuthError::Unavailable(error) => Self::Unavailable(error),
        }
    }
}

/// A caller who may attempt to unlock. Others are denied earlier and not counted: otherwise anyone
/// at the practice's own network address could lock the practice out without a password.
struct Candidate {
    actor: Actor,
    throttle_keys: Vec<ThrottleKey>,
    /// The grant's holder if the password is right.
    holder: Holder,
}

impl Moderation {
    /// Issues a grant for the right password and revokes an older one of the same browser.
    ///
    /// # Errors
    /// `AccessDenied` for any denial; `UNAVAILABLE` when the password cannot be checked.
    pub async fn unlock(
        &self,
        metadata: &MetadataMap,
        password: SecretString,
    ) -> Result<IssuedGrant, Status> {
        let min_time = tokio::time::sleep(DENIAL_TIME_MIN);
        let failure = match self.try_to_unlock(metadata, password).await {
            Ok(issued) => return Ok(issued),
            Err(failure) => failure,
        };
        let status = match failure {
            Failure::SecondFactor(actor, why) => self.deny(actor, ACT, Denial::Staff(why)).await,
            Failure::Unavailable(error) => unavailable(error.as_ref()),
            Failure::Denied(actor, reason) => {
                tracing::warn!(actor = actor.name(), reason, "the panel stays locked");
                match audit::record(&self.store, actor, ACT, reason).await {
                    Ok(()) => reject(&Denial::AccessDenied),
                    Err(error) => unavailable(&error),
                }
            }
        };
        min_time.await;
        Err(status)
    }

    async fn try_to_unlock(
        &self,
        metadata: &MetadataMap,
        password: SecretString,
    ) -> Result<IssuedGrant, Failure> {
        let Candidate { actor, throttle_keys, holder } = self.candidate(metadata).await?;
        // No password has this length, so it is neither checked nor counted.
        if !(1..=PASSWORD_BYTES_MAX).contains(&password.expose_secret().len()) {
            return Err(Failure::Denied(actor, WRONG_PASSWORD));
        }
        if !self.begin(&throttle_keys).await? {
            return Err(Failure::Denied(actor, MUST_WAIT));
        }
        match self.verify_password(metadata, holder, password).await {
            Ok(true) => self.open(metadata, holder, throttle_keys).await,
            Ok(false) => Err(Failure::Denied(actor, WRONG_PASSWORD)),
            Err(error) => {
                self.give_back(throttle_keys).await?;
                Err(Failure::Unavailable(error))
            }
        }
    }

    async fn candidate(&self, metadata: &MetadataMap) -> Result<Candidate, Failure> {
        let named = metadata.get(CALLER_ADDRESS_HEADER).and_then(|value| value.to_str().ok());
        let address = ThrottleKey::address(named);
        if let AuthMethod::Passphrase(_) = self.auth_method {
            let throttle_keys = vec![address, ThrottleKey::Everybody];
            let (actor, holder) = (Actor::unknown(), Holder::Passphrase);
            return Ok(Candidate { actor, throttle_keys, holder });
        }
        let user = self.user(metadata).await.map_err(|why| token_error(why, &Actor::unknown()))?;
        let staff = self.manager(&user, metadata, ACT.action).await?;
        let throttle_keys = vec![ThrottleKey::Account(staff.id), address];
        Ok(Candidate { actor: staff.into(), throttle_keys, holder: Holder::Staff(staff) })
    }

    async fn verify_password(
        &self,
        metadata: &MetadataMap,
        holder: Holder,
        password: SecretString,
    ) -> Result<bool, runtime::BoxError> {
        match (&self.auth_method, holder) {
            (AuthMethod::Passphrase(passphrase), Holder::Passphrase) => {
                Ok(passphrase.verify(password).await?)
            }
            (AuthMethod::OwnPassword(identity), Holder::Staff(staff)) => {
                let Some(token) = bearer(metadata) else { return Ok(false) };
                Ok(identity.is_own_password(staff.id, token, password).await?)
            }
            (AuthMethod::Passphrase(_), Holder::Staff(_))
            | (AuthMethod::OwnPassword(_), Holder::Passphrase) => Ok(false),
        }
    }

    async fn begin(&self, throttle_keys: &[ThrottleKey]) -> Result<bool, StoreError> {
        let throttle_keys = throttle_keys.to_vec();
        self.store
            .write(Metadata::by("panel", None), move |tx| {
                let throttle_keys = throttle_keys.clone();
                Box::pin(async move { login_throttle::record_attempt(tx, &throttle_keys).await })
            })
            .await
    }

    async fn give_back(&self, throttle_keys: Vec<ThrottleKey>) -> Result<(), StoreError> {
        self.store
            .write(Metadata::by("panel", None), move |tx| {
                let throttle_keys = throttle_keys.clone();
                Box::pin(async move { login_throttle::undo_attempt(tx, &throttle_keys).await })
            })
            .await
    }

    async fn open(
        &self,
        metadata: &MetadataMap,
        holder: Holder,
        throttle_keys: Vec<ThrottleKey>,
    ) -> Result<IssuedGrant, Failure> {
        let (older, actor) = (grant_of(metadata), Actor::from(holder));
        let passphrase = match &self.auth_method {
            AuthMethod::Passphrase(passphrase) => Some(passphrase.fingerprint()),
            AuthMethod::OwnPassword(_) => None,
        };
        let by = Metadata::traced(actor.name());
        let issued = self
            .store
            .write(by, move |tx| {
                let (throttle_keys, actor) = (throttle_keys.clone(), actor.clone());
                Box::pin(async move {
                    login_throttle::reset(tx, &throttle_keys).await?;
                    let issued = issue(tx, (holder, passphrase), older).await?;
                    tx.audit_as(&actor, ACT, DONE).await?;
                    Ok::<IssuedGrant, StoreError>(issued)
                })
            })
            .await?;
        Ok(issued)
    }
}

/// Issues a grant and revokes the older one of the same browser. `passphrase` is the fingerprint of
/// the passphrase that was used.
async fn issue(
    tx: &mut Tx,
    (holder, passphrase): (Holder, Option<[u8; 32]>),
    older: Option<GrantHash>,
) -> Result<IssuedGrant, StoreError> {
    if let Some(older) = older {
        repository::revoke_grant(&mut *tx.connection(), older).await?;
    }
    let now = tx.now().await?;
    let secret = URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>());
    let actor = Actor::from(holder);
    repository::insert_grant(tx, (GrantHash::of(&secret), &actor), passphrase, now).await?;
    let (ends_at, idle_ends_at) =
        (now.plus_seconds(LIFETIME_SECONDS), now.plus_seconds(IDLE_SECONDS));
    Ok(IssuedGrant { secret, ends_at, idle_ends_at })
}

/// The caller's access token, which is also sent to the identity server.
fn bearer(metadata: &MetadataMap) -> Option<SecretString> {
    let (_scheme, token) = metadata.get("authorization")?.to_str().ok()?.split_once(' ')?;
    Some(SecretString::from(token.trim()))
}
