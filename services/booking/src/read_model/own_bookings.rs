//! The bookings of one account, page by page.

use eventstore::StoreError;
use kernel::id::{Booking, Customer};
use kernel::{Id, Timestamp};
use sqlx::{PgExecutor, Row as _};

/// Which of an account's bookings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Held, or placed with a session that has not ended; by the start of the next session.
    Coming,
    /// Those whose sessions have all ended or were cancelled; by the end of the last one, newest
    /// first.
    Past,
}

/// A place in a list: what it is ordered by, and the booking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The start of the next session, or the end of the last one.
    pub at: Timestamp,
    /// The booking.
    pub id: Id<Booking>,
}

/// The SQL of what is to come, public so that a test can check what it reads. What is to come is
/// found from the end of the account's list, so that what is over costs nothing.
pub const COMING: &str = "select booking_id, at from (
         select b.booking_id, (select min(r.starts_at) from slot_reservations r
                               where r.booking_id = b.booking_id and r.live
                                 and r.ends_at > $2) as at
         from bookings b
         where b.customer_id = $1 and b.last_ends_at > $2
           and (b.state in ('confirmed', 'meeting_scheduled')
                or (b.state in ('held', 'awaiting_payment') and b.held_until_at > $2))) coming
     where at is not null and ($3::timestamptz is null or (at, booking_id) > ($3, $4))
     order by at, booking_id limit $5";

/// The SQL of what is over, public for the same reason.
pub const PAST: &str = "select booking_id, last_ends_at as at from bookings
     where customer_id = $1 and state not in ('held', 'awaiting_payment', 'expired', 'released')
       and (last_ends_at <= $2 or state in ('completed', 'cancelled', 'paid_unplaced'))
       and ($3::timestamptz is null or (last_ends_at, booking_id) < ($3, $4))
     order by last_ends_at desc, booking_id desc limit $5";

/// What of an account's bookings is asked for.
#[derive(Debug, Clone, Copy)]
pub struct PageRequest {
    /// The account.
    pub customer_id: Id<Customer>,
    /// Which of its bookings.
    pub part: Part,
    /// The present moment.
    pub now: Timestamp,
    /// The place after which they begin; `None` for the first.
    pub after: Option<Place>,
}

/// The places of an account's bookings, in order; at most so many.
///
/// # Errors
/// When the database does not answer.
pub async fn places(
    executor: impl PgExecutor<'_>,
    request: PageRequest,
    at_most: i64,
) -> Result<Vec<Place>, StoreError> {
    let PageRequest { customer_id, part, now, after } = request;
    let sql = match part {
        Part::Coming => COMING,
        Part::Past => PAST,
    };
    let rows = sqlx::query(sql)
        .bind(customer_id)
        .bind(now)
        .bind(after.map(|place| place.at))
        .bind(after.map(|place| place.id))
        .bind(at_most)
        .fetch_all(executor)
        .await?;
    let place = |row: &sqlx::postgres::PgRow| {
        Ok(Place { id: row.try_get("booking_id")?, at: row.try_get("at")? })
    };
    rows.iter().map(place).collect()
}
