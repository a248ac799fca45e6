//! Rows of accounts.

use eventstore::new_uuid;
use kernel::Timestamp;
use serde_json::Value;
use sqlx::{FromRow, PgConnection, PgExecutor};
use uuid::Uuid;

use crate::accounts::address::EmailAddress;

/// An account as it is stored. Personal data, so it has no `Debug`.
#[derive(Clone, FromRow)]
pub struct User {
    /// The account's id; `sub` in tokens.
    pub user_id: Uuid,
    /// The id of its one identity.
    pub identity_id: Uuid,
    /// In lower case.
    pub email: String,
    /// PHC string; none when the address was proved by another client than the one that signed up.
    pub password_hash: Option<String>,
    /// The user metadata, set by the user.
    pub user_metadata: Value,
    /// When the address was confirmed, by a code or because the practice asks for none.
    pub email_confirmed_at: Option<Timestamp>,
    /// When the address was proved: by a mailed code, or by the operator's word.
    pub email_proved_at: Option<Timestamp>,
    /// When the last code to confirm it was requested.
    pub confirmation_sent_at: Option<Timestamp>,
    /// When the last recovery code was requested.
    pub recovery_sent_at: Option<Timestamp>,
    /// When the user last authenticated.
    pub last_sign_in_at: Option<Timestamp>,
    /// Until when the user is banned.
    pub banned_until_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl User {
    /// A new, unconfirmed account; not yet stored.
    #[must_use]
    pub fn new(email: &EmailAddress, user_metadata: Value, now: Timestamp) -> Self {
        Self {
            user_id: new_uuid(),
            identity_id: new_uuid(),
            email: email.as_str().to_owned(),
            password_hash: None,
            user_metadata,
            email_confirmed_at: None,
            email_proved_at: None,
            confirmation_sent_at: None,
            recovery_sent_at: None,
            last_sign_in_at: None,
            banned_until_at: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// Whether the user is banned.
    #[must_use]
    pub fn is_banned(&self, now: Timestamp) -> bool {
        self.banned_until_at.is_some_and(|until| until > now)
    }
}

/// The account of an address.
///
/// # Errors
/// When the database does not answer.
pub async fn by_email(
    executor: impl PgExecutor<'_>,
    email: &EmailAddress,
) -> Result<Option<User>, sqlx::Error> {
    sqlx::query_as("select * from users where email = $1")
        .bind(email.as_str())
        .fetch_optional(executor)
        .await
}

/// The account with an id.
///
/// # Errors
/// When the database does not answer.
pub async fn by_id(
    executor: impl PgExecutor<'_>,
    user_id: Uuid,
) -> Result<Option<User>, sqlx::Error> {
    sqlx::query_as("select * from users where user_id = $1")
        .bind(user_id)
        .fetch_optional(executor)
        .await
}

/// The account with an id, locked until the transaction ends.
///
/// # Errors
/// When the database does not answer.
pub async fn lock_by_id(
    executor: impl PgExecutor<'_>,
    user_id: Uuid,
) -> Result<Option<User>, sqlx::Error> {
    sqlx::query_as("select * from users where user_id = $1 for update")
        .bind(user_id)
        .fetch_optional(executor)
        .await
}

/// Stores a new account.
///
/// # Errors
/// When the address already has an account, or the database does not answer.
pub async fn insert(executor: impl PgExecutor<'_>, user: &User) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into users (user_id, identity_id, email, password_hash, user_metadata,
                            email_confirmed_at, confirmation_sent_at, created_at, updated_at,
                            email_proved_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    )
    .bind(user.user_id)
    .bind(user.identity_id)
    .bind(&user.email)
    .bind(&user.password_hash)
    .bind(&user.user_metadata)
    .bind(user.email_confirmed_at)
    .bind(user.confirmation_sent_at)
    .bind(user.created_at)
    .bind(user.updated_at)
    .bind(user.email_proved_at)
    .execute(executor)
    .await?;
    Ok(())
}

/// Stores a new account and deletes an unconfirmed one of its address: its password may be a
/// stranger's, who waits for the owner to confirm the address.
///
/// # Errors
/// When the address has a confirmed account, or when the database does not answer.
pub async fn replace(connection: &mut PgConnection, user: &User) -> Result<(), sqlx::Error> {
    sqlx::query("delete from users where email = $1 and email_confirmed_at is null")
        .bind(&user.email)
        .execute(&mut *connection)
        .await?;
    insert(connection, user).await
}

/// Replaces a former account of the address by a new one. Password, sessions and codes of the
/// former are deleted; its access tokens name an id that does not exist any more.
///
/// # Errors
/// When the address has another account, or the database does not answer.
pub async fn supersede(
    connection: &mut PgConnection,
    former: Uuid,
    user: &User,
) -> Result<(), sqlx::Error> {
    sqlx::query("delete from users where user_id = $1")
        .bind(former)
        .execute(&mut *connection)
        .await?;
    insert(connection, user).await
}

/// Updates the mutable columns of an account.
///
/// # Errors
/// When the database does not answer.
pub async fn update(executor: impl PgExecutor<'_>, user: &User) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update users
         set password_hash = $2, user_metadata = $3, email_confirmed_at = $4,
             confirmation_sent_at = $5, recovery_sent_at = $6, last_sign_in_at = $7,
             updated_at = $8, email_proved_at = $9
         where user_id = $1",
    )
    .bind(user.user_id)
    .bind(&user.password_hash)
    .bind(&user.user_metadata)
    .bind(user.email_confirmed_at)
    .bind(user.confirmation_sent_at)
    .bind(user.recovery_sent_at)
    .bind(user.last_sign_in_at)
    .bind(user.updated_at)
    .bind(user.email_proved_at)
    .execute(executor)
    .await?;
    Ok(())
}
