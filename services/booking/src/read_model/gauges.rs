//! What metrics tell about times: how many are held, how many are booked for the coming week, and
//! whether two bookings share one. No booking is named.

use eventstore::{Store, StoreError};
use runtime::BoxError;
use runtime::metrics::catalogue::{BOOKINGS_OVERLAPPING, HOLDS, HOLDS_OVERDUE, SESSIONS_AHEAD};
use runtime::metrics::{self, Reading};
use sqlx::{PgPool, Row as _};

use crate::timers::kinds::HOLD_END;

/// Every hold has one timer, which its end takes away.
const HELD: &str = "
select (select count(*) from (select from timers where kind = $1 limit 10000) h) as held,
       (select count(*) from (
           select from timers where kind = $1
             and due_at < (select clock_now() - interval '1 minute') limit 10000) h) as overdue";

/// Practitioners are found one by one over the index of live times, and of each only what is still
/// to come is read. A time that begins before an earlier one has ended makes a pair.
const AHEAD: &str = "
with recursive practitioners as (
    (select practitioner_id from slot_reservations where live order by practitioner_id limit 1)
    union all
    select (select r.practitioner_id from slot_reservations r
            where r.live and r.practitioner_id > p.practitioner_id
            order by r.practitioner_id limit 1)
    from practitioners p where p.practitioner_id is not null),
present as materialized (select clock_now() as now),
ahead as (
    select r.starts_at, r.held_until_at,
           max(r.ends_at) over (
               partition by r.practitioner_id order by r.starts_at, r.ends_at
               rows between unbounded preceding and 1 preceding) as taken_until
    from practitioners p cross join present n cross join lateral (
        select practitioner_id, starts_at, ends_at, held_until_at from slot_reservations
        where live and practitioner_id = p.practitioner_id
          and starts_at > n.now - interval '12 hours') r
    where p.practitioner_id is not null)
select count(*) filter (where starts_at < taken_until) as overlapping,
       count(*) filter (where held_until_at is null and starts_at >= n.now
                          and starts_at < n.now + interval '7 days') as sessions
from ahead cross join present n";

/// Adds times to this process's metrics.
pub fn add_sources(store: &Store) {
    let pool = store.pool().clone();
    metrics::add_source("times", metrics::COSTLY, move || {
        let pool = pool.clone();
        async move { Ok::<_, BoxError>(times(&pool).await?) }
    });
}

/// Times that are held, held too long, booked for the coming week, and taken twice.
pub async fn times(pool: &PgPool) -> Result<Vec<Reading>, StoreError> {
    let held = sqlx::query(HELD).bind(HOLD_END).fetch_one(pool).await?;
    let ahead = sqlx::query(AHEAD).fetch_one(pool).await?;
    Ok(vec![
        Reading::plain(&HOLDS, held.try_get("held")?),
        Reading::plain(&HOLDS_OVERDUE, held.try_get("overdue")?),
        Reading::plain(&BOOKINGS_OVERLAPPING, ahead.try_get("overlapping")?),
        Reading::plain(&SESSIONS_AHEAD, ahead.try_get("sessions")?),
    ])
}
