//! Sessions that another time zone in the practice's file would move to another date: their day's
//! aggregate is the one of the date on which they were sold, so they would be found by nobody.

use eventstore::StoreError;
use kernel::Timestamp;
use sqlx::PgExecutor;

/// A time that is taken, still to come, and not known to the day of its date in this zone; `None`
/// when there is none. Only the first and the last of each date are looked at: what another zone
/// moves to a date stands at one of its ends.
///
/// # Errors
/// When the database does not answer.
pub async fn first_moved(
    executor: impl PgExecutor<'_>,
    zone: &str,
) -> Result<Option<Timestamp>, StoreError> {
    let moved = sqlx::query_scalar(
        "with taken as (
             select coalesce(booking_id, block_id) as id, practitioner_id, starts_at,
                    (starts_at at time zone $1)::date as date
             from slot_reservations where live and starts_at > clock_now()),
         edges as (
             (select distinct on (practitioner_id, date) * from taken
              order by practitioner_id, date, starts_at)
             union
             (select distinct on (practitioner_id, date) * from taken
              order by practitioner_id, date, starts_at desc))
         select starts_at from edges
         where not exists (
             select from events
             where stream_id = 'day-' || practitioner_id || '-' || date
               and coalesce(payload ->> 'bookingId', payload ->> 'blockId')
                   like '%' || replace(id::text, '-', ''))
         order by starts_at limit 1",
    );
    Ok(moved.bind(zone).fetch_optional(executor).await?)
}
