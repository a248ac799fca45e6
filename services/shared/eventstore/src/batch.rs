//! Collects the events, timers and answers that a transaction adds, and writes them in one
//! statement at its end. Each further statement would be a round trip to the database while the
//! locks of a practitioner's day are held.

use std::time::Duration;

use kernel::Timestamp;
use serde_json::Value;
use sqlx::{PgConnection, Postgres, QueryBuilder};
use uuid::Uuid;

use crate::error::StoreError;
use crate::event::NewEvent;
use crate::idempotency_key::IdempotencyKey;

/// A timer that is set again starts with no attempts.
const SET_AGAIN: &str = " on conflict (kind, subject) do update
    set due_at = excluded.due_at, payload = excluded.payload, metadata = excluded.metadata,
        is_bulk = excluded.is_bulk, attempts = 0, lease_until_at = '-infinity'";

/// How many rows a statement writes at most; a transaction with more uses several statements.
const ROWS_MAX: usize = 100;
/// Statements with at most so many rows are common, so the database keeps their plans.
const KEPT_ROWS_MAX: usize = 32;

#[derive(Debug)]
struct Row {
    id: Uuid,
    stream_id: String,
    version: i64,
    event_type: String,
    payload: Value,
    metadata: Value,
}

#[derive(Debug)]
pub(crate) struct NewTimer {
    pub(crate) kind: String,
    pub(crate) subject: String,
    pub(crate) due_at: Timestamp,
    pub(crate) is_bulk: bool,
    pub(crate) payload: Value,
    pub(crate) metadata: Value,
}

impl NewTimer {
    pub(crate) fn new(kind: &str, subject: &str, due_at: Timestamp, payload: Value) -> Self {
        let (kind, subject) = (kind.to_owned(), subject.to_owned());
        Self { kind, subject, due_at, is_bulk: false, payload, metadata: Value::Null }
    }
}

/// The rows that are not written yet.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    events: Vec<Row>,
    timers: Vec<NewTimer>,
    answers: Vec<(IdempotencyKey, String)>,
    /// Whether the transaction has appended an event that another service acts on.
    pub(crate) is_read: bool,
    /// In how long the first of the timers that it has set falls due.
    pub(crate) timer_in: Option<Duration>,
}

impl Batch {
    pub(crate) fn append(
        &mut self,
        (stream_id, version): (&str, i64),
        event: &NewEvent,
        metadata: &Value,
    ) {
        self.is_read |= contract::events::is_read(&event.event_type);
        self.events.push(Row {
            id: event.event_id,
            stream_id: stream_id.to_owned(),
            version,
            event_type: event.event_type.clone(),
            payload: event.payload.clone(),
            metadata: metadata.clone(),
        });
    }

    /// The last timer that is set replaces others of its kind and subject. It falls due `within`.
    pub(crate) fn set_timer(&mut self, timer: NewTimer, within: Duration) {
        self.timer_in = Some(self.timer_in.map_or(within, |known| known.min(within)));
        self.end_timer(&timer.kind, &timer.subject);
        self.timers.push(timer);
    }

    pub(crate) fn end_timer(&mut self, kind: &str, subject: &str) {
        self.timers.retain(|timer| timer.kind != kind || timer.subject != subject);
    }

    pub(crate) fn store_key(&mut self, key: IdempotencyKey, answer: String) {
        self.answers.push((key, answer));
    }

    /// Drops the rows that are not written yet.
    pub(crate) fn forget(&mut self) {
        self.events.clear();
        self.timers.clear();
        self.answers.clear();
    }

    fn rows(&self) -> usize {
        self.events.len() + self.timers.len() + self.answers.len()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.rows() >= ROWS_MAX
    }

    /// Writes all rows and empties the batch.
    pub(crate) async fn write(&mut self, connection: &mut PgConnection) -> Result<(), StoreError> {
        let rows = self.rows();
        if rows == 0 {
            return Ok(());
        }
        let answers = i64::try_from(self.answers.len()).unwrap_or(i64::MAX);
        let remembered: i64 = self
            .statement()
            .build_query_scalar()
            .persistent(rows <= KEPT_ROWS_MAX)
            .fetch_one(connection)
            .await
            .map_err(conflict_when_taken)?;
        // Another request has stored the key: the repeated request gets the stored answer.
        if remembered == answers { Ok(()) } else { Err(StoreError::Conflict) }
    }

    /// One statement that writes the sets of rows that are not empty; an empty set would cost time
    /// too. Events are numbered in the order in which they were appended. Returns how many keys are
    /// new.
    fn statement(&mut self) -> QueryBuilder<Postgres> {
        let mut sql = QueryBuilder::new("with nothing as (select)");
        if !self.events.is_empty() {
            sql.push(
                ", appended as (insert into events (event_id, stream_id, version, event_type,
                                                    payload, metadata, recorded_at) ",
            );
            sql.push_values(self.events.drain(..), |mut row, event| {
                row.push_bind(event.id).push_bind(event.stream_id).push_bind(event.version);
                row.push_bind(event.event_type).push_bind(event.payload).push_bind(event.metadata);
                row.push("clock_now()");
            });
            sql.push(
                " returning seq),
                 handed_on as (insert into outbox (seq) select seq from appended)",
            );
        }
        if !self.timers.is_empty() {
            let into = "insert into timers (kind, subject, due_at, is_bulk, payload, metadata) ";
            sql.push(", timed as (").push(into);
            sql.push_values(self.timers.drain(..), |mut row, timer| {
                row.push_bind(timer.kind).push_bind(timer.subject).push_bind(timer.due_at);
                row.push_bind(timer.is_bulk);
                row.push_bind(timer.payload).push_bind(timer.metadata);
            });
            sql.push(SET_AGAIN).push(")");
        }
        if self.answers.is_empty() {
            sql.push(" select 0::bigint");
            return sql;
        }
        let into = "insert into idempotency_keys (caller, method, key, request_hash, answer) ";
        sql.push(", remembered as (").push(into);
        sql.push_values(self.answers.drain(..), |mut row, (new, answer)| {
            row.push_bind(new.caller).push_bind(new.method).push_bind(new.key);
            row.push_bind(new.hash).push_bind(answer);
        });
        sql.push(" on conflict do nothing returning 1) select count(*) from remembered");
        sql
    }
}

/// Timers and answers give way to an existing row, so a unique violation means that the stream has
/// moved on.
fn conflict_when_taken(error: sqlx::Error) -> StoreError {
    match error.as_database_error() {
        Some(database) if database.is_unique_violation() => StoreError::Conflict,
        _ => error.into(),
    }
}
