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

/// How old the second factor, or at `aal1` the mailed code, may be with which an account gets an
/// authenticator.
const PROOF_SECONDS: i64 = 5 * 60;
/// How old it may be when a factor is answered for the first time: its person sets it up meanwhile.
const FIRST_ANSWER_SECONDS: i64 = 10 * 60;

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
    email: Option<&str>,
    phone: Option<&str>,
    password: Option<&str>,
) -> Result<(), ApiError> {
    let user = &signed_in.user;
    let is_other = |new: Option<&str>, old: Option<&str>| {
        non_empty(new).is_some_and(|new| !old.is_some_and(|old| old.eq_ignore_ascii_case(new)))
    };
    let is_changed = is_other(email, user.email.as_deref())
        || is_other(phone.map(|phone| phone.trim_start_matches('+')), user.phone.as_deref())
        || non_empty(password).is_some();
    if is_changed && user.has_second_factor() && signed_in.session.aal != AAL2 {
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

    /// Whether the session has shown its second factor just now.
    pub(crate) fn has_shown_second_factor(&self) -> bool {
        has_shown_second_factor((&self.session, self.now), PROOF_SECONDS)
    }

    /// Whether the caller may add an authenticator: with the second factor if the account has
    /// one, else with a mailed code, shown just now in both cases. A session that was left open,
    /// and a password, are not enough, also for the first one: it would shut the person out.
    pub(crate) async fn check_proof(&self, tx: &mut Tx, action: &str) -> Result<(), ApiError> {
        let proved_at = self.session.last_mailed_code();
        self.check_shown(tx, (action, PROOF_SECONDS), proved_at).await
    }

    /// The same where a new factor is answered for the first time. It may have been enrolled by
    /// another session, and the account may have got a second factor since.
    pub(crate) async fn check_first_answer(&self, tx: &mut Tx) -> Result<(), ApiError> {
        let proved_at = self.session.last_mailed_code();
        self.check_shown(tx, ("verify a new factor", FIRST_ANSWER_SECONDS), proved_at).await
    }

    /// The same of an identity of a provider. A sign-in at a provider just now is as good as a
    /// mailed code.
    pub(crate) async fn check_identity(&self, tx: &mut Tx, action: &str) -> Result<(), ApiError> {
        let proved_at = self.session.last_mailed_code().max(self.session.last_provider());
        self.check_shown(tx, (action, PROOF_SECONDS), proved_at).await
    }

    async fn check_shown(
        &self,
        tx: &mut Tx,
        what: (&str, i64),
        proved_at: Option<i64>,
    ) -> Result<(), ApiError> {
        let is_protected = self.is_protected(tx).await?;
        check_shown((&self.session, self.now), what, (is_protected, proved_at))
    }
}

/// Refuses another phone, and the first address of an account by phone, without a fresh proof: a
/// code that is sent there opens the account from then on, and lets authenticators be added as a
/// mailed one does, so that a password alone would be enough for both. Clients of the contract
/// change it after any sign-in. Nothing else opens an anonymous account.
pub(crate) fn check_new_contact(
    app: &App,
    signed_in: &SignedIn,
    action: &str,
) -> Result<(), ApiError> {
    let SignedIn { user, session, now } = signed_in;
    if user.is_anonymous {
        return Ok(());
    }
    let proved_at = if app.policy.is_for_any() {
        session.last_shown()
    } else {
        session.last_mailed_code().max(session.last_provider())
    };
    let shown = (user.has_second_factor(), proved_at);
    check_shown((session, *now), (action, PROOF_SECONDS), shown)
}

fn has_shown_second_factor((session, now): (&Session, Timestamp), seconds: i64) -> bool {
    let shown_at = session.last_second_factor().filter(|_| session.aal == AAL2);
    shown_at.is_some_and(|at| now.seconds() - at <= seconds)
}

fn check_shown(
    (session, now): (&Session, Timestamp),
    (action, seconds): (&str, i64),
    (is_protected, proved_at): (bool, Option<i64>),
) -> Result<(), ApiError> {
    if has_shown_second_factor((session, now), seconds) {
        return Ok(());
    }
    if is_protected {
        let message = format!("AAL2 required to {action}");
        return Err(ApiError::forbidden("insufficient_aal", message));
    }
    if proved_at.is_some_and(|at| now.seconds() - at <= seconds) {
        return Ok(());
    }
    let message = format!("A code that was mailed just now is required to {action}");
    Err(ApiError::bad("reauthentication_needed", message))
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
