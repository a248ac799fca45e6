//! What practitioners' own calendars say: whether a time is busy, and how each calendar is read.

use std::collections::BTreeMap;

use eventstore::{StoreError, Tx};
use kernel::Timestamp;
use sqlx::{PgExecutor, Row};

use crate::domain::span::Span;

/// How a calendar was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceState {
    /// The calendar.
    pub calendar_id: String,
    /// When it was last read.
    pub read_at: Option<Timestamp>,
    /// When it was last tried.
    pub tried_at: Timestamp,
    /// Since when it cannot be read.
    pub failing_since: Option<Timestamp>,
    /// Why it cannot be read, as a word; empty when it can.
    pub problem: String,
    /// How many events it had.
    pub events: i32,
    /// How many of them were not understood.
    pub odd_events: i32,
    /// How many busy times it closes.
    pub busy_times: i64,
    /// The server's name for what was read.
    pub etag: Option<String>,
    /// When all of it was read.
    pub expanded_at: Option<Timestamp>,
}

/// The states of all calendars that were tried, by their ids.
pub async fn states(
    executor: impl PgExecutor<'_>,
) -> Result<BTreeMap<String, SourceState>, StoreError> {
    let rows = sqlx::query(
        "select calendar_id, read_at, tried_at, failing_since_at, coalesce(problem, '') as problem,
                events, odd_events, etag, expanded_at,
                (select count(*) from busy_times b
                 where b.calendar_id = s.calendar_id) as busy_times
         from calendar_sources s",
    )
    .fetch_all(executor)
    .await?;
    let mut states = BTreeMap::new();
    for row in &rows {
        let calendar_id: String = row.try_get("calendar_id")?;
        let state = SourceState {
            calendar_id: calendar_id.clone(),
            read_at: row.try_get("read_at")?,
            tried_at: row.try_get("tried_at")?,
            failing_since: row.try_get("failing_since_at")?,
            problem: row.try_get("problem")?,
            events: row.try_get("events")?,
            odd_events: row.try_get("odd_events")?,
            busy_times: row.try_get("busy_times")?,
            etag: row.try_get("etag")?,
            expanded_at: row.try_get("expanded_at")?,
        };
        states.insert(calendar_id, state);
    }
    Ok(states)
}

/// The calendars that cannot be read for longer than so many minutes, and those that never could:
/// of these no time at all is closed.
pub async fn failing_for(
    executor: impl PgExecutor<'_>,
    minutes: i32,
) -> Result<Vec<String>, StoreError> {
    let ids = sqlx::query_scalar(
        "select calendar_id from calendar_sources
         where failing_since_at < clock_now() - make_interval(mins => $1)
            or (read_at is null and failing_since_at is not null)
         order by calendar_id",
    )
    .bind(minutes)
    .fetch_all(executor)
    .await?;
    Ok(ids)
}

/// Whether each of these times of practitioners touches a busy one, in the same order.
pub async fn are_busy(tx: &mut Tx, times: &[(&str, Span)]) -> Result<Vec<bool>, StoreError> {
    let practitioners: Vec<&str> =
        times.iter().map(|(practitioner_id, _)| *practitioner_id).collect();
    let starts: Vec<Timestamp> = times.iter().map(|(_, span)| span.starts_at()).collect();
    let ends: Vec<Timestamp> = times.iter().map(|(_, span)| span.ends_at()).collect();
    let busy = sqlx::query_scalar(
        "select exists (select from busy_times b
                        where b.practitioner_id = a.practitioner_id
                          and b.during && tstzrange(a.starts_at, a.ends_at))
         from unnest($1::text[], $2::timestamptz[], $3::timestamptz[])
              with ordinality as a (practitioner_id, starts_at, ends_at, n)
         order by a.n",
    )
    .bind(practitioners)
    .bind(starts)
    .bind(ends)
    .fetch_all(tx.connection())
    .await?;
    Ok(busy)
}
