//! The command `account`: ensures that an address has a confirmed account, for staff whom the
//! practice invites. The operator vouches for the address, so no mail confirms it. An existing
//! account is never handed on, because a stranger may have created it. `find-account` only reads.

use std::io::Write as _;

use eventstore::{Database, Retry, Store, StoreError};
use kernel::Timestamp;
use runtime::BoxError;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Map, Value};
use sqlx::PgExecutor;
use uuid::Uuid;

use crate::accounts::address::EmailAddress;
use crate::accounts::hashing::{HashError, Hasher};
use crate::accounts::password::{self, Weakness};
use crate::app;
use crate::repository::unconfirmed;
use crate::repository::users::{self, User};

/// The account to ensure.
#[derive(Debug, Clone)]
pub struct AccountRequest {
    /// Its address.
    pub email: EmailAddress,
    /// Its password, unused if an existing account is kept.
    pub password: SecretString,
    /// The person's first name, or empty.
    pub first_name: String,
    /// The person's last name, or empty.
    pub last_name: String,
    /// Whether an existing account stays unchanged.
    pub keep_existing: bool,
}

/// The account of the address, and how it was ensured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ensured {
    /// The address had no confirmed account; this one was created.
    Created(Uuid),
    /// The address had one, which is unchanged.
    Kept(Uuid),
    /// The address had one, which was deleted; this one is new.
    Superseded(Uuid),
}

impl Ensured {
    /// The account's id.
    #[must_use]
    pub fn id(self) -> Uuid {
        match self {
            Self::Created(id) | Self::Kept(id) | Self::Superseded(id) => id,
        }
    }
}

/// Why the account could not be ensured.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    /// The password has too few or too many characters.
    #[error("ACCOUNT_PASSWORD must have 10 to 256 characters")]
    PasswordLength,
    /// The password is common.
    #[error("ACCOUNT_PASSWORD is easy to guess; choose a different one")]
    PasswordCommon,
    /// The password could not be hashed.
    #[error(transparent)]
    Hash(#[from] HashError),
    /// The database failed.
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

/// The operator's notice when an existing account was replaced.
const SUPERSEDED: &str = "This address had an account already. That account is gone with its \
    password, its sessions and its codes. The new one has another id, the password of \
    ACCOUNT_PASSWORD and no role yet: give it one by `booking grant`, also if the former had one. \
    ACCOUNT_KEEP_EXISTING=true keeps an account as it is.";

/// Runs `account`: prints the account's id to standard output and, if an existing account was
/// replaced, a notice to standard error.
///
/// # Errors
/// When the password is refused, or the database does not answer.
pub async fn run(database_url: SecretString, request: AccountRequest) -> Result<(), BoxError> {
    let store = Store::new(Database::new(database_url.expose_secret()).open()?);
    let ensured = ensure(&store, &request).await?;
    if matches!(ensured, Ensured::Superseded(_)) {
        writeln!(std::io::stderr(), "{SUPERSEDED}")?;
    }
    writeln!(std::io::stdout(), "{}", ensured.id())?;
    Ok(())
}

/// Runs `find-account`: prints the id of the address's account, or nothing.
pub async fn find(database_url: SecretString, email: EmailAddress) -> Result<(), BoxError> {
    let store = Store::new(Database::new(database_url.expose_secret()).open()?);
    if let Some(user) = find_confirmed(store.pool(), &email).await? {
        writeln!(std::io::stdout(), "{}", user.user_id)?;
    }
    Ok(())
}

/// Ensures the account of the address.
///
/// An existing account may be a stranger's: without confirmation, anyone can register any address.
/// So it is replaced by a new account with another id: its creator may hold an access token, which
/// other services accept until it expires.
///
/// # Errors
/// When the password is refused, or the database does not answer.
pub async fn ensure(store: &Store, request: &AccountRequest) -> Result<Ensured, AccountError> {
    let keep = request.keep_existing;
    let known = find_confirmed(store.pool(), &request.email).await?;
    if let (true, Some(user)) = (keep, known) {
        return Ok(Ensured::Kept(user.user_id));
    }
    let (password, names) =
        (request.password.expose_secret(), [&*request.first_name, &request.last_name]);
    password::check(password, &request.email, &names)?;
    let password_hash = Hasher::new()?.hash(password).await?;
    let (email, user_metadata) = (request.email.clone(), user_metadata_of(request));
    store
        .write(app::metadata(), move |tx| {
            let (email, user_metadata) = (email.clone(), user_metadata.clone());
            let password_hash = password_hash.clone();
            Box::pin(async move {
                let now: Timestamp = tx.now().await?;
                let known = find_confirmed(tx.connection(), &email).await?;
                if let (true, Some(user)) = (keep, &known) {
                    return Ok(Ensured::Kept(user.user_id));
                }
                let mut user = User::new(&email, user_metadata, now);
                user.prove_address(now);
                user.password_hash = Some(password_hash);
                // An account that is inserted concurrently violates the unique address, so it is
                // never deleted by mistake.
                if let Some(former) = known {
                    users::supersede(tx.connection(), former.user_id, &user).await?;
                    return Ok(Ensured::Superseded(user.user_id));
                }
                unconfirmed::replace(tx.connection(), &user).await?;
                Ok(Ensured::Created(user.user_id))
            })
        })
        .await
}

/// The address's account, if it is confirmed.
async fn find_confirmed(
    executor: impl PgExecutor<'_>,
    email: &EmailAddress,
) -> Result<Option<User>, sqlx::Error> {
    let known = users::by_email(executor, email).await?;
    Ok(known.filter(|user| user.email_confirmed_at.is_some()))
}

/// The user metadata, with the keys of the site's own pages.
fn user_metadata_of(request: &AccountRequest) -> Value {
    let named = [("firstName", &request.first_name), ("lastName", &request.last_name)];
    let given = named.into_iter().filter(|(_, name)| !name.is_empty());
    Value::Object(
        given
            .map(|(key, name)| (key.to_owned(), Value::from(name.as_str())))
            .collect::<Map<_, _>>(),
    )
}
