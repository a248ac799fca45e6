//! Events by their streams, and timers.

use anyhow::Result;
use sqlx::Row as _;

use crate::range::Range;
use crate::rows;
use crate::snapshot::{EventRow, TimerRow};
use crate::stores::Store;

/// The events of a range's streams.
pub(crate) async fn events(
    store: &mut Store,
    range: &Range,
    prefix: &str,
) -> Result<Vec<EventRow>> {
    let (from, to) = range.streams(prefix);
    let query = sqlx::query(
        "select e.*, null::bigint as position from events e
         where stream_id between $1 and $2 and stream_id <> all($3)",
    );
    let query = query.bind(from).bind(to).bind(range.streams_without(prefix));
    store.rows(query, rows::event).await
}

/// The events of streams by their names.
pub(crate) async fn events_of(store: &mut Store, streams: Vec<String>) -> Result<Vec<EventRow>> {
    let query =
        sqlx::query("select e.*, null::bigint as position from events e where stream_id = any($1)");
    store.rows(query.bind(streams), rows::event).await
}

/// A row of `timers`.
pub(crate) fn timer(row: &sqlx::postgres::PgRow) -> Result<TimerRow, sqlx::Error> {
    Ok(TimerRow { kind: row.try_get(0)?, subject: row.try_get(1)?, due_at: row.try_get(2)? })
}
