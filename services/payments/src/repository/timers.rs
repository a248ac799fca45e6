//! Reads of the timers' table.

use eventstore::{StoreError, Tx};
use kernel::Id;
use kernel::id::Booking;
use serde_json::Value;

use crate::timers::polling::{POLL_ORDER, PollSchedule};

/// Whether the timer still has this schedule, so that nothing has restarted it since.
pub async fn is_poll_current(
    tx: &mut Tx,
    booking_id: Id<Booking>,
    schedule: PollSchedule,
) -> Result<bool, StoreError> {
    let payload: Option<Value> =
        sqlx::query_scalar("select payload from timers where kind = $1 and subject = $2")
            .bind(POLL_ORDER)
            .bind(booking_id.to_string())
            .fetch_optional(tx.connection())
            .await?;
    Ok(payload.is_some_and(|payload| PollSchedule::from_payload(&payload) == schedule))
}

/// Whether a timer of this kind is set.
pub async fn is_set(tx: &mut Tx, kind: &str) -> Result<bool, StoreError> {
    let found = sqlx::query_scalar("select exists (select from timers where kind = $1)")
        .bind(kind)
        .fetch_one(tx.connection())
        .await?;
    Ok(found)
}
