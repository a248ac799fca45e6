//! The panel is unlocked: a password is proved and a browser gets a grant.
//!
//! Whatever is wrong is told alike and no sooner than a real check takes: a wrong password, someone
//! who may not moderate, a wait. Only the book of acts has the reason.

use std::time::Duration;

use eventstore::audit::{self, DONE};
use eventstore::{Act, Actor, Metadata, StoreError};
use runtime::status::{reject, unavailable};
use secrecy::{ExposeSecret as _, SecretString};
use tonic::Status;
use tonic::metadata::MetadataMap;

use crate::moderation::door::{Closed, closed_by, grant_of};
use crate::moderation::grant::{self, Holder, Opened};
use crate::moderation::tries::{self, TriedBy};
use crate::moderation::{ADDRESS, Moderation, Proof, Refusal};

/// A refusal comes no sooner than this, which is longer than a check takes.
const QUIET_ANSWER: Duration = Duration::from_millis(400);
/// No password is longer.
const PASSWORD_BYTES_MAX: usize = 1024;
/// The call's name in the book of acts.
const ACT: Act<'static> = Act { action: "Unlock", subject: "" };

/// Reasons that only the book of acts is told.
const WRONG_PASSWORD: &str = "WRONG_PASSWORD";
const MUST_WAIT: &str = "MUST_WAIT";

/// How a try ends that gives no grant.
enum Failure {
    /// Who it was, and why it is denied.
    Denied(Actor, &'static str),
    /// The password cannot be checked now.
    Unavailable(runtime::BoxError),
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Unavailable(error.into())
    }
}

impl From<Closed> for Failure {
    fn from(closed: Closed) -> Self {
        match closed {
            Closed::Refused(actor, refusal) => {
                Self::Denied(actor, kernel::Reject::reason(&refusal))
            }
            Closed::Unavailable(error) => Self::Unavailable(error),
        }
    }
}

/// Who tries and may try: whoever may not is refused before, and is not counted. Otherwise anybody
/// at the practice's own network address could lock the practice out without a single password.
struct Person {
    actor: Actor,
    counted: Vec<TriedBy>,
    /// Who they prove to be if the password is right.
    holder: Holder,
}

impl Moderation {
    /// Gives a grant for the right password, in the place of an older one of the same browser.
    ///
    /// # Errors
    /// `AccessDenied` whatever is wrong; `UNAVAILABLE` when the password cannot be checked.
    pub async fn unlock(
        &self,
        metadata: &MetadataMap,
        password: SecretString,
    ) -> Result<Opened, Status> {
        let quiet = tokio::time::sleep(QUIET_ANSWER);
        let failure = match self.try_to_unlock(metadata, password).await {
            Ok(opened) => return Ok(opened),
            Err(failure) => failure,
        };
        let told = match failure {
            Failure::Unavailable(error) => unavailable(error.as_ref()),
            Failure::Denied(actor, reason) => {
                tracing::warn!(actor = actor.name(), reason, "the panel stays locked");
                match audit::record(&self.store, actor, ACT, reason).await {
                    Ok(()) => reject(&Refusal::AccessDenied),
                    Err(error) => unavailable(&error),
                }
            }
        };
        quiet.await;
        Err(told)
    }

    async fn try_to_unlock(
        &self,
        metadata: &MetadataMap,
        password: SecretString,
    ) -> Result<Opened, Failure> {
        let Person { actor, counted, holder } = self.person(metadata).await?;
        // Nobody has such a password, so nothing is looked at and nothing is counted.
        if !(1..=PASSWORD_BYTES_MAX).contains(&password.expose_secret().len()) {
            return Err(Failure::Denied(actor, WRONG_PASSWORD));
        }
        if !self.begin(&counted).await? {
            return Err(Failure::Denied(actor, MUST_WAIT));
        }
        match self.is_right(metadata, holder, password).await {
            Ok(true) => self.open(metadata, holder, counted).await,
            Ok(false) => Err(Failure::Denied(actor, WRONG_PASSWORD)),
            Err(error) => {
                self.give_back(counted).await?;
                Err(Failure::Unavailable(error))
            }
        }
    }

    async fn person(&self, metadata: &MetadataMap) -> Result<Person, Failure> {
        let named = metadata.get(ADDRESS).and_then(|value| value.to_str().ok());
        let address = TriedBy::address(named);
        if let Proof::Passphrase(_) = self.proof {
            let counted = vec![address, TriedBy::Everybody];
            let (actor, holder) = (Actor::nobody(), Holder::Passphrase);
            return Ok(Person { actor, counted, holder });
        }
        let user = self.user(metadata).await.map_err(|why| closed_by(why, &Actor::nobody()))?;
        let staff = self.manager(&user).await?;
        let counted = vec![TriedBy::Account(staff.id), address];
        Ok(Person { actor: staff.into(), counted, holder: Holder::Staff(staff) })
    }

    async fn is_right(
        &self,
        metadata: &MetadataMap,
        holder: Holder,
        password: SecretString,
    ) -> Result<bool, runtime::BoxError> {
        match (&self.proof, holder) {
            (Proof::Passphrase(passphrase), Holder::Passphrase) => {
                Ok(passphrase.is_right(password).await?)
            }
            (Proof::OwnPassword(identity), Holder::Staff(staff)) => {
                let Some(token) = bearer(metadata) else { return Ok(false) };
                Ok(identity.is_own_password(staff.id, token, password).await?)
            }
            (Proof::Passphrase(_), Holder::Staff(_))
            | (Proof::OwnPassword(_), Holder::Passphrase) => Ok(false),
        }
    }

    async fn begin(&self, counted: &[TriedBy]) -> Result<bool, StoreError> {
        let counted = counted.to_vec();
        self.store
            .write(Metadata::by("panel", None), move |tx| {
                let counted = counted.clone();
                Box::pin(async move { tries::begin(tx, &counted).await })
            })
            .await
    }

    async fn give_back(&self, counted: Vec<TriedBy>) -> Result<(), StoreError> {
        self.store
            .write(Metadata::by("panel", None), move |tx| {
                let counted = counted.clone();
                Box::pin(async move { tries::give_back(tx, &counted).await })
            })
            .await
    }

    async fn open(
        &self,
        metadata: &MetadataMap,
        holder: Holder,
        counted: Vec<TriedBy>,
    ) -> Result<Opened, Failure> {
        let (older, actor) = (grant_of(metadata), Actor::from(holder));
        let passphrase = match &self.proof {
            Proof::Passphrase(passphrase) => Some(passphrase.fingerprint()),
            Proof::OwnPassword(_) => None,
        };
        let by = Metadata::by(actor.name(), runtime::telemetry::traceparent());
        let opened = self
            .store
            .write(by, move |tx| {
                let (counted, actor) = (counted.clone(), actor.clone());
                Box::pin(async move {
                    tries::forget(tx, &counted).await?;
                    let opened = grant::open(tx, (holder, passphrase), older).await?;
                    tx.audit_as(&actor, ACT, DONE).await?;
                    Ok::<Opened, StoreError>(opened)
                })
            })
            .await?;
        Ok(opened)
    }
}

/// The caller's access token, which the identity server shall know as well.
fn bearer(metadata: &MetadataMap) -> Option<SecretString> {
    let (_scheme, token) = metadata.get("authorization")?.to_str().ok()?.split_once(' ')?;
    Some(SecretString::from(token.trim()))
}
