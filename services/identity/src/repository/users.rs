//! Accounts.

use eventstore::new_uuid;
use kernel::Timestamp;
use serde_json::Value;
use sqlx::{FromRow, PgConnection, PgExecutor};
use uuid::Uuid;

use crate::address::EmailAddress;

/// An account as it is stored. Personal data, so it has no `Debug`.
#[derive(Clone, FromRow)]
pub struct User {
    /// The token's `sub`.
    pub user_id: Uuid,
    /// The id of its one identity.
    pub identity_id: Uuid,
    /// In lower case.
    pub email: String,
    /// PHC string; none after the proof of an address whose account a stranger may have made.
    pub password_hash: Option<String>,
    /// What the person says about themselves.
    pub user_metadata: Value,
    /// Since when the address is known to be theirs.
    pub email_confirmed_at: Option<Timestamp>,
    /// When the last code for that was asked for.
    pub confirmation_sent_at: Option<Timestamp>,
    /// When the last code for a new password was asked for.
    pub recovery_sent_at: Option<Timestamp>,
    /// When they last proved who they are.
    pub last_sign_in_at: Option<Timestamp>,
    /// Until when the practice keeps them out.
    pub banned_until_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl User {
    /// A new account that nobody has confirmed; it is not stored yet.
    #[must_use]
    pub fn new(email: &EmailAddress, user_metadata: Value, now: Timestamp) -> Self {
        Self {
            user_id: new_uuid(),
            identity_id: new_uuid(),
            email: email.as_str().to_owned(),
            password_hash: None,
            user_metadata,
            email_confirmed_at: None,
            confirmation_sent_at: None,
            recovery_sent_at: None,
            last_sign_in_at: None,
            banned_until_at: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// Whether the practice keeps them out.
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
/// When the address has one, or when the database does not answer.
pub async fn insert(executor: impl PgExecutor<'_>, user: &User) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into users (user_id, identity_id, email, password_hash, user_metadata,
                            email_confirmed_at, confirmation_sent_at, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
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
    .execute(executor)
    .await?;
    Ok(())
}

/// Stores a new account. One of its address that nobody has confirmed is nobody's, so it goes: its
/// password may be that of somebody who waits for the owner of the address to confirm it.
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

/// Stores a new account in the place of a former one of its address. That one goes with its
/// password, its sessions and its codes; its access tokens name an id that is gone.
///
/// # Errors
/// When the address has yet another account, or when the database does not answer.
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

/// Writes back what can change of an account.
///
/// # Errors
/// When the database does not answer.
pub async fn update(executor: impl PgExecutor<'_>, user: &User) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update users
         set password_hash = $2, user_metadata = $3, email_confirmed_at = $4,
             confirmation_sent_at = $5, recovery_sent_at = $6, last_sign_in_at = $7,
             updated_at = $8
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
    .execute(executor)
    .await?;
    Ok(())
}
