//! The table `guide_requests`: who asked for the meditation guide, until it is erased.

use eventstore::{StoreError, Tx};
use kernel::id::GuideRequest;
use kernel::{Id, Timestamp};
use sqlx::{PgExecutor, Row};

use crate::mails::addresses::AddressHash;

/// Whether the request stored under this key is the same; `None` when there is none.
pub async fn lookup(tx: &mut Tx, key: &str, email: &str) -> Result<Option<bool>, StoreError> {
    let row =
        sqlx::query("select email = $2 as is_same from guide_requests where idempotency_key = $1")
            .bind(key)
            .bind(email)
            .fetch_optional(tx.connection())
            .await?;
    Ok(row.map(|row| row.try_get("is_same")).transpose()?)
}

/// The number of requests of an address since then.
pub async fn count_since(
    tx: &mut Tx,
    address: AddressHash,
    since: Timestamp,
) -> Result<i64, StoreError> {
    Ok(sqlx::query_scalar(
        "select count(*) from guide_requests where address_hash = $1 and received_at > $2",
    )
    .bind(address.as_bytes())
    .bind(since)
    .fetch_one(tx.connection())
    .await?)
}

/// Inserts a request that came `now`.
pub async fn insert(
    tx: &mut Tx,
    id: Id<GuideRequest>,
    (key, email): (&str, &str),
    address: AddressHash,
    now: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query(
        "insert into guide_requests (request_id, email, received_at, address_hash,
                                         idempotency_key)
             values ($1, $2, $3, $4, $5)",
    )
    .bind(id)
    .bind(email)
    .bind(now)
    .bind(address.as_bytes())
    .bind(key)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// The address of a guide request; `None` when it was erased.
pub async fn address(
    executor: impl PgExecutor<'_>,
    id: Id<GuideRequest>,
) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar("select email from guide_requests where request_id = $1")
        .bind(id)
        .fetch_optional(executor)
        .await
}
