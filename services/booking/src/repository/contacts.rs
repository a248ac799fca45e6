//! Writes what a client says of a booking later. Needs the client's lock.

use eventstore::{StoreError, Tx};
use kernel::id::Booking;
use kernel::{Id, Timestamp};

/// By how much a client will be late.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToldLate {
    /// The number of the session, from 1.
    pub number: usize,
    /// In minutes; 0 takes the word back.
    pub minutes: i32,
    /// When it was said.
    pub told_at: Timestamp,
}

/// Notes that the client will be late; the last word counts.
pub async fn tell_late(tx: &mut Tx, id: Id<Booking>, late: ToldLate) -> Result<(), StoreError> {
    let said = (late.minutes > 0).then_some(late);
    sqlx::query(
        "update booking_contacts set late_session = $2, late_minutes = $3, late_told_at = $4
         where booking_id = $1",
    )
    .bind(id)
    .bind(said.and_then(|it| i32::try_from(it.number).ok()))
    .bind(said.map(|it| it.minutes))
    .bind(said.map(|it| it.told_at))
    .execute(tx.connection())
    .await?;
    Ok(())
}
