//! The table `unsubscribed_addresses`.

use eventstore::{StoreError, Tx};
use sqlx::PgExecutor;

use crate::mails::addresses::AddressHash;

/// Whether this address has unsubscribed, of which these are the hashes by each key.
pub async fn is_unsubscribed(
    executor: impl PgExecutor<'_>,
    hashes: impl IntoIterator<Item = AddressHash>,
) -> Result<bool, sqlx::Error> {
    let hashes: Vec<Vec<u8>> = hashes.into_iter().map(|hash| hash.as_bytes().to_vec()).collect();
    sqlx::query_scalar(
        "select exists (select 1 from unsubscribed_addresses where address_hash = any($1))",
    )
    .bind(hashes)
    .fetch_one(executor)
    .await
}

/// Unsubscribes an address. Idempotent.
pub async fn unsubscribe(tx: &mut Tx, hash: AddressHash) -> Result<(), StoreError> {
    sqlx::query(
        "insert into unsubscribed_addresses (address_hash, unsubscribed_at)
         values ($1, clock_now()) on conflict do nothing",
    )
    .bind(hash.as_bytes())
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Resubscribes an address. Idempotent. Mails that were dropped stay dropped.
pub async fn resubscribe(tx: &mut Tx, hash: AddressHash) -> Result<(), StoreError> {
    sqlx::query("delete from unsubscribed_addresses where address_hash = $1")
        .bind(hash.as_bytes())
        .execute(tx.connection())
        .await?;
    Ok(())
}
