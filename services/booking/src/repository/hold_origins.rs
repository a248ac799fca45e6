//! Deletes where holds came from.

use eventstore::{StoreError, Tx};
use kernel::Timestamp;

/// The most rows that are deleted at once.
const DELETED_MAX: i64 = 10_000;
/// How long they are kept: a day more than they count, in minutes.
const KEPT_MINUTES: i64 = 2 * 24 * 60;

/// Deletes old rows. True where more may be left.
///
/// # Errors
/// When the database does not answer.
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
