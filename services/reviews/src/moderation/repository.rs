//! The rows of grants, and of failed attempts to unlock the panel.

use eventstore::{Actor, StoreError, Tx};
use kernel::Timestamp;
use sqlx::{PgExecutor, Row as _};
use staff::Role;

use crate::moderation::grant::{
    GrantHash, IDLE_SECONDS, LIFETIME_SECONDS, PASSPHRASE, StoredGrant,
};

/// How long a row is kept, so that its browser is answered that the grant has ended.
const RETENTION_SECONDS: i64 = 24 * 3600;

/// Inserts a grant that was unlocked and used at `now`.
pub async fn insert_grant(
    tx: &mut Tx,
    (hash, actor): (GrantHash, &Actor),
    passphrase: Option<[u8; 32]>,
    now: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query(
        "insert into moderation_grants
             (grant_sha256, actor, role, passphrase_sha256, unlocked_at, used_at)
         values ($1, $2, $3, $4, $5, $5)",
    )
    .bind(hash.bytes())
    .bind(actor.name())
    .bind(actor.role())
    .bind(passphrase)
    .bind(now)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Looks a grant up without renewing it; `None` when it does not exist or was deleted.
pub async fn find_grant(
    executor: impl PgExecutor<'_>,
    hash: GrantHash,
) -> Result<Option<StoredGrant>, StoreError> {
    let row = sqlx::query(
        "select actor, passphrase_sha256, ended_at is null
                and clock_now() < used_at + $2::bigint * interval '1 second'
                and clock_now() < unlocked_at + $3::bigint * interval '1 second' as live
         from moderation_grants where grant_sha256 = $1",
    )
    .bind(hash.bytes())
    .bind(IDLE_SECONDS)
    .bind(LIFETIME_SECONDS)
    .fetch_optional(executor)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let actor: String = row.try_get("actor")?;
    Ok(Some(StoredGrant {
        account: actor.parse().ok(),
        passphrase: row.try_get("passphrase_sha256")?,
        live: row.try_get("live")?,
    }))
}

/// Renews a grant's idle time. False when it has ended. Waits for a concurrent revocation.
pub async fn renew_grant(
    executor: impl PgExecutor<'_>,
    hash: GrantHash,
) -> Result<bool, StoreError> {
    let renewed = sqlx::query(
        "update moderation_grants set used_at = clock_now()
         where grant_sha256 = $1 and ended_at is null
           and clock_now() < used_at + $2::bigint * interval '1 second'
           and clock_now() < unlocked_at + $3::bigint * interval '1 second'",
    )
    .bind(hash.bytes())
    .bind(IDLE_SECONDS)
    .bind(LIFETIME_SECONDS)
    .execute(executor)
    .await?;
    Ok(renewed.rows_affected() > 0)
}

/// Revokes a grant. Returns its holder, or `None` if it was revoked before.
pub async fn revoke_grant(
    executor: impl PgExecutor<'_>,
    hash: GrantHash,
) -> Result<Option<Actor>, StoreError> {
    let row = sqlx::query(
        "update moderation_grants set ended_at = clock_now()
         where grant_sha256 = $1 and ended_at is null
         returning actor, role",
    )
    .bind(hash.bytes())
    .fetch_optional(executor)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let (actor, role): (String, String) = (row.try_get("actor")?, row.try_get("role")?);
    let account = |id| Actor::account(id, Role::from_word(&role));
    Ok(Some(actor.parse().map_or_else(|_no_account| Actor::sharing(PASSPHRASE), account)))
}

/// Deletes grants past their retention; returns how many.
pub async fn delete_expired_grants(tx: &mut Tx) -> Result<u64, StoreError> {
    let now = tx.now().await?;
    let forgotten = sqlx::query("delete from moderation_grants where unlocked_at < $1")
        .bind(now.plus_seconds(-RETENTION_SECONDS))
        .execute(tx.connection())
        .await?;
    Ok(forgotten.rows_affected())
}

/// The failures of a key, and until when it is blocked.
pub async fn failures_of(tx: &mut Tx, key: &str) -> Result<(i32, Option<Timestamp>), StoreError> {
    let row =
        sqlx::query("select failures, blocked_until_at from moderation_tries where tried_by = $1")
            .bind(key)
            .fetch_optional(tx.connection())
            .await?;
    let Some(row) = row else { return Ok((0, None)) };
    Ok((row.try_get("failures")?, Some(row.try_get("blocked_until_at")?)))
}

/// Sets a key's failures, its wait and the time at which they are deleted.
pub async fn upsert_failures(
    tx: &mut Tx,
    key: &str,
    failures: i32,
    (blocked_until, delete_at): (Timestamp, Timestamp),
) -> Result<(), StoreError> {
    sqlx::query(
        "insert into moderation_tries (tried_by, failures, blocked_until_at, forget_at)
         values ($1, $2, $3, $4)
         on conflict (tried_by) do update
         set failures = excluded.failures, blocked_until_at = excluded.blocked_until_at,
             forget_at = excluded.forget_at",
    )
    .bind(key)
    .bind(failures)
    .bind(blocked_until)
    .bind(delete_at)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Lowers a key's failures; its wait ends at `until` at the latest.
pub async fn lower_failures(
    tx: &mut Tx,
    key: &str,
    failures: i32,
    until: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query(
        "update moderation_tries
         set failures = $2, blocked_until_at = least(blocked_until_at, $3)
         where tried_by = $1",
    )
    .bind(key)
    .bind(failures)
    .bind(until)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Deletes the failures of these keys.
pub async fn delete_failures(tx: &mut Tx, keys: &[String]) -> Result<(), StoreError> {
    sqlx::query("delete from moderation_tries where tried_by = any($1)")
        .bind(keys)
        .execute(tx.connection())
        .await?;
    Ok(())
}

/// Deletes expired failures; returns how many.
pub async fn delete_expired_failures(tx: &mut Tx) -> Result<u64, StoreError> {
    let forgotten = sqlx::query("delete from moderation_tries where forget_at <= clock_now()")
        .execute(tx.connection())
        .await?;
    Ok(forgotten.rows_affected())
}
