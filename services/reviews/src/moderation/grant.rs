//! The rows of grants: issued, renewed, revoked. Only the browser has the secret; the row has its
//! hash.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use eventstore::{Actor, StoreError, Tx};
use kernel::id::Customer;
use kernel::{Id, Timestamp};
use sha2::{Digest as _, Sha256};
use sqlx::{PgExecutor, Row};
use staff::{Role, Staff};

use crate::domain::review::Moderator;

/// Idle timeout of a grant.
pub const IDLE_SECONDS: i64 = 10 * 60;
/// Maximum lifetime of a grant.
pub const LIFETIME_SECONDS: i64 = 30 * 60;
/// How long a row is kept, so that its browser is answered that the grant has ended.
const RETENTION_SECONDS: i64 = 24 * 3600;
/// The actor of passphrase holders, in the audit log and in events.
const PASSPHRASE: &str = "passphrase";

/// The holder of a grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// An owner or admin who retyped their own password.
    Staff(Staff),
    /// A holder of the shared passphrase.
    Passphrase,
}

impl From<Holder> for Actor {
    fn from(holder: Holder) -> Self {
        match holder {
            Holder::Staff(staff) => staff.into(),
            Holder::Passphrase => Self::sharing(PASSPHRASE),
        }
    }
}

impl From<Holder> for Moderator {
    fn from(holder: Holder) -> Self {
        match holder {
            Holder::Staff(staff) => Self::Member(staff.id),
            Holder::Passphrase => Self::Passphrase,
        }
    }
}

/// SHA-256 of a grant's secret; the key of its row.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct GrantHash([u8; 32]);

impl std::fmt::Debug for GrantHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("GrantHash(..)")
    }
}

impl GrantHash {
    /// Hashes a secret.
    #[must_use]
    pub fn of(secret: &str) -> Self {
        Self(Sha256::digest(secret.as_bytes()).into())
    }
}

/// A newly issued grant with its secret.
#[derive(Clone)]
pub struct IssuedGrant {
    /// The secret, kept by the browser.
    pub secret: String,
    /// When its lifetime ends.
    pub ends_at: Timestamp,
    /// When it ends without use.
    pub idle_ends_at: Timestamp,
}

impl std::fmt::Debug for IssuedGrant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Opened").field("ends_at", &self.ends_at).finish_non_exhaustive()
    }
}

/// A grant's row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredGrant {
    /// The account of the holder; `None` for a passphrase.
    pub account: Option<Id<Customer>>,
    /// The fingerprint of the passphrase; `None` for an account's password.
    pub passphrase: Option<[u8; 32]>,
    /// Whether it is still valid.
    pub live: bool,
}

/// Issues a grant and revokes the older one of the same browser. `passphrase` is the fingerprint of
/// the passphrase that was used.
///
/// # Errors
/// When the database does not answer.
pub async fn issue(
    tx: &mut Tx,
    (holder, passphrase): (Holder, Option<[u8; 32]>),
    older: Option<GrantHash>,
) -> Result<IssuedGrant, StoreError> {
    if let Some(older) = older {
        revoke(&mut *tx.connection(), older).await?;
    }
    let now = tx.now().await?;
    let secret = URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>());
    let actor = Actor::from(holder);
    sqlx::query(
        "insert into moderation_grants
             (grant_sha256, actor, role, passphrase_sha256, unlocked_at, used_at)
         values ($1, $2, $3, $4, $5, $5)",
    )
    .bind(GrantHash::of(&secret).0)
    .bind(actor.name())
    .bind(actor.role())
    .bind(passphrase)
    .bind(now)
    .execute(tx.connection())
    .await?;
    let (ends_at, idle_ends_at) =
        (now.plus_seconds(LIFETIME_SECONDS), now.plus_seconds(IDLE_SECONDS));
    Ok(IssuedGrant { secret, ends_at, idle_ends_at })
}

/// Looks a grant up without renewing it; `None` when it does not exist or was deleted.
///
/// # Errors
/// When the database does not answer.
pub async fn find(
    executor: impl PgExecutor<'_>,
    hash: GrantHash,
) -> Result<Option<StoredGrant>, StoreError> {
    let row = sqlx::query(
        "select actor, passphrase_sha256, ended_at is null
                and clock_now() < used_at + $2::bigint * interval '1 second'
                and clock_now() < unlocked_at + $3::bigint * interval '1 second' as live
         from moderation_grants where grant_sha256 = $1",
    )
    .bind(hash.0)
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
///
/// # Errors
/// When the database does not answer.
pub async fn renew(executor: impl PgExecutor<'_>, hash: GrantHash) -> Result<bool, StoreError> {
    let renewed = sqlx::query(
        "update moderation_grants set used_at = clock_now()
         where grant_sha256 = $1 and ended_at is null
           and clock_now() < used_at + $2::bigint * interval '1 second'
           and clock_now() < unlocked_at + $3::bigint * interval '1 second'",
    )
    .bind(hash.0)
    .bind(IDLE_SECONDS)
    .bind(LIFETIME_SECONDS)
    .execute(executor)
    .await?;
    Ok(renewed.rows_affected() > 0)
}

/// Revokes a grant. Returns its holder, or `None` if it was revoked before.
///
/// # Errors
/// When the database does not answer.
pub async fn revoke(
    executor: impl PgExecutor<'_>,
    hash: GrantHash,
) -> Result<Option<Actor>, StoreError> {
    let row = sqlx::query(
        "update moderation_grants set ended_at = clock_now()
         where grant_sha256 = $1 and ended_at is null
         returning actor, role",
    )
    .bind(hash.0)
    .fetch_optional(executor)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let (actor, role): (String, String) = (row.try_get("actor")?, row.try_get("role")?);
    let account = |id| Actor::account(id, Role::from_word(&role));
    Ok(Some(actor.parse().map_or_else(|_no_account| Actor::sharing(PASSPHRASE), account)))
}

/// Deletes grants past their retention; returns how many.
///
/// # Errors
/// When the database does not answer.
pub async fn delete_expired(tx: &mut Tx) -> Result<u64, StoreError> {
    let now = tx.now().await?;
    let forgotten = sqlx::query("delete from moderation_grants where unlocked_at < $1")
        .bind(now.plus_seconds(-RETENTION_SECONDS))
        .execute(tx.connection())
        .await?;
    Ok(forgotten.rows_affected())
}

#[cfg(test)]
mod tests {
    use super::{GrantHash, Holder, IssuedGrant};
    use crate::domain::review::Moderator;
    use eventstore::Actor;
    use kernel::Timestamp;

    #[test]
    fn the_passphrase_has_one_word_everywhere() {
        let actor = Actor::from(Holder::Passphrase);
        assert_eq!(actor.name(), Moderator::from(Holder::Passphrase).to_string());
    }

    #[test]
    fn neither_secret_nor_hash_can_be_printed() {
        let (ends_at, idle_ends_at) = (Timestamp::EPOCH, Timestamp::EPOCH);
        let opened = IssuedGrant { secret: "quiet-garden".to_owned(), ends_at, idle_ends_at };
        let printed = format!("{opened:?} {:?}", GrantHash::of("quiet-garden"));
        assert!(!printed.contains("quiet"), "{printed}");
    }
}
