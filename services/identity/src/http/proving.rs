//! The one rule of proving an address, for every act that does it: a code or link of a sign-up, a
//! sign-in, a recovery or an invitation, a change of address, a sign-in at a provider, the word of
//! an administrator. A phone that is confirmed has the same rule.
//!
//! Such an act proves the address and not who prepared the account. So nothing that opened the
//! account before opens it afterwards, unless the redeemer also showed a proof of that account: a
//! session of it, or the secret that its sign-up gave to this browser.

use eventstore::Tx;
use kernel::Timestamp;
use uuid::Uuid;

use crate::http::bearer::SignedIn;
use crate::http::error::ApiError;
use crate::repository::identities::{EMAIL, PHONE};
use crate::repository::sessions::{self, Device};
use crate::repository::users::User;
use crate::repository::{
    codes, contacts, factors, flow_states, passkeys, provider_flows, recovery_codes,
};

/// What the redeemer showed besides the address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    /// Nothing.
    Nothing,
    /// A proof of the account.
    Account,
}

impl Shown {
    pub(crate) fn when(shown: bool) -> Self {
        if shown { Self::Account } else { Self::Nothing }
    }
}

/// The session with which a request comes, if it comes with one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bearer {
    user_id: Uuid,
    session_id: Uuid,
}

impl Bearer {
    pub(crate) fn of(signed_in: &SignedIn) -> Self {
        Self { user_id: signed_in.user.user_id, session_id: signed_in.session.session_id }
    }

    /// Whether it is a session of the account, which may have ended since the request came.
    pub(crate) async fn opens(self, tx: &mut Tx, user: &User) -> Result<bool, ApiError> {
        if self.user_id != user.user_id {
            return Ok(false);
        }
        let session = sessions::find_active(tx.connection(), self.user_id, self.session_id).await?;
        Ok(session.is_some())
    }
}

/// What the request says of its sender, and what it wants.
#[derive(Clone)]
pub(crate) struct Redeemer {
    /// The secret from the sign-up's response, if the client sent it.
    pub(crate) sign_up_secret: Option<String>,
    /// The session with which the request comes.
    pub(crate) bearer: Option<Bearer>,
    pub(crate) device: Device,
    /// Whether a link of a flow with PKCE gives a code for its client in place of a session.
    pub(crate) goes_on: bool,
    /// Whether the contract's type says that a new password is wanted.
    pub(crate) recovers: bool,
    /// Whether its client has worked for it, which lifts the limits of a network.
    pub(crate) has_worked: bool,
}

/// Notes that the account's address is proved. Where it was not before, and the redeemer showed no
/// proof of the account, everything else that opens the account ends; then its password is
/// returned, if it had one. The caller stores the account.
pub(crate) async fn prove(
    tx: &mut Tx,
    user: &mut User,
    shown: Shown,
    now: Timestamp,
) -> Result<Option<String>, ApiError> {
    let first = user.email_proved_at.is_none();
    let removed = clear(tx, user, (first, shown), &[EMAIL]).await?;
    user.prove_address(now);
    Ok(removed)
}

/// The same of the account's phone. An account whose address is confirmed is its person's already.
pub(crate) async fn prove_phone(
    tx: &mut Tx,
    user: &mut User,
    shown: Shown,
    now: Timestamp,
) -> Result<Option<String>, ApiError> {
    let first = !user.is_confirmed();
    let removed = clear(tx, user, (first, shown), &[EMAIL, PHONE]).await?;
    user.confirm_phone(now);
    Ok(removed)
}

/// Ends what opens the account, but for its identities of the kept kinds, where its person proves
/// something for the first time and shows nothing else.
async fn clear(
    tx: &mut Tx,
    user: &mut User,
    (first, shown): (bool, Shown),
    kept: &[&str],
) -> Result<Option<String>, ApiError> {
    match (first, shown) {
        (true, Shown::Nothing) => {
            contacts::drop_other_identities(tx.connection(), user, kept).await?;
            close(tx, user).await
        }
        (true, Shown::Account) | (false, _) => Ok(None),
    }
}

/// Ends everything that opens the account but its identities: sessions, codes and flows under way,
/// factors, passkeys, recovery codes, changes that wait, and the password, which is returned.
async fn close(tx: &mut Tx, user: &mut User) -> Result<Option<String>, ApiError> {
    let user_id = user.user_id;
    sessions::end_all(tx.connection(), user_id, None).await?;
    codes::delete_all(tx.connection(), user_id).await?;
    provider_flows::delete_all(tx.connection(), user_id).await?;
    flow_states::delete_issued(tx.connection(), user_id).await?;
    factors::delete_all(tx.connection(), user_id).await?;
    passkeys::delete_all(tx.connection(), user_id).await?;
    recovery_codes::delete_all(tx.connection(), user_id).await?;
    user.factors.clear();
    user.has_passkey = false;
    user.new_email = None;
    user.email_change_confirmed = 0;
    user.new_phone = None;
    Ok(user.password_hash.take())
}
