//! Bookings that staff made by phone, until an account owns them.

use eventstore::{StoreError, Tx};
use kernel::id::{Booking, Customer};
use kernel::{Id, Timestamp};

/// Stores the address, in lower case, whose account may adopt a booking.
pub async fn insert(
    tx: &mut Tx,
    id: Id<Booking>,
    email: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query("insert into phone_bookings (booking_id, email, made_at) values ($1, $2, $3)")
        .bind(id)
        .bind(email)
        .bind(now)
        .execute(tx.connection())
        .await?;
    Ok(())
}

/// Whether a session of a booking that is still to come would be at the same time as one that an
/// account holds or has booked with another practitioner. Exact under the locks of both.
pub async fn overlaps_sessions_of(
    tx: &mut Tx,
    id: Id<Booking>,
    customer_id: Id<Customer>,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let overlaps = sqlx::query_scalar(
        "select exists (
             select from bookings b
             join slot_reservations r using (booking_id)
             join slot_reservations mine
               on mine.booking_id = $1 and mine.live and mine.during && r.during
             where b.customer_id = $2 and b.booking_id <> $1 and r.live and r.ends_at > $3
               and (r.held_until_at is null or r.held_until_at > $3)
               and (mine.held_until_at is null or mine.held_until_at > $3))",
    )
    .bind(id)
    .bind(customer_id)
    .bind(now)
    .fetch_one(tx.connection())
    .await?;
    Ok(overlaps)
}

/// Takes a booking from those that an address may adopt; false when it is none of them any more.
/// Needs the booking's locks.
pub async fn take(tx: &mut Tx, id: Id<Booking>, email: &str) -> Result<bool, StoreError> {
    let taken = sqlx::query("delete from phone_bookings where booking_id = $1 and email = $2")
        .bind(id)
        .bind(email)
        .execute(tx.connection())
        .await?
        .rows_affected();
    Ok(taken > 0)
}

/// Gives the consents of a contact to the account that adopts its booking, unless the account has
/// one of its own to the same terms.
pub async fn move_consents(
    tx: &mut Tx,
    from: Id<Customer>,
    to: Id<Customer>,
) -> Result<(), StoreError> {
    sqlx::query(
        "update consents c set customer_id = $2
         where c.customer_id = $1
           and not exists (select from consents o
                           where o.customer_id = $2 and o.version = c.version
                             and o.withdrawn_at is null)",
    )
    .bind(from)
    .bind(to)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Stores when the terms of a booking were accepted, if they were not before.
pub async fn accept_terms(tx: &mut Tx, id: Id<Booking>, now: Timestamp) -> Result<(), StoreError> {
    sqlx::query(
        "update booking_contacts set terms_accepted_at = $2
         where booking_id = $1 and terms_accepted_at is null",
    )
    .bind(id)
    .bind(now)
    .execute(tx.connection())
    .await?;
    Ok(())
}
