//! Codes that replace a lost factor, each usable once.

use kernel::Timestamp;
use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

/// Replaces all codes of an account.
pub async fn replace_all(
    connection: &mut PgConnection,
    user_id: Uuid,
    hashes: &[Vec<u8>],
    now: Timestamp,
) -> Result<(), sqlx::Error> {
    delete_all(&mut *connection, user_id).await?;
    sqlx::query(
        "insert into recovery_codes (user_id, code_hash, created_at)
         select $1, code_hash, $3 from unnest($2::bytea[]) as made (code_hash)",
    )
    .bind(user_id)
    .bind(hashes)
    .bind(now)
    .execute(connection)
    .await?;
    Ok(())
}

/// Deletes a code. Of concurrent attempts, one gets true.
pub async fn consume(
    executor: impl PgExecutor<'_>,
    user_id: Uuid,
    hashes: &[Vec<u8>],
) -> Result<bool, sqlx::Error> {
    let gone = sqlx::query("delete from recovery_codes where user_id = $1 and code_hash = any($2)")
        .bind(user_id)
        .bind(hashes)
        .execute(executor)
        .await?;
    Ok(gone.rows_affected() == 1)
}

/// How many codes of an account are left.
pub async fn count(executor: impl PgExecutor<'_>, user_id: Uuid) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar("select count(*) from recovery_codes where user_id = $1")
        .bind(user_id)
        .fetch_one(executor)
        .await
}

/// Deletes all codes of an account.
pub async fn delete_all(executor: impl PgExecutor<'_>, user_id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("delete from recovery_codes where user_id = $1")
        .bind(user_id)
        .execute(executor)
        .await?;
    Ok(())
}
