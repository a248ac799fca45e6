//! The command `enroll-factor`: an authenticator app for the account of a person whom the operator
//! vouches for, who has the secret in hand. An account that has a second step already, or another
//! password than the operator's, belongs to its person and stays as it is.

use std::io::Write as _;

use data_encoding::BASE32_NOPAD;
use eventstore::audit::{Act, Actor, DONE};
use eventstore::{Database, Retry, Store, StoreError};
use kernel::Id;
use kernel::id::Customer;
use runtime::BoxError;
use secrecy::{ExposeSecret as _, SecretString};

use crate::accounts::address::EmailAddress;
use crate::accounts::hashing::{HashError, Hasher};
use crate::app;
use crate::repository::factors::{self, Factor, TOTP};
use crate::repository::notices::{self, NewNotice, NoticeKind};
use crate::repository::sessions::Device;
use crate::repository::{passkeys, users};
use crate::tokens::sealing::{SealError, Sealer};
use crate::tokens::secrets::CodeKey;

/// The name that the account page shows.
const NAME: &str = "set up by the practice";
/// Fewest bytes of a secret, as RFC 4226 requires.
const SECRET_BYTES_MIN: usize = 16;

/// The app to enroll.
#[derive(Debug, Clone)]
pub struct EnrolmentRequest {
    /// The account's address.
    pub email: EmailAddress,
    /// The password that the operator gave it.
    pub password: SecretString,
    /// The app's secret, as apps show it.
    pub secret: SecretString,
    /// The key with which secrets are sealed.
    pub code_key: SecretString,
}

kernel::words! {
    /// What it came to.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Enrolled {
        /// The account has the app now.
        Done = "enrolled",
        /// It has a second step already.
        HasFactor = "has-factor",
        /// Its password is another one.
        OtherPassword = "other-password",
    }
}

/// Why it could not be done.
#[derive(Debug, thiserror::Error)]
pub enum EnrolmentError {
    /// The address has no account.
    #[error("ACCOUNT_EMAIL has no account")]
    NoAccount,
    /// The secret cannot be an app's.
    #[error("ACCOUNT_TOTP_SECRET is not the secret of an authenticator app")]
    Secret,
    /// The password could not be compared.
    #[error(transparent)]
    Hash(#[from] HashError),
    /// The secret could not be sealed.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for EnrolmentError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

impl Retry for EnrolmentError {
    fn is_conflict(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_conflict())
    }
}

/// Runs the command: prints [`Enrolled::word`].
///
/// # Errors
/// When the address has no account, a key or the secret cannot be used, or the database does not
/// answer.
pub async fn run(database_url: SecretString, request: EnrolmentRequest) -> Result<(), BoxError> {
    let store = Store::new(Database::new(database_url.expose_secret()).open()?);
    let sealer = Sealer::new(&CodeKey::new(&request.code_key)?.sealing_key())?;
    let enrolled = enroll(&store, &sealer, &request).await?;
    writeln!(std::io::stdout(), "{}", enrolled.word())?;
    Ok(())
}

/// Gives the account the app, verified: the operator has its secret.
///
/// # Errors
/// When the address has no account, the secret cannot be used, or the database does not answer.
pub async fn enroll(
    store: &Store,
    sealer: &Sealer,
    request: &EnrolmentRequest,
) -> Result<Enrolled, EnrolmentError> {
    let secret = BASE32_NOPAD.decode(request.secret.expose_secret().as_bytes());
    let secret = secret.ok().filter(|secret| secret.len() >= SECRET_BYTES_MIN);
    let secret = secret.ok_or(EnrolmentError::Secret)?;
    let known = users::by_email(store.pool(), &request.email).await?;
    let known = known.ok_or(EnrolmentError::NoAccount)?;
    if known.has_verified_factor() || passkeys::exist(store.pool(), known.user_id).await? {
        return Ok(Enrolled::HasFactor);
    }
    let password = request.password.expose_secret();
    if !Hasher::new()?.verify(password, known.password_hash.as_deref()).await? {
        return Ok(Enrolled::OtherPassword);
    }
    let mut factor = Factor::new(known.user_id, TOTP, NAME, known.created_at);
    factor.secret_sealed = Some(sealer.seal(factor.factor_id, &secret)?);
    store
        .write(app::metadata(), move |tx| {
            let (known, mut factor) = (known.clone(), factor.clone());
            Box::pin(async move {
                let user_id = known.user_id;
                let user = users::lock_by_id(tx.connection(), user_id).await?;
                let user = user.ok_or(EnrolmentError::NoAccount)?;
                if user.password_hash != known.password_hash {
                    return Ok(Enrolled::OtherPassword);
                }
                if user.has_verified_factor() || passkeys::exist(tx.connection(), user_id).await? {
                    return Ok(Enrolled::HasFactor);
                }
                let now = tx.now().await?;
                factor.created_at = now;
                factor.verify(now);
                factors::insert(tx.connection(), &factor).await?;
                factors::update(tx.connection(), &factor).await?;
                // An account that was never signed in to has no person to tell.
                if user.last_sign_in_at.is_some() {
                    let notice = NewNotice {
                        user_id,
                        kind: NoticeKind::FactorAdded,
                        sent_to: None,
                        device: &Device::default(),
                        subject: factor.words(),
                    };
                    notices::tell(tx, notice, now).await?;
                }
                let subject = Id::<Customer>::from_uuid(user_id).to_string();
                let act = Act { action: "EnrollFactor", subject: &subject };
                tx.audit_as(&Actor::sharing("operator"), act, DONE).await?;
                Ok(Enrolled::Done)
            })
        })
        .await
}
