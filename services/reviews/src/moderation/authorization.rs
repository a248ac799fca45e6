//! Authorization of the panel's calls: each call checks its grant and, where staff unlock with
//! their own password, also the access token and the current role. Nothing is cached between calls.
//! Each denial is audited.

use eventstore::audit::{self, DONE};
use eventstore::{Act, Actor, Metadata, StoreError};
use kernel::{CommandError, Reject};
use runtime::BoxError;
use runtime::caller::{User, UserError};
use runtime::status::{reject, to_status, unavailable};
use staff::{Level, Refusal, Role, Staff, let_in};
use tonic::Status;
use tonic::metadata::MetadataMap;

use crate::moderation::grant::{GrantHash, Holder};
use crate::moderation::{AuthMethod, Denial, GRANT_HEADER, Moderation, repository};

/// An authorized moderator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Authorized {
    /// The holder of the grant.
    pub holder: Holder,
    /// The grant. A change renews it once more in its own transaction.
    pub grant: GrantHash,
}

/// Why a call is not authorized.
pub(super) enum AuthError {
    /// Access is denied.
    Denied(Actor, Denial),
    /// The check itself failed.
    Unavailable(BoxError),
}

impl From<StoreError> for AuthError {
    fn from(error: StoreError) -> Self {
        Self::Unavailable(error.into())
    }
}

impl Moderation {
    /// Authorizes a caller with a live grant and restarts its idle time. To be called first in
    /// every method of the panel. The act itself is audited by `Tx::audit_as` with its change, or
    /// by [`Self::audit_read`].
    ///
    /// # Errors
    /// When the caller has no live grant or no role that may moderate, or when the check fails.
    pub async fn authorize(
        &self,
        metadata: &MetadataMap,
        act: Act<'_>,
    ) -> Result<Authorized, Status> {
        match self.check_grant(metadata, act.action).await {
            Ok(authorized) => Ok(authorized),
            Err(AuthError::Denied(actor, denial)) => Err(self.deny(actor, act, denial).await),
            Err(AuthError::Unavailable(error)) => Err(unavailable(error.as_ref())),
        }
    }

    /// Audits a read; reading personal data is an act, too.
    ///
    /// # Errors
    /// When it cannot be audited; the data must not be returned then.
    pub async fn audit_read(&self, authorized: Authorized, act: Act<'_>) -> Result<(), Status> {
        let written = audit::record(&self.store, authorized.holder.into(), act, DONE).await;
        written.map_err(|error| unavailable(&error))
    }

    /// Audits the rejection of an act and returns its status. Other errors are not audited.
    pub async fn audit_rejection<R: Reject>(
        &self,
        authorized: Authorized,
        act: Act<'_>,
        error: &CommandError<R>,
    ) -> Status {
        if let CommandError::Rejected(rejection) = error {
            let actor = authorized.holder.into();
            let written = audit::record(&self.store, actor, act, rejection.reason()).await;
            if let Err(error) = written {
                return unavailable(&error);
            }
        }
        to_status(error)
    }

    /// Audits a denial and returns its status. Without a known actor the subject is left out:
    /// otherwise any caller could fill a review's history.
    pub async fn deny(&self, actor: Actor, act: Act<'_>, denial: Denial) -> Status {
        let act = if actor == Actor::unknown() { Act { subject: "", ..act } } else { act };
        let (name, action, reason) = (actor.name(), act.action, denial.reason());
        tracing::warn!(actor = name, action, reason, "a caller was refused");
        match audit::record(&self.store, actor, act, reason).await {
            Ok(()) => reject(&denial),
            Err(error) => unavailable(&error),
        }
    }

    /// Ends a browser's grant, unless it has none or it was ended before.
    pub async fn lock(
        &self,
        metadata: &MetadataMap,
        action: &'static str,
    ) -> Result<(), StoreError> {
        let Some(hash) = grant_of(metadata) else { return Ok(()) };
        let by = Metadata::traced("panel");
        self.store
            .write(by, move |tx| {
                Box::pin(async move {
                    let Some(actor) = repository::revoke_grant(tx.connection(), hash).await? else {
                        return Ok(());
                    };
                    tx.audit_as(&actor, Act { action, subject: "" }, DONE).await
                })
            })
            .await
    }

    async fn check_grant(
        &self,
        metadata: &MetadataMap,
        action: &str,
    ) -> Result<Authorized, AuthError> {
        let user = self.user(metadata).await;
        let actor = match &user {
            Ok(user) => Actor::account(user.customer, None),
            Err(_) => Actor::unknown(),
        };
        let deny = |denial| AuthError::Denied(actor.clone(), denial);
        let hash = grant_of(metadata).ok_or_else(|| deny(Denial::GrantRequired))?;
        let stored = repository::find_grant(self.store.pool(), hash).await?;
        let stored = stored.filter(|stored| stored.live).ok_or_else(|| deny(Denial::GrantEnded))?;
        let holder = match (&self.auth_method, stored.account) {
            (AuthMethod::Passphrase(passphrase), None)
                if stored.passphrase == Some(passphrase.fingerprint()) =>
            {
                Holder::Passphrase
            }
            (AuthMethod::OwnPassword(_), Some(account)) => {
                let user = user.map_err(|why| token_error(why, &actor))?;
                let staff = self.manager(&user, metadata, action).await?;
                if staff.id != account {
                    return Err(AuthError::Denied(staff.into(), Denial::GrantRequired));
                }
                Holder::Staff(staff)
            }
            // The grant was issued before the unlocking method or the passphrase was changed.
            (AuthMethod::Passphrase(_), _) | (AuthMethod::OwnPassword(_), None) => {
                return Err(deny(Denial::GrantEnded));
            }
        };
        if repository::renew_grant(self.store.pool(), hash).await? {
            Ok(Authorized { holder, grant: hash })
        } else {
            Err(AuthError::Denied(holder.into(), Denial::GrantEnded))
        }
    }

    /// The signed-in user. With a passphrase it is not used.
    pub(super) async fn user(&self, metadata: &MetadataMap) -> Result<User, UserError> {
        match self.auth_method {
            AuthMethod::Passphrase(_) => Err(UserError::Missing),
            AuthMethod::OwnPassword(_) => {
                self.users.verify_headers(&metadata.clone().into_headers()).await
            }
        }
    }

    /// The user as a moderator, by their current role and the second factor that it needs.
    pub(super) async fn manager(
        &self,
        user: &User,
        metadata: &MetadataMap,
        action: &str,
    ) -> Result<Staff, AuthError> {
        let level = Level::of(action);
        let checked = let_in(self.roles.as_ref(), user, metadata, Role::MANAGERS, level).await;
        checked.map_err(|refusal| match refusal {
            Refusal::Unavailable(error) => AuthError::Unavailable(error),
            Refusal::Refused(role, why) => {
                AuthError::Denied(Actor::account(user.customer, role), Denial::Staff(why))
            }
        })
    }
}

/// Converts a token's error.
pub(super) fn token_error(why: UserError, actor: &Actor) -> AuthError {
    match why {
        UserError::Missing | UserError::Invalid => {
            AuthError::Denied(actor.clone(), Denial::User(why))
        }
        UserError::KeysUnavailable => AuthError::Unavailable(why.into()),
    }
}

/// The hash of the grant that a browser sent.
pub(super) fn grant_of(metadata: &MetadataMap) -> Option<GrantHash> {
    let secret = metadata.get(GRANT_HEADER)?.to_str().ok()?;
    (!secret.is_empty()).then(|| GrantHash::of(secret))
}
