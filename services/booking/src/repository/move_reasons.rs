//! Why staff moved a session, or asked its client for another time. It is for the practice alone:
//! no event, mail or log has it.

use eventstore::{StoreError, Tx};
use kernel::id::{Booking, Customer};
use kernel::{Id, Timestamp};
use sqlx::{PgExecutor, Row};

/// A reason, as it is stored.
#[derive(Clone)]
pub struct MoveReason {
    /// The number of the session, from 1.
    pub session: i32,
    /// The member who said it.
    pub user_id: Id<Customer>,
    /// The reason, in the member's words.
    pub reason: String,
    /// When it was said.
    pub said_at: Timestamp,
}

/// Stores a reason.
pub async fn insert(tx: &mut Tx, id: Id<Booking>, reason: &MoveReason) -> Result<(), StoreError> {
    sqlx::query(
        "insert into move_reasons (booking_id, session_number, user_id, reason, said_at)
         values ($1, $2, $3, $4, $5)",
    )
    .bind(id)
    .bind(reason.session)
    .bind(reason.user_id)
    .bind(&reason.reason)
    .bind(reason.said_at)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// The reasons of a booking, oldest first.
pub async fn of_booking(
    executor: impl PgExecutor<'_>,
    id: Id<Booking>,
) -> Result<Vec<MoveReason>, StoreError> {
    let rows = sqlx::query(
        "select session_number, user_id, reason, said_at from move_reasons
         where booking_id = $1 order by reason_id",
    )
    .bind(id)
    .fetch_all(executor)
    .await?;
    let mut reasons = Vec::with_capacity(rows.len());
    for row in rows {
        reasons.push(MoveReason {
            session: row.try_get("session_number")?,
            user_id: row.try_get("user_id")?,
            reason: row.try_get("reason")?,
            said_at: row.try_get("said_at")?,
        });
    }
    Ok(reasons)
}
