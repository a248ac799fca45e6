//! Lists of accounts for administrators, newest first.

use sqlx::PgExecutor;
use uuid::Uuid;

/// The ids of a page of accounts, newest first. They are read from the index alone, so a late page
/// costs little more than an early one.
pub async fn ids(
    executor: impl PgExecutor<'_>,
    search: &str,
    (offset, limit): (i64, i64),
) -> Result<Vec<Uuid>, sqlx::Error> {
    if search.is_empty() {
        return sqlx::query_scalar(
            "select user_id from users order by created_at desc, user_id desc offset $1 limit $2",
        )
        .bind(offset)
        .bind(limit)
        .fetch_all(executor)
        .await;
    }
    sqlx::query_scalar(
        "select user_id from users
         where email ilike $3 or user_metadata->>'full_name' ilike $3
         order by created_at desc, user_id desc offset $1 limit $2",
    )
    .bind(offset)
    .bind(limit)
    .bind(super::pattern_of(search))
    .fetch_all(executor)
    .await
}

/// How many accounts there are.
pub async fn count(executor: impl PgExecutor<'_>, search: &str) -> Result<i64, sqlx::Error> {
    if search.is_empty() {
        return sqlx::query_scalar("select count(*) from users").fetch_one(executor).await;
    }
    sqlx::query_scalar(
        "select count(*) from users
         where email ilike $1 or user_metadata->>'full_name' ilike $1",
    )
    .bind(super::pattern_of(search))
    .fetch_one(executor)
    .await
}
