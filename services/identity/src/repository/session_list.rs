//! The sessions of an account, as its owner sees them.

use kernel::Timestamp;
use sqlx::PgExecutor;
use uuid::Uuid;

/// Maximum sessions that are listed; older ones are used again or end within 30 days.
const LISTED_MAX: i64 = 100;

/// A session in the list. Personal data, so it has no `Debug`.
#[derive(Clone)]
pub struct ListedSession {
    /// Its id.
    pub session_id: Uuid,
    /// The browser or program, as it names itself.
    pub user_agent: Option<String>,
    /// The network address at sign-in.
    pub network: Option<String>,
    /// `aal1` or `aal2`.
    pub aal: String,
    /// When it was opened.
    pub created_at: Timestamp,
    /// When it was last refreshed.
    pub refreshed_at: Timestamp,
}

from_row!(ListedSession { session_id, user_agent, network, aal, created_at, refreshed_at });

/// The active sessions of an account, those used last first.
pub async fn of_user(
    executor: impl PgExecutor<'_>,
    user_id: Uuid,
) -> Result<Vec<ListedSession>, sqlx::Error> {
    sqlx::query_as(
        "select session_id, user_agent, network, aal, created_at, refreshed_at from sessions
         where user_id = $1 and least(ends_at, not_after) > clock_now()
         order by refreshed_at desc, session_id limit $2",
    )
    .bind(user_id)
    .bind(LISTED_MAX)
    .fetch_all(executor)
    .await
}

/// The level of a session of an account, if it has one of this id.
pub async fn level(
    executor: impl PgExecutor<'_>,
    user_id: Uuid,
    session_id: Uuid,
) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar("select aal from sessions where user_id = $1 and session_id = $2 for update")
        .bind(user_id)
        .bind(session_id)
        .fetch_optional(executor)
        .await
}

/// Ends a session of an account. False when it has none of this id.
pub async fn end(
    executor: impl PgExecutor<'_>,
    user_id: Uuid,
    session_id: Uuid,
) -> Result<bool, sqlx::Error> {
    let gone = sqlx::query("delete from sessions where user_id = $1 and session_id = $2")
        .bind(user_id)
        .bind(session_id)
        .execute(executor)
        .await?;
    Ok(gone.rows_affected() == 1)
}
