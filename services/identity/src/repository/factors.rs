//! Second factors of accounts.

use eventstore::new_uuid;
use kernel::Timestamp;
use serde::{Deserialize, Serialize};
use sqlx::PgExecutor;
use uuid::Uuid;

use crate::tokens::webauthn::Credential;

/// How long a factor may stay unverified after its last challenge.
const UNVERIFIED_SECONDS: i64 = 300;
/// The type of authenticator apps.
pub const TOTP: &str = "totp";
/// The type of codes by message.
pub const PHONE: &str = "phone";
/// The type of security keys.
pub const WEBAUTHN: &str = "webauthn";
const VERIFIED: &str = "verified";

/// A factor as it is stored. Personal data, so it has no `Debug`.
#[derive(Clone)]
pub struct Factor {
    /// Its id.
    pub factor_id: Uuid,
    /// Whose it is.
    pub user_id: Uuid,
    /// The name that its owner gave it; may be empty.
    pub friendly_name: String,
    /// `totp`, `phone` or `webauthn`.
    pub factor_type: String,
    /// `unverified` or `verified`.
    pub status: String,
    /// The sealed secret of an authenticator app.
    pub secret_sealed: Option<Vec<u8>>,
    /// Digits only, without the plus sign.
    pub phone: Option<String>,
    /// The credential of a security key: its id, key and state.
    pub credential_id: Option<Vec<u8>>,
    /// See `credential_id`.
    pub public_key: Option<Vec<u8>>,
    /// See `credential_id`.
    pub credential_state: Option<Vec<u8>>,
    /// How the security key can be reached.
    pub transports: i16,
    /// The time step of the last accepted code.
    pub last_totp_step: Option<i64>,
    /// When it was last challenged.
    pub last_challenged_at: Option<Timestamp>,
    /// When it was enrolled.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

from_row!(Factor {
    factor_id,
    user_id,
    friendly_name,
    factor_type,
    status,
    secret_sealed,
    phone,
    credential_id,
    public_key,
    credential_state,
    transports,
    last_totp_step,
    last_challenged_at,
    created_at,
    updated_at,
});

/// What the contract tells of a factor. Personal data, so it has no `Debug`.
#[derive(Clone, Serialize, Deserialize)]
pub struct FactorSummary {
    /// Its id.
    pub factor_id: Uuid,
    /// The name that its owner gave it; may be empty.
    pub friendly_name: String,
    /// `totp`, `phone` or `webauthn`.
    pub factor_type: String,
    /// `unverified` or `verified`.
    pub status: String,
    /// Digits only, without the plus sign.
    pub phone: Option<String>,
    /// When it was last challenged.
    pub last_challenged_at: Option<Timestamp>,
    /// When it was enrolled.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl FactorSummary {
    /// Whether its owner has proved to have it.
    #[must_use]
    pub fn is_verified(&self) -> bool {
        self.status == VERIFIED
    }
}

impl Factor {
    /// A new factor, not yet verified or stored.
    #[must_use]
    pub fn new(user_id: Uuid, factor_type: &str, friendly_name: &str, now: Timestamp) -> Self {
        Self {
            factor_id: new_uuid(),
            user_id,
            friendly_name: friendly_name.to_owned(),
            factor_type: factor_type.to_owned(),
            status: "unverified".to_owned(),
            secret_sealed: None,
            phone: None,
            credential_id: None,
            public_key: None,
            credential_state: None,
            transports: 0,
            last_totp_step: None,
            last_challenged_at: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// Whether its owner has proved to have it.
    #[must_use]
    pub fn is_verified(&self) -> bool {
        self.status == VERIFIED
    }

    /// Notes that its owner has proved to have it. True the first time.
    pub fn verify(&mut self, now: Timestamp) -> bool {
        let is_new = !self.is_verified();
        if is_new {
            self.status = VERIFIED.to_owned();
            self.updated_at = now;
        }
        is_new
    }

    /// The credential of a verified security key.
    #[must_use]
    pub fn credential(&self) -> Option<Credential> {
        Some(Credential {
            credential_id: self.credential_id.clone()?,
            public_key: self.public_key.clone()?,
            state: self.credential_state.clone()?,
            transports: self.transports,
        })
    }

    /// Sets the credential of a security key.
    pub fn set_credential(&mut self, credential: Credential) {
        self.credential_id = Some(credential.credential_id);
        self.public_key = Some(credential.public_key);
        self.credential_state = Some(credential.state);
        self.transports = credential.transports;
    }

    /// What it is, for its owner. Not its name: a stranger may have typed that.
    #[must_use]
    pub fn words(&self) -> &'static str {
        match self.factor_type.as_str() {
            TOTP => "authenticator app",
            PHONE => "phone",
            _ => "security key",
        }
    }
}

/// Selects factors as [`Factor`] reads them.
macro_rules! select_factors {
    ($rest:literal) => {
        concat!(
            "select factor_id, user_id, friendly_name, factor_type, status, secret_sealed, phone,
                    credential_id, public_key, credential_state, transports, last_totp_step,
                    last_challenged_at, created_at, updated_at
             from factors ",
            $rest
        )
    };
}

/// The factors of an account, the oldest first.
pub async fn of_user(
    executor: impl PgExecutor<'_>,
    user_id: Uuid,
) -> Result<Vec<Factor>, sqlx::Error> {
    sqlx::query_as(select_factors!("where user_id = $1 order by created_at, factor_id"))
        .bind(user_id)
        .fetch_all(executor)
        .await
}

/// A factor of an account.
pub async fn find(
    executor: impl PgExecutor<'_>,
    user_id: Uuid,
    factor_id: Uuid,
) -> Result<Option<Factor>, sqlx::Error> {
    sqlx::query_as(select_factors!("where user_id = $1 and factor_id = $2"))
        .bind(user_id)
        .bind(factor_id)
        .fetch_optional(executor)
        .await
}

/// A factor of an account, locked until the transaction ends.
pub async fn lock(
    executor: impl PgExecutor<'_>,
    user_id: Uuid,
    factor_id: Uuid,
) -> Result<Option<Factor>, sqlx::Error> {
    sqlx::query_as(select_factors!("where user_id = $1 and factor_id = $2 for update"))
        .bind(user_id)
        .bind(factor_id)
        .fetch_optional(executor)
        .await
}

/// Stores a new factor.
///
/// # Errors
/// When the account has one of this name, or the database does not answer.
pub async fn insert(executor: impl PgExecutor<'_>, factor: &Factor) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into factors (factor_id, user_id, friendly_name, factor_type, secret_sealed, phone,
                              created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(factor.factor_id)
    .bind(factor.user_id)
    .bind(&factor.friendly_name)
    .bind(&factor.factor_type)
    .bind(&factor.secret_sealed)
    .bind(&factor.phone)
    .bind(factor.created_at)
    .bind(factor.updated_at)
    .execute(executor)
    .await?;
    Ok(())
}

/// Updates the mutable columns of a factor.
///
/// # Errors
/// When another factor has its credential or its name, or the database does not answer.
pub async fn update(executor: impl PgExecutor<'_>, factor: &Factor) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update factors
         set friendly_name = $2, status = $3, phone = $4, credential_id = $5, public_key = $6,
             credential_state = $7, transports = $8, last_totp_step = $9, last_challenged_at = $10,
             updated_at = $11, secret_sealed = $12
         where factor_id = $1",
    )
    .bind(factor.factor_id)
    .bind(&factor.friendly_name)
    .bind(&factor.status)
    .bind(&factor.phone)
    .bind(&factor.credential_id)
    .bind(&factor.public_key)
    .bind(&factor.credential_state)
    .bind(factor.transports)
    .bind(factor.last_totp_step)
    .bind(factor.last_challenged_at)
    .bind(factor.updated_at)
    .bind(&factor.secret_sealed)
    .execute(executor)
    .await?;
    Ok(())
}

/// The sealed secrets of factors, by id after this one.
pub async fn sealed_after(
    executor: impl PgExecutor<'_>,
    after: Uuid,
    max: i64,
) -> Result<Vec<(Uuid, Vec<u8>)>, sqlx::Error> {
    sqlx::query_as(
        "select factor_id, secret_sealed from factors
         where factor_id > $1 and secret_sealed is not null order by factor_id limit $2",
    )
    .bind(after)
    .bind(max)
    .fetch_all(executor)
    .await
}

/// Replaces a sealed secret, unless it was replaced meanwhile.
pub async fn reseal(
    executor: impl PgExecutor<'_>,
    factor_id: Uuid,
    (before, again): (&[u8], &[u8]),
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update factors set secret_sealed = $3 where factor_id = $1 and secret_sealed = $2",
    )
    .bind(factor_id)
    .bind(before)
    .bind(again)
    .execute(executor)
    .await?;
    Ok(())
}

/// Deletes a factor.
pub async fn delete(executor: impl PgExecutor<'_>, factor_id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("delete from factors where factor_id = $1")
        .bind(factor_id)
        .execute(executor)
        .await?;
    Ok(())
}

/// Deletes all factors of an account.
pub async fn delete_all(executor: impl PgExecutor<'_>, user_id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("delete from factors where user_id = $1").bind(user_id).execute(executor).await?;
    Ok(())
}

/// Deletes the unverified factors of a type.
pub async fn delete_unverified(
    executor: impl PgExecutor<'_>,
    user_id: Uuid,
    factor_type: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "delete from factors where user_id = $1 and status = 'unverified' and factor_type = $2",
    )
    .bind(user_id)
    .bind(factor_type)
    .execute(executor)
    .await?;
    Ok(())
}

/// Deletes unverified factors of an account whose enrolment was given up.
pub async fn delete_abandoned(
    executor: impl PgExecutor<'_>,
    user_id: Uuid,
    now: Timestamp,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "delete from factors
         where user_id = $1 and status = 'unverified'
           and greatest(created_at, last_challenged_at) <= $2",
    )
    .bind(user_id)
    .bind(now.plus_seconds(-UNVERIFIED_SECONDS))
    .execute(executor)
    .await?;
    Ok(())
}
