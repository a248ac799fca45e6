//! What an account's second factor protects, and what else a caller must be for such a change.

use axum::http::StatusCode;
use eventstore::Tx;
use kernel::Timestamp;
use uuid::Uuid;

use crate::app::App;
use crate::http::bearer::SignedIn;
use crate::http::error::ApiError;
use crate::http::request::non_empty;
use crate::repository::passkeys;
use crate::repository::session_levels::AAL2;
use crate::repository::sessions::{self, Session};
use crate::repository::users::{self, User};

/// How long after a sign-in an account without a second factor may add a passkey.
const FRESH_SECONDS: i64 = 15 * 60;

/// Refuses anonymous accounts, in the contract's words.
pub(crate) fn refuse_anonymous(signed_in: &SignedIn) -> Result<(), ApiError> {
    if signed_in.user.is_anonymous {
        let message = "Anonymous user not allowed to perform these actions";
        return Err(ApiError::forbidden("no_authorization", message));
    }
    Ok(())
}

/// Refuses to change address, phone or password without the second factor, if the account has one.
pub(crate) fn check_account_change(
    signed_in: &SignedIn,
    (email, phone, password): (Option<&str>, Option<&str>, Option<&str>),
) -> Result<(), ApiError> {
    let user = &signed_in.user;
    let is_other = |new: Option<&str>, old: Option<&str>| {
        non_empty(new).is_some_and(|new| !old.is_some_and(|old| old.eq_ignore_ascii_case(new)))
    };
    let is_changed = is_other(email, user.email.as_deref())
        || is_other(phone.map(|phone| phone.trim_start_matches('+')), user.phone.as_deref())
        || non_empty(password).is_some();
    if is_changed && user.has_verified_factor() && signed_in.session.aal != AAL2 {
        let message = "AAL2 session is required to update email or password when MFA is enabled.";
        return Err(ApiError::new(StatusCode::UNAUTHORIZED, "insufficient_aal", message));
    }
    Ok(())
}

/// The account and the session of a change, the account locked until the transaction ends: of
/// changes at the same time, the second sees what the first has done.
pub(crate) struct Changing {
    pub(crate) user: User,
    pub(crate) session: Session,
    pub(crate) now: Timestamp,
}

impl Changing {
    /// Locks the caller's account and reads its session anew.
    pub(crate) async fn lock(
        tx: &mut Tx,
        (user_id, session_id): (Uuid, Uuid),
    ) -> Result<Self, ApiError> {
        let user = users::lock_by_id(tx.connection(), user_id).await?;
        let user = user.ok_or_else(|| {
            ApiError::forbidden("user_not_found", "User from sub claim in JWT does not exist")
        })?;
        let session = sessions::find_active(tx.connection(), user_id, session_id).await?;
        let session = session.ok_or_else(session_gone)?;
        Ok(Self { user, session, now: tx.now().await? })
    }

    pub(crate) fn is_aal2(&self) -> bool {
        self.session.aal == AAL2
    }

    /// Whether the account can reach `aal2`: by a factor or by a passkey. Then nothing that
    /// reaches it is added or removed at `aal1`, or a password alone would be enough again.
    pub(crate) async fn is_protected(&self, tx: &mut Tx) -> Result<bool, ApiError> {
        Ok(self.user.has_verified_factor()
            || passkeys::exist(tx.connection(), self.user.user_id).await?)
    }

    /// Whether the caller signed in just now.
    pub(crate) fn is_fresh(&self) -> bool {
        self.now.seconds_since(self.session.created_at) <= FRESH_SECONDS
    }
}

/// The caller of a change.
pub(crate) fn caller(signed_in: &SignedIn) -> (Uuid, Uuid) {
    (signed_in.user.user_id, signed_in.session.session_id)
}

pub(crate) fn session_gone() -> ApiError {
    let message = "Session from session_id claim in JWT does not exist";
    ApiError::forbidden("session_not_found", message)
}

/// The account as the caller sees it after a change.
pub(crate) async fn reload(tx: &mut Tx, user_id: Uuid) -> Result<User, ApiError> {
    users::by_id(tx.connection(), user_id).await?.ok_or_else(session_gone)
}

/// The name of the site in authenticator apps.
pub(crate) fn issuer(app: &App) -> &str {
    app.relying_party.id()
}
