//! The order in which other services see this service's events: without gaps, and assigned after
//! commit.

use runtime::failpoint;
use sqlx::{PgPool, Row as _};

use crate::error::StoreError;
use crate::event::{Numbered, Recorded};
use crate::transaction::recorded;

/// The advisory lock of the one active relay; a constant that nothing else in the database uses.
/// The function `number_events` has it, too.
pub const RELAY_LOCK: i64 = 0x5355_4b4f_4f4e_0001;

/// Assigns positions to events that were committed since the last pass, and returns these events in
/// their order. Returns `None` while another relay does this; that one may not see the newest
/// events.
///
/// Versions of one stream keep their order: a later one is appended after an earlier one was
/// committed, with a higher `seq`.
pub async fn number(pool: &PgPool, at_most: i64) -> Result<Option<Vec<Numbered>>, StoreError> {
    let rows = sqlx::query(
        "select feed_position as position, previous, event_id, stream_id, version, event_type,
                payload, metadata, recorded_at
         from number_events($1)",
    )
    .bind(at_most)
    .fetch_all(pool)
    .await?;
    if !rows.is_empty() {
        failpoint::pass(&"relay.after-commit");
    }
    let mut numbered = Vec::with_capacity(rows.len());
    for row in &rows {
        if row.try_get::<Option<i64>, _>("position")?.is_none() {
            return Ok(None);
        }
        numbered.push(Numbered { event: recorded(row)?, previous: row.try_get("previous")? });
    }
    Ok(Some(numbered))
}

/// Reads the events after a position, in order.
pub async fn read(
    pool: &PgPool,
    after_position: i64,
    limit: i64,
) -> Result<Vec<Recorded>, StoreError> {
    let rows = sqlx::query(
        "select e.event_id, e.stream_id, e.version, f.position, e.event_type, e.payload,
                e.metadata, e.recorded_at
         from feed f join events e using (seq)
         where f.position > $1 order by f.position limit $2",
    )
    .bind(after_position)
    .bind(limit)
    .fetch_all(pool)
    .await?;
    rows.iter().map(recorded).collect::<Result<_, _>>().map_err(StoreError::from)
}

/// The newest position; 0 when there is none.
pub async fn last_position(pool: &PgPool) -> Result<i64, StoreError> {
    let sql = "select coalesce(max(position), 0) from feed";
    Ok(sqlx::query_scalar(sql).fetch_one(pool).await?)
}

/// How far the feed was published, and its newest position.
pub async fn published(pool: &PgPool) -> Result<Published, StoreError> {
    let (published, last) = sqlx::query_as(
        "select published_position, (select coalesce(max(position), 0) from feed) from relay",
    )
    .fetch_one(pool)
    .await?;
    Ok(Published { published, last })
}

/// What [`published`] returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Published {
    /// The last position that is known to be published.
    pub published: i64,
    /// The feed's newest position; less after a restore from an older copy.
    pub last: i64,
}

/// Records how far the feed was published. The value never falls. If it is lost with a server's
/// crash, events are published twice, so the commit waits for no disk.
pub async fn set_published(pool: &PgPool, position: i64) -> Result<(), StoreError> {
    sqlx::query(
        "with quick as materialized (select set_config('synchronous_commit', 'off', true))
         update relay set published_position = greatest(published_position, $1) from quick",
    )
    .bind(position)
    .execute(pool)
    .await?;
    Ok(())
}
