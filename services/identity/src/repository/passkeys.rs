//! Passkeys of accounts.

use eventstore::new_uuid;
use kernel::Timestamp;
use sqlx::PgExecutor;
use uuid::Uuid;

use crate::tokens::webauthn::Credential;

/// A passkey as it is stored. Personal data, so it has no `Debug`.
#[derive(Clone)]
pub struct Passkey {
    /// Its id.
    pub passkey_id: Uuid,
    /// Whose it is.
    pub user_id: Uuid,
    /// The name that its owner gave it.
    pub friendly_name: String,
    /// What the authenticator returns as its owner.
    pub user_handle: Vec<u8>,
    /// The authenticator's name for it.
    pub credential_id: Vec<u8>,
    /// Its public key with the extensions that apply to it.
    pub public_key: Vec<u8>,
    /// Signature counter, user verification, backup.
    pub credential_state: Vec<u8>,
    /// How it can be reached.
    pub transports: i16,
    /// When it was last used to sign in.
    pub last_used_at: Option<Timestamp>,
    /// When it was added.
    pub created_at: Timestamp,
}

from_row!(Passkey {
    passkey_id,
    user_id,
    friendly_name,
    user_handle,
    credential_id,
    public_key,
    credential_state,
    transports,
    last_used_at,
    created_at,
});

impl Passkey {
    /// A new passkey; not yet stored.
    #[must_use]
    pub fn new(user_id: Uuid, name: &str, credential: Credential, now: Timestamp) -> Self {
        Self {
            passkey_id: new_uuid(),
            user_id,
            friendly_name: name.to_owned(),
            user_handle: user_id.as_bytes().to_vec(),
            credential_id: credential.credential_id,
            public_key: credential.public_key,
            credential_state: credential.state,
            transports: credential.transports,
            last_used_at: None,
            created_at: now,
        }
    }

    /// Its credential.
    #[must_use]
    pub fn credential(&self) -> Credential {
        Credential {
            credential_id: self.credential_id.clone(),
            public_key: self.public_key.clone(),
            state: self.credential_state.clone(),
            transports: self.transports,
        }
    }
}

/// Selects passkeys as [`Passkey`] reads them.
macro_rules! select_passkeys {
    ($rest:literal) => {
        concat!(
            "select passkey_id, user_id, friendly_name, user_handle, credential_id, public_key,
                    credential_state, transports, last_used_at, created_at
             from passkeys ",
            $rest
        )
    };
}

/// The passkeys of an account, the oldest first.
pub async fn of_user(
    executor: impl PgExecutor<'_>,
    user_id: Uuid,
) -> Result<Vec<Passkey>, sqlx::Error> {
    sqlx::query_as(select_passkeys!("where user_id = $1 order by created_at, passkey_id"))
        .bind(user_id)
        .fetch_all(executor)
        .await
}

/// The passkey with a credential of an account, locked until the transaction ends.
pub async fn lock_by_credential(
    executor: impl PgExecutor<'_>,
    user_id: Uuid,
    credential_id: &[u8],
) -> Result<Option<Passkey>, sqlx::Error> {
    sqlx::query_as(select_passkeys!("where credential_id = $2 and user_id = $1 for update"))
        .bind(user_id)
        .bind(credential_id)
        .fetch_optional(executor)
        .await
}

/// Whether a passkey or a factor has this credential, of whatever account.
pub async fn is_credential_known(
    executor: impl PgExecutor<'_>,
    credential_id: &[u8],
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar(
        "select exists (select 1 from passkeys where credential_id = $1)
             or exists (select 1 from factors where credential_id = $1)",
    )
    .bind(credential_id)
    .fetch_one(executor)
    .await
}

/// Stores a new passkey.
///
/// # Errors
/// When another one has its credential, or the database does not answer.
pub async fn insert(executor: impl PgExecutor<'_>, passkey: &Passkey) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into passkeys (passkey_id, user_id, friendly_name, user_handle, credential_id,
                               public_key, credential_state, transports, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .bind(passkey.passkey_id)
    .bind(passkey.user_id)
    .bind(&passkey.friendly_name)
    .bind(&passkey.user_handle)
    .bind(&passkey.credential_id)
    .bind(&passkey.public_key)
    .bind(&passkey.credential_state)
    .bind(passkey.transports)
    .bind(passkey.created_at)
    .execute(executor)
    .await?;
    Ok(())
}

/// Notes a sign-in by a passkey, with the credential's new state.
pub async fn note_use(
    executor: impl PgExecutor<'_>,
    passkey_id: Uuid,
    state: &[u8],
    now: Timestamp,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update passkeys set credential_state = $2, last_used_at = $3 where passkey_id = $1",
    )
    .bind(passkey_id)
    .bind(state)
    .bind(now)
    .execute(executor)
    .await?;
    Ok(())
}

/// Renames a passkey of an account, and returns it.
pub async fn rename(
    executor: impl PgExecutor<'_>,
    (user_id, passkey_id): (Uuid, Uuid),
    name: &str,
) -> Result<Option<Passkey>, sqlx::Error> {
    sqlx::query_as(
        "update passkeys set friendly_name = $3 where user_id = $1 and passkey_id = $2
         returning passkey_id, user_id, friendly_name, user_handle, credential_id, public_key,
                   credential_state, transports, last_used_at, created_at",
    )
    .bind(user_id)
    .bind(passkey_id)
    .bind(name)
    .fetch_optional(executor)
    .await
}

/// Deletes a passkey of an account. False when it has none of this id.
pub async fn delete(
    executor: impl PgExecutor<'_>,
    user_id: Uuid,
    passkey_id: Uuid,
) -> Result<bool, sqlx::Error> {
    let gone = sqlx::query("delete from passkeys where user_id = $1 and passkey_id = $2")
        .bind(user_id)
        .bind(passkey_id)
        .execute(executor)
        .await?;
    Ok(gone.rows_affected() == 1)
}

/// Deletes all passkeys of an account.
pub async fn delete_all(executor: impl PgExecutor<'_>, user_id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("delete from passkeys where user_id = $1").bind(user_id).execute(executor).await?;
    Ok(())
}

/// Whether an account has a passkey.
pub async fn exist(executor: impl PgExecutor<'_>, user_id: Uuid) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar("select exists (select 1 from passkeys where user_id = $1)")
        .bind(user_id)
        .fetch_one(executor)
        .await
}
