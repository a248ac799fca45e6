//! The command `reset-factors`: the way back into an account whose factors and recovery codes are
//! lost. The operator vouches for the person; no call can do it. It removes all factors, passkeys
//! and recovery codes, ends all sessions, and the person is told by mail.

use std::io::Write as _;

use eventstore::audit::{Act, Actor, DONE};
use eventstore::{Database, Retry, Store, StoreError};
use kernel::Id;
use kernel::id::Customer;
use runtime::BoxError;
use secrecy::{ExposeSecret as _, SecretString};
use uuid::Uuid;

use crate::accounts::address::EmailAddress;
use crate::app;
use crate::repository::notices::{self, NewNotice, NoticeKind};
use crate::repository::sessions::{self, Device};
use crate::repository::{factor_limits, factors, passkeys, recovery_codes, users};

/// Why nothing was reset.
#[derive(Debug, thiserror::Error)]
pub enum ResetError {
    /// The address has no account.
    #[error("ACCOUNT_EMAIL has no account")]
    NoAccount,
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for ResetError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

impl Retry for ResetError {
    fn is_conflict(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_conflict())
    }
}

/// Runs the command: prints the account's id.
///
/// # Errors
/// When the address has no account, or the database does not answer.
pub async fn run(database_url: SecretString, email: EmailAddress) -> Result<(), BoxError> {
    let store = Store::new(Database::new(database_url.expose_secret()).open()?);
    let user_id = reset(&store, &email).await?;
    writeln!(std::io::stdout(), "{user_id}")?;
    Ok(())
}

/// Removes all that the address's account could reach `aal2` with.
///
/// # Errors
/// When the address has no account, or the database does not answer.
pub async fn reset(store: &Store, email: &EmailAddress) -> Result<Uuid, ResetError> {
    let email = email.clone();
    store
        .write(app::metadata(), move |tx| {
            let email = email.clone();
            Box::pin(async move {
                let user = users::lock_by_email(tx.connection(), &email).await?;
                let user_id = user.ok_or(ResetError::NoAccount)?.user_id;
                let now = tx.now().await?;
                factors::delete_all(tx.connection(), user_id).await?;
                passkeys::delete_all(tx.connection(), user_id).await?;
                recovery_codes::delete_all(tx.connection(), user_id).await?;
                factor_limits::delete_all(tx.connection(), user_id).await?;
                sessions::end_all(tx.connection(), user_id, None).await?;
                let notice = NewNotice {
                    user_id,
                    kind: NoticeKind::FactorsReset,
                    sent_to: None,
                    device: &Device::default(),
                    subject: "",
                };
                notices::tell(tx, notice, now).await?;
                let subject = Id::<Customer>::from_uuid(user_id).to_string();
                let act = Act { action: "ResetFactors", subject: &subject };
                tx.audit_as(&Actor::sharing("operator"), act, DONE).await?;
                Ok(user_id)
            })
        })
        .await
}
