//! Mailed codes: one per account and purpose, the newest.

use contract::identity::v1::CodeRequested;
use eventstore::{NewEvent, StoreError, Tx, new_id};
use kernel::id::{Customer, MailedCode};
use kernel::{Id, Timestamp};
use sqlx::{FromRow, PgExecutor};
use uuid::Uuid;

/// How long a code is valid.
pub const VALID_MINUTES: i32 = 10;
/// Wrong attempts after which a code is deleted.
const WRONG_ATTEMPTS_MAX: i32 = 5;

/// What a code is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To confirm the address of a new account.
    Signup,
    /// To set a new password.
    Recovery,
}

impl Purpose {
    /// Its value in rows, events and links.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Signup => "signup",
            Self::Recovery => "recovery",
        }
    }
}

/// A valid code.
#[derive(Debug, Clone, FromRow)]
pub struct Code {
    /// Its id, from which its digits are derived.
    pub code_id: Uuid,
    /// Whose it is.
    pub user_id: Uuid,
    /// `signup` or `recovery`.
    pub purpose: String,
    /// The redirect of the link.
    pub redirect_to: Option<String>,
}

/// Issues a code, which replaces an older one, and appends the event for its mail. A code without a
/// redirect takes over the redirect of the one that it replaces.
///
/// # Errors
/// When the database does not answer.
pub async fn issue(
    tx: &mut Tx,
    user_id: Uuid,
    purpose: Purpose,
    redirect_to: Option<&str>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let code_id = new_id::<MailedCode>();
    sqlx::query(
        "insert into codes as old (code_id, user_id, purpose, redirect_to, created_at, expires_at)
         values ($1, $2, $3, $4, $5, $6)
         on conflict (user_id, purpose) do update
         set code_id = excluded.code_id, wrong_tries = 0,
             redirect_to = coalesce(excluded.redirect_to, old.redirect_to),
             created_at = excluded.created_at, expires_at = excluded.expires_at",
    )
    .bind(code_id)
    .bind(user_id)
    .bind(purpose.word())
    .bind(redirect_to)
    .bind(now)
    .bind(now.plus_minutes(i64::from(VALID_MINUTES)))
    .execute(tx.connection())
    .await?;
    let event = CodeRequested {
        code_id: code_id.to_string(),
        user_id: Id::<Customer>::from_uuid(user_id).to_string(),
        purpose: purpose.word().to_owned(),
    };
    tx.append(&code_id.to_string(), 0, &[NewEvent::of(&event)?]).await?;
    Ok(())
}

/// The valid code of an account for a purpose, locked until the transaction ends.
///
/// # Errors
/// When the database does not answer.
pub async fn of_user(
    tx: &mut Tx,
    user_id: Uuid,
    purpose: Purpose,
    now: Timestamp,
) -> Result<Option<Code>, sqlx::Error> {
    sqlx::query_as(
        "select code_id, user_id, purpose, redirect_to from codes
         where user_id = $1 and purpose = $2 and expires_at > $3 for update",
    )
    .bind(user_id)
    .bind(purpose.word())
    .bind(now)
    .fetch_optional(tx.connection())
    .await
}

/// The valid code with an id.
///
/// # Errors
/// When the database does not answer.
pub async fn by_id(
    executor: impl PgExecutor<'_>,
    code_id: Uuid,
) -> Result<Option<Code>, sqlx::Error> {
    sqlx::query_as(
        "select code_id, user_id, purpose, redirect_to from codes
         where code_id = $1 and expires_at > clock_now()",
    )
    .bind(code_id)
    .fetch_optional(executor)
    .await
}

/// Deletes a code. Of concurrent attempts, one gets true.
///
/// # Errors
/// When the database does not answer.
pub async fn consume(tx: &mut Tx, code_id: Uuid) -> Result<bool, sqlx::Error> {
    let gone = sqlx::query("delete from codes where code_id = $1")
        .bind(code_id)
        .execute(tx.connection())
        .await?;
    Ok(gone.rows_affected() == 1)
}

/// Counts a wrong attempt, and deletes the code at the last one.
///
/// # Errors
/// When the database does not answer.
pub async fn count_wrong_attempt(tx: &mut Tx, code_id: Uuid) -> Result<(), sqlx::Error> {
    let attempts: i32 = sqlx::query_scalar(
        "update codes set wrong_tries = wrong_tries + 1 where code_id = $1 returning wrong_tries",
    )
    .bind(code_id)
    .fetch_one(tx.connection())
    .await?;
    if attempts >= WRONG_ATTEMPTS_MAX {
        consume(tx, code_id).await?;
    }
    Ok(())
}

/// Deletes all codes of an account.
///
/// # Errors
/// When the database does not answer.
pub async fn delete_all(executor: impl PgExecutor<'_>, user_id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("delete from codes where user_id = $1").bind(user_id).execute(executor).await?;
    Ok(())
}
