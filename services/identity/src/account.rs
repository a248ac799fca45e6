//! The command `account`: makes sure that an address has a confirmed account, for those whom the
//! practice itself invites. It is run by whoever runs the machine, so no mail has to confirm it.

use std::io::Write as _;

use eventstore::{Database, Retry, Store, StoreError};
use kernel::Timestamp;
use runtime::BoxError;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::address::EmailAddress;
use crate::app;
use crate::config::AccountConfig;
use crate::hashing::{HashError, Hasher};
use crate::password::{self, Weakness};
use crate::store::users::{self, User};

/// Who is to have an account.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// Its address.
    pub email: EmailAddress,
    /// Its password, if it has to be made.
    pub password: SecretString,
    /// The person's first name, or empty.
    pub first_name: String,
    /// The person's last name, or empty.
    pub last_name: String,
}

/// Why there is no account.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    /// The password has too few or too many characters.
    #[error("ACCOUNT_PASSWORD must have 10 to 256 characters")]
    PasswordLength,
    /// The password is one that people guess first.
    #[error("ACCOUNT_PASSWORD is easy to guess; choose a different one")]
    PasswordCommon,
    /// The password could not be hashed.
    #[error(transparent)]
    Hash(#[from] HashError),
    /// The database refused.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<Weakness> for AccountError {
    fn from(weakness: Weakness) -> Self {
        match weakness {
            Weakness::TooShort | Weakness::TooLong => Self::PasswordLength,
            Weakness::Common => Self::PasswordCommon,
        }
    }
}

impl From<sqlx::Error> for AccountError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

impl Retry for AccountError {
    fn is_conflict(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_conflict())
    }
}

/// Runs the command: prints the account's id, and nothing else.
///
/// # Errors
/// When the password is refused, or the database does not answer.
pub async fn run(config: AccountConfig) -> Result<(), BoxError> {
    let store = Store::new(Database::new(config.database_url.expose_secret()).open()?);
    let id = ensure(&store, &config.wanted).await?;
    writeln!(std::io::stdout(), "{id}")?;
    Ok(())
}

/// The id of the address's account. One that is there stays as it is, with its own password; one
/// that nobody confirmed is nobody's and is replaced.
///
/// # Errors
/// When there is none and the password is refused, or the database does not answer.
pub async fn ensure(store: &Store, wanted: &Wanted) -> Result<Uuid, AccountError> {
    let known = users::by_email(store.pool(), &wanted.email).await?;
    if let Some(user) = known.filter(|user| user.email_confirmed_at.is_some()) {
        return Ok(user.user_id);
    }
    let (password, names) =
        (wanted.password.expose_secret(), [&*wanted.first_name, &wanted.last_name]);
    password::check(password, &wanted.email, &names)?;
    let password_hash = Hasher::new()?.hash(password).await?;
    let (email, user_metadata) = (wanted.email.clone(), about(wanted));
    store
        .write(app::metadata(), move |tx| {
            let (email, user_metadata) = (email.clone(), user_metadata.clone());
            let password_hash = password_hash.clone();
            Box::pin(async move {
                let now: Timestamp = tx.now().await?;
                let known = users::by_email(tx.connection(), &email).await?;
                if let Some(user) = known.filter(|user| user.email_confirmed_at.is_some()) {
                    return Ok(user.user_id);
                }
                let mut user = User::new(&email, user_metadata, now);
                user.email_confirmed_at = Some(now);
                user.password_hash = Some(password_hash);
                users::replace(tx.connection(), &user).await?;
                Ok(user.user_id)
            })
        })
        .await
}

/// What the account says about the person, in the names that the site's own pages use.
fn about(wanted: &Wanted) -> Value {
    let named = [("firstName", &wanted.first_name), ("lastName", &wanted.last_name)];
    let given = named.into_iter().filter(|(_, name)| !name.is_empty());
    Value::Object(
        given
            .map(|(key, name)| (key.to_owned(), Value::from(name.as_str())))
            .collect::<Map<_, _>>(),
    )
}
