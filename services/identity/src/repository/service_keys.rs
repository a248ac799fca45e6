//! Keys of programs that administer accounts. The token is stored nowhere; its row can end it.

use eventstore::new_uuid;
use kernel::Timestamp;
use sqlx::PgExecutor;
use uuid::Uuid;

/// A key that works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceKey {
    /// Its id, which its token names.
    pub key_id: Uuid,
    /// The name that the operator gave it.
    pub name: String,
}

from_row!(ServiceKey { key_id, name });

/// Stores a new key and returns its id.
pub async fn insert(
    executor: impl PgExecutor<'_>,
    name: &str,
    (now, expires_at): (Timestamp, Timestamp),
) -> Result<Uuid, sqlx::Error> {
    let key_id = new_uuid();
    sqlx::query(
        "insert into service_keys (key_id, name, created_at, expires_at) values ($1, $2, $3, $4)",
    )
    .bind(key_id)
    .bind(name)
    .bind(now)
    .bind(expires_at)
    .execute(executor)
    .await?;
    Ok(key_id)
}

/// The key with an id, if it works now.
pub async fn active(
    executor: impl PgExecutor<'_>,
    key_id: Uuid,
) -> Result<Option<ServiceKey>, sqlx::Error> {
    sqlx::query_as(
        "select key_id, name from service_keys
         where key_id = $1 and revoked_at is null and expires_at > clock_now()",
    )
    .bind(key_id)
    .fetch_optional(executor)
    .await
}

/// Ends all keys with a name and returns how many worked before.
pub async fn revoke(executor: impl PgExecutor<'_>, name: &str) -> Result<u64, sqlx::Error> {
    let ended = sqlx::query(
        "update service_keys set revoked_at = clock_now()
         where name = $1 and revoked_at is null and expires_at > clock_now()",
    )
    .bind(name)
    .execute(executor)
    .await?;
    Ok(ended.rows_affected())
}
