//! Writes what practitioners' own calendars say, and how each was read.

use eventstore::{StoreError, Tx};
use kernel::Timestamp;

use super::waiting_offers;
use crate::domain::span::Span;

/// What came of reading a whole calendar.
#[derive(Debug, Clone)]
pub struct Reading<'r> {
    /// The calendar.
    pub calendar_id: &'r str,
    /// Whose times it closes.
    pub practitioner_id: &'r str,
    /// The busy times, none overlapping another.
    pub spans: &'r [Span],
    /// How many events it had.
    pub events: usize,
    /// How many of them were not understood.
    pub odd_events: usize,
    /// The server's name for it.
    pub etag: Option<&'r str>,
}

/// Stores a calendar that was read whole: its busy times replace the ones before. Times that stay
/// as they are are not written. What is not busy any more is noted for the wait list.
pub async fn store(tx: &mut Tx, reading: &Reading<'_>, now: Timestamp) -> Result<(), StoreError> {
    let count = |count: usize| i32::try_from(count).unwrap_or(i32::MAX);
    sqlx::query(
        "insert into calendar_sources (calendar_id, practitioner_id, read_at, tried_at, events,
                                       odd_events, etag, expanded_at)
         values ($1, $2, $3, $3, $4, $5, $6, $3)
         on conflict (calendar_id) do update
         set practitioner_id = excluded.practitioner_id, read_at = excluded.read_at,
             tried_at = excluded.tried_at, events = excluded.events,
             odd_events = excluded.odd_events, etag = excluded.etag,
             expanded_at = excluded.expanded_at, failing_since_at = null, problem = null",
    )
    .bind(reading.calendar_id)
    .bind(reading.practitioner_id)
    .bind(now)
    .bind(count(reading.events))
    .bind(count(reading.odd_events))
    .bind(reading.etag)
    .execute(tx.connection())
    .await?;
    let starts: Vec<Timestamp> = reading.spans.iter().map(Span::starts_at).collect();
    let ends: Vec<Timestamp> = reading.spans.iter().map(Span::ends_at).collect();
    let opened: Vec<(String, Timestamp, Timestamp)> = sqlx::query_as(
        "delete from busy_times b
         where calendar_id = $1
           and (practitioner_id <> $2
                or not exists (select from unnest($3::timestamptz[], $4::timestamptz[])
                                    as n (starts_at, ends_at)
                               where n.starts_at = b.starts_at and n.ends_at = b.ends_at))
         returning practitioner_id, starts_at, ends_at",
    )
    .bind(reading.calendar_id)
    .bind(reading.practitioner_id)
    .bind(&starts)
    .bind(&ends)
    .fetch_all(tx.connection())
    .await?;
    sqlx::query(
        "insert into busy_times (calendar_id, practitioner_id, starts_at, ends_at)
         select $1, $2, starts_at, ends_at
         from unnest($3::timestamptz[], $4::timestamptz[]) as n (starts_at, ends_at)
         on conflict (calendar_id, starts_at) do nothing",
    )
    .bind(reading.calendar_id)
    .bind(reading.practitioner_id)
    .bind(&starts)
    .bind(&ends)
    .execute(tx.connection())
    .await?;
    let own = opened.into_iter().filter(|(of, ..)| of == reading.practitioner_id);
    let opened: Vec<Span> = own.filter_map(|(_, from, to)| Span::new(from, to)).collect();
    waiting_offers::note_freed(tx, reading.practitioner_id, &opened).await
}

/// Notes that a calendar is as it was.
pub async fn store_unchanged(
    tx: &mut Tx,
    calendar_id: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query(
        "update calendar_sources
         set read_at = $2, tried_at = $2, failing_since_at = null, problem = null
         where calendar_id = $1",
    )
    .bind(calendar_id)
    .bind(now)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Notes that a calendar cannot be read, and answers since when; its last busy times stay.
pub async fn store_failure(
    tx: &mut Tx,
    (calendar_id, practitioner_id): (&str, &str),
    problem: &str,
    now: Timestamp,
) -> Result<Timestamp, StoreError> {
    let since = sqlx::query_scalar(
        "insert into calendar_sources (calendar_id, practitioner_id, tried_at, failing_since_at,
                                       problem)
         values ($1, $2, $3, $3, $4)
         on conflict (calendar_id) do update
         set tried_at = excluded.tried_at, problem = excluded.problem,
             failing_since_at =
                 coalesce(calendar_sources.failing_since_at, excluded.failing_since_at)
         returning failing_since_at",
    )
    .bind(calendar_id)
    .bind(practitioner_id)
    .bind(now)
    .bind(problem)
    .fetch_one(tx.connection())
    .await?;
    Ok(since)
}

/// Has all calendars read whole the next time: this program, or the practice's file, may read the
/// same content otherwise than before.
pub async fn forget_contents(tx: &mut Tx) -> Result<(), StoreError> {
    sqlx::query("update calendar_sources set etag = null where etag is not null")
        .execute(tx.connection())
        .await?;
    Ok(())
}

/// Deletes the calendars that the practice's file does not name any more, with their busy times,
/// and returns their ids.
pub async fn delete_others(tx: &mut Tx, named: &[String]) -> Result<Vec<String>, StoreError> {
    let ids = sqlx::query_scalar(
        "delete from calendar_sources where not calendar_id = any ($1) returning calendar_id",
    )
    .bind(named)
    .fetch_all(tx.connection())
    .await?;
    Ok(ids)
}
