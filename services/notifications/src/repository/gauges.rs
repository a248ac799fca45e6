//! What metrics tell about mails: how many there are by state, and for how long the one has been
//! tried that is tried for longest. No mail is named.

use eventstore::{Store, StoreError};
use runtime::BoxError;
use runtime::metrics::catalogue::{MAILS, MAILS_LATENESS};
use runtime::metrics::{self, Label, Reading};
use sqlx::{PgPool, Row as _};

/// Each state is counted over the index of states, and of those that were sent only a day's.
const STATES: &str = "
select s.state, (select count(*) from (
    select from mails m where m.state = s.state limit 10000) c) as mails
from (values ('queued'), ('sending'), ('retrying'), ('failed')) s (state)
union all
select 'sent', count(*) from (
    select from mails
    where state = 'sent' and queued_at >= (select clock_now() - interval '24 hours')
    limit 10000) c";

const LATENESS: &str = "
select coalesce(extract(epoch from clock_now() - min(first_tried_at)), 0)::bigint
from (select first_tried_at from mails where state in ('sending', 'retrying') limit 10000) m";

/// Adds mails to this process's metrics.
pub fn add_sources(store: &Store) {
    let pool = store.pool().clone();
    metrics::add_source("mails", metrics::CHEAP, move || {
        let pool = pool.clone();
        async move { Ok::<_, BoxError>(mails(&pool).await?) }
    });
}

/// The number of mails by state, and how late the latest is.
pub async fn mails(pool: &PgPool) -> Result<Vec<Reading>, StoreError> {
    let mut readings = Vec::new();
    for row in sqlx::query(STATES).fetch_all(pool).await? {
        let state = Label::State.of(row.try_get::<String, _>("state")?);
        readings.push(Reading::new(&MAILS, row.try_get("mails")?, [state]));
    }
    let lateness = sqlx::query_scalar(LATENESS).fetch_one(pool).await?;
    readings.push(Reading::plain(&MAILS_LATENESS, lateness));
    Ok(readings)
}
