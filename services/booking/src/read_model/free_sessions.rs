//! Which address has had a session that costs nothing. Personal data.

use eventstore::{StoreError, Tx};
use kernel::id::Booking;
use kernel::{Id, Timestamp};

/// Whether an address, which is without its tag, has such a session that was not cancelled, booked
/// after an instant if there is one. Rows of before may have a tag.
pub async fn was_given(
    tx: &mut Tx,
    email: &str,
    since: Option<Timestamp>,
) -> Result<bool, StoreError> {
    let had = sqlx::query_scalar(
        "select exists (select from free_sessions f join bookings b using (booking_id)
                        where (f.email = $1 or regexp_replace(f.email, '^([^+]+)[+].*(@[^@]*)$',
                                                              '\\1\\2') = $1)
                          and b.state <> 'cancelled'
                          and ($2::timestamptz is null or f.booked_at > $2))",
    )
    .bind(email)
    .bind(since)
    .fetch_one(tx.connection())
    .await?;
    Ok(had)
}

/// Stores the address of such a session.
pub async fn insert(
    tx: &mut Tx,
    booking_id: Id<Booking>,
    email: &str,
    booked_at: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query("insert into free_sessions (booking_id, email, booked_at) values ($1, $2, $3)")
        .bind(booking_id)
        .bind(email)
        .bind(booked_at)
        .execute(tx.connection())
        .await?;
    Ok(())
}
