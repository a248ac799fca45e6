//! The command `account`: makes sure that an address has a confirmed account, for those whom the
//! practice itself invites. The operator runs it and answers for the address, so no mail has to
//! confirm it. It never hands on an account that a stranger may have made. `find-account` only
//! looks.

use std::io::Write as _;

use eventstore::{Database, Retry, Store, StoreError};
use kernel::Timestamp;
use runtime::BoxError;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Map, Value};
use sqlx::PgExecutor;
use uuid::Uuid;

use crate::address::EmailAddress;
use crate::app;
use crate::config::{AccountConfig, FindAccountConfig};
use crate::hashing::{HashError, Hasher};
use crate::password::{self, Weakness};
use crate::repository::users::{self, User};

/// Who is to have an account.
#[derive(Debug, Clone)]
pub struct AccountRequest {
    /// Its address.
    pub email: EmailAddress,
    /// Its password, unless an account is kept.
    pub password: SecretString,
    /// The person's first name, or empty.
    pub first_name: String,
    /// The person's last name, or empty.
    pub last_name: String,
    /// An account that the address has already stays as it is.
    pub keep_existing: bool,
}

/// The account of the address, and how it came to be it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ensured {
    /// The address had no confirmed account.
    Created(Uuid),
    /// The address had one, which stays as it is.
    Kept(Uuid),
    /// The address had one, which is gone; this one is new.
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

/// What the operator has to know when the address had an account.
const SUPERSEDED: &str = "This address had an account already. That account is gone with its \
    password, its sessions and its codes. The new one has another id, the password of \
    ACCOUNT_PASSWORD and no role yet: give it one by `booking grant`, also if the former had one. \
    ACCOUNT_KEEP_EXISTING=true keeps an account as it is.";

/// Runs the command: prints the account's id, and on the error stream what became of an account
/// that the address had.
///
/// # Errors
/// When the password is refused, or the database does not answer.
pub async fn run(config: AccountConfig) -> Result<(), BoxError> {
    let store = Store::new(Database::new(config.database_url.expose_secret()).open()?);
    let ensured = ensure(&store, &config.account).await?;
    if matches!(ensured, Ensured::Superseded(_)) {
        writeln!(std::io::stderr(), "{SUPERSEDED}")?;
    }
    writeln!(std::io::stdout(), "{}", ensured.id())?;
    Ok(())
}

/// Runs the command that only looks: prints the id of the address's account, or nothing.
///
/// # Errors
/// When the database does not answer.
pub async fn find(config: FindAccountConfig) -> Result<(), BoxError> {
    let store = Store::new(Database::new(config.database_url.expose_secret()).open()?);
    if let Some(user) = find_confirmed(store.pool(), &config.email).await? {
        writeln!(std::io::stdout(), "{}", user.user_id)?;
    }
    Ok(())
}

/// Makes the account of the address.
///
/// An account that is there may be a stranger's: where addresses need no confirmation, everybody
/// can take one that is not theirs. So it is not handed on but superseded, under a new id: its
/// maker may hold an access token, which the other services believe until it runs out.
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
                user.email_confirmed_at = Some(now);
                user.password_hash = Some(password_hash);
                // One that comes in between is in the way of the insertion, and so is never
                // removed.
                if let Some(former) = known {
                    users::supersede(tx.connection(), former.user_id, &user).await?;
                    return Ok(Ensured::Superseded(user.user_id));
                }
                users::replace(tx.connection(), &user).await?;
                Ok(Ensured::Created(user.user_id))
            })
        })
        .await
}

/// The address's account, if it is more than a sign-up that waits for its code.
async fn find_confirmed(
    executor: impl PgExecutor<'_>,
    email: &EmailAddress,
) -> Result<Option<User>, sqlx::Error> {
    let known = users::by_email(executor, email).await?;
    Ok(known.filter(|user| user.email_confirmed_at.is_some()))
}

/// What the account says about the person, in the names that the site's own pages use.
fn user_metadata_of(request: &AccountRequest) -> Value {
    let named = [("firstName", &request.first_name), ("lastName", &request.last_name)];
    let given = named.into_iter().filter(|(_, name)| !name.is_empty());
    Value::Object(
        given
            .map(|(key, name)| (key.to_owned(), Value::from(name.as_str())))
            .collect::<Map<_, _>>(),
    )
}
