//! Where holds came from: their early end, and the deletion of old rows.

use eventstore::{StoreError, Tx};
use kernel::id::Booking;
use kernel::{Id, Timestamp};

/// The most rows that are deleted at once.
const DELETED_MAX: i64 = 10_000;
/// How long they are kept: a day more than they count, in minutes.
const KEPT_MINUTES: i64 = 2 * 24 * 60;

/// A hold was released: it counts from now on.
pub async fn release(tx: &mut Tx, id: Id<Booking>, now: Timestamp) -> Result<(), StoreError> {
    sqlx::query("update hold_origins set held_until_at = $2 where booking_id = $1")
        .bind(id)
        .bind(now)
        .execute(tx.connection())
        .await?;
    Ok(())
}

/// Deletes old rows. True where more may be left.
pub async fn delete_old(tx: &mut Tx, now: Timestamp) -> Result<bool, StoreError> {
    let deleted = sqlx::query(
        "delete from hold_origins where booking_id in (
             select booking_id from hold_origins where held_at < $1 limit $2)",
    )
    .bind(now.plus_minutes(-KEPT_MINUTES))
    .bind(DELETED_MAX)
    .execute(tx.connection())
    .await?;
    Ok(deleted.rows_affected() >= DELETED_MAX.unsigned_abs())
}
