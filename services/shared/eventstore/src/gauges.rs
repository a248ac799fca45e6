//! Gauges of a service's database, read when metrics are asked for: its connections, its timers,
//! and the progress of its events. Each statement costs the same with a million events as with ten.

use std::time::Duration;

use runtime::BoxError;
use runtime::metrics::catalogue::{
    DB_CONNECTIONS, DB_CONNECTIONS_MAX, EVENTS_PARKED, FEED_UNPUBLISHED, OUTBOX_AGE, TIMERS_DUE,
    TIMERS_FAILING, TIMERS_LATENESS,
};
use runtime::metrics::{self, Label, Reading};
use sqlx::{PgPool, Row as _};

use crate::error::StoreError;
use crate::store::Store;

/// The most rows of a kind that are counted; a larger number would tell nothing more.
const COUNTED_MAX: i64 = 1_000;

/// Reads each kind by itself over the indexes of the claims. The clock is read once.
const TIMERS: &str = "
with recursive kinds as (
    (select kind from timers order by kind limit 1)
    union all
    select (select t.kind from timers t where t.kind > k.kind order by t.kind limit 1)
    from kinds k where k.kind is not null),
present as materialized (select clock_now() as now)
select k.kind, count(d.due_at) as due, count(d.due_at) filter (where d.attempts > 1) as failing,
       coalesce(extract(epoch from max(p.now - d.due_at)), 0)::bigint as lateness
from kinds k cross join present p
left join lateral (
    (select due_at, attempts from timers
     where kind = k.kind and attempts = 0 and not is_bulk and due_at <= p.now
     order by due_at limit $1)
    union all
    (select due_at, attempts from timers
     where kind = k.kind and attempts = 0 and is_bulk and due_at <= p.now
     order by due_at limit $1)
    union all
    (select due_at, attempts from timers
     where kind = k.kind and attempts > 0 and due_at <= p.now limit $1)) d on true
where k.kind is not null
group by k.kind";

const EVENTS: &str = "
select coalesce((select extract(epoch from clock_now() - recorded_at) from events
                 where seq = (select min(seq) from outbox)), 0)::bigint as outbox_age,
       coalesce((select max(position) from feed), 0)
           - (select published_position from relay) as unpublished";

const PARKED: &str = "
select consumer, count(*) as parked
from (select consumer from parked_events limit 10000) p group by consumer";

/// Adds the gauges of the database of `service` to this process's metrics.
pub fn add_sources(service: &'static str, store: &Store) {
    let pool = store.pool().clone();
    metrics::add_source("database-pool", Duration::ZERO, move || {
        std::future::ready(Ok(connections(service, &pool).to_vec()))
    });
    let pool = store.pool().clone();
    metrics::add_source("timers", metrics::CHEAP, move || {
        let pool = pool.clone();
        async move { Ok::<_, BoxError>(timers(&pool).await?) }
    });
    let pool = store.pool().clone();
    metrics::add_source("events", metrics::CHEAP, move || {
        let pool = pool.clone();
        async move { Ok::<_, BoxError>(events(&pool).await?) }
    });
}

fn connections(service: &'static str, pool: &PgPool) -> [Reading; 3] {
    let (open, idle) = (i64::from(pool.size()), i64::try_from(pool.num_idle()).unwrap_or(i64::MAX));
    let used = open.saturating_sub(idle).max(0);
    let of = |state: &'static str, count| {
        let labels = [Label::Pool.of(service), Label::ConnectionState.of(state)];
        Reading::new(&DB_CONNECTIONS, count, labels)
    };
    let most = i64::from(pool.options().get_max_connections());
    let most = Reading::new(&DB_CONNECTIONS_MAX, most, [Label::Pool.of(service)]);
    [of("idle", idle), of("used", used), most]
}

/// The due timers of each kind: how many, how long the oldest has waited, and how many have failed.
pub async fn timers(pool: &PgPool) -> Result<Vec<Reading>, StoreError> {
    let rows = sqlx::query(TIMERS).bind(COUNTED_MAX).fetch_all(pool).await?;
    let mut readings = Vec::with_capacity(3 * rows.len());
    for row in rows {
        let kind = Label::Kind.of(row.try_get::<String, _>("kind")?);
        for (gauge, column) in
            [(&TIMERS_DUE, "due"), (&TIMERS_FAILING, "failing"), (&TIMERS_LATENESS, "lateness")]
        {
            readings.push(Reading::new(gauge, row.try_get(column)?, [kind.clone()]));
        }
    }
    Ok(readings)
}

/// The age of the outbox's oldest event, how many events NATS lacks, and how many each consumer has
/// parked.
pub async fn events(pool: &PgPool) -> Result<Vec<Reading>, StoreError> {
    let row = sqlx::query(EVENTS).fetch_one(pool).await?;
    // After a restore the relay may have published more events than exist.
    let unpublished = row.try_get::<i64, _>("unpublished")?.max(0);
    let mut readings = vec![
        Reading::plain(&OUTBOX_AGE, row.try_get("outbox_age")?),
        Reading::plain(&FEED_UNPUBLISHED, unpublished),
    ];
    for row in sqlx::query(PARKED).fetch_all(pool).await? {
        let consumer = Label::Consumer.of(row.try_get::<String, _>("consumer")?);
        readings.push(Reading::new(&EVENTS_PARKED, row.try_get("parked")?, [consumer]));
    }
    Ok(readings)
}
