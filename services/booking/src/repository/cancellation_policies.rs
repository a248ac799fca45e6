//! The policy of bookings that were made before policies stood in them.

use eventstore::{StoreError, Tx};
use kernel::{CancellationPolicy, Timestamp};
use sqlx::types::Json;

/// Keeps the practice's policy for bookings that carry none, once: one that is kept stays.
pub async fn keep_earlier(
    tx: &mut Tx,
    policy: &CancellationPolicy,
    now: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query(
        "insert into earlier_cancellation_policy (policy, kept_at) values ($1, $2)
         on conflict do nothing",
    )
    .bind(Json(policy))
    .bind(now)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// The policy of bookings that carry none; `None` before it was kept.
pub async fn earlier(tx: &mut Tx) -> Result<Option<CancellationPolicy>, StoreError> {
    let policy: Option<Json<CancellationPolicy>> =
        sqlx::query_scalar("select policy from earlier_cancellation_policy")
            .fetch_optional(tx.connection())
            .await?;
    Ok(policy.map(|Json(policy)| policy))
}
