//! Detects sessions that a changed time zone setting would move to another date: their day's stream
//! is named by the date on which they were booked, so they would not be found.

use eventstore::StoreError;
use kernel::Timestamp;
use sqlx::PgExecutor;

/// The first future reservation or block that is missing from the day of its date in this zone;
/// `None` when there is none. Only the first and the last of each date are checked: another zone
/// moves times at one end of a date.
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
