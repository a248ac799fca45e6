//! When clients used the grace of their bookings' policies.

use eventstore::{StoreError, Tx};
use kernel::id::{Booking, Customer};
use kernel::{Id, Timestamp};

use crate::contract::booking_stream;

/// Stores that a session was cancelled with grace, at the moment of its event: the one of this
/// number in a package, or the only one.
pub async fn insert(tx: &mut Tx, id: Id<Booking>, number: Option<usize>) -> Result<(), StoreError> {
    let number = number.and_then(|number| i32::try_from(number).ok());
    // Its event is written with the end of the transaction; a rebuild finds it.
    let now = tx.now().await?;
    sqlx::query(
        "insert into grace_uses (booking_id, session_number, used_at)
         select $1, coalesce($3, 1), coalesce(max(recorded_at), $4) from events
         where stream_id = $2
           and case when $3::integer is null then event_type = 'booking.v1.BookingCancelled'
                    else event_type = 'booking.v1.BookingSessionCancelled'
                         and (payload ->> 'sessionNumber')::integer = $3 end
         on conflict do nothing",
    )
    .bind(id)
    .bind(booking_stream(id))
    .bind(number)
    .bind(now)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// When a client used grace since a moment. Cancellations that have not taken effect count as uses
/// of now.
pub async fn of_client(
    tx: &mut Tx,
    customer_id: Id<Customer>,
    since: Timestamp,
    now: Timestamp,
) -> Result<Vec<Timestamp>, StoreError> {
    let uses = sqlx::query_scalar(
        "select g.used_at from grace_uses g join bookings b using (booking_id)
         where b.customer_id = $1 and g.used_at > $2
         union all
         select $3 from bookings b,
             generate_series(1, (b.pending_cancellation ->> 'grace_times')::integer)
         where b.customer_id = $1 and b.pending_cancellation is not null",
    )
    .bind(customer_id)
    .bind(since)
    .bind(now)
    .fetch_all(tx.connection())
    .await?;
    Ok(uses)
}
