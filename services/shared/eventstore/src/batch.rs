//! Collects the events, timers and answers that a transaction adds, and writes them in one
//! statement at its end. Each further statement would be a round trip to the database while the
//! locks of a practitioner's day are held.

use kernel::Timestamp;
use serde_json::Value;
use sqlx::{PgConnection, Postgres, QueryBuilder};
use uuid::Uuid;

use crate::error::StoreError;
use crate::event::NewEvent;
use crate::wakeups::Signal;

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
struct NewTimer {
    kind: String,
    subject: String,
    due_at: Timestamp,
    is_bulk: bool,
    payload: Value,
    metadata: Value,
}

#[derive(Debug)]
struct NewAnswer {
    caller: String,
    method: String,
    key: String,
    hash: Vec<u8>,
    answer: String,
}

/// The rows that are not written yet.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    events: Vec<Row>,
    timers: Vec<NewTimer>,
    answers: Vec<NewAnswer>,
    /// Whether the transaction has appended events, and has set timers that are due at once.
    appended: bool,
    timers_due: bool,
}

impl Batch {
    pub(crate) fn signals(&self) -> impl Iterator<Item = Signal> + use<> {
        let appended = self.appended.then_some(Signal::Appended);
        appended.into_iter().chain(self.timers_due.then_some(Signal::TimersDue))
    }

    pub(crate) fn append(
        &mut self,
        (stream_id, version): (&str, i64),
        event: &NewEvent,
        metadata: &Value,
    ) {
        self.appended = true;
        self.events.push(Row {
            id: event.event_id,
            stream_id: stream_id.to_owned(),
            version,
            event_type: event.event_type.clone(),
            payload: event.payload.clone(),
            metadata: metadata.clone(),
        });
    }

    /// The last timer that is set replaces others of its kind and subject.
    pub(crate) fn set_timer(
        &mut self,
        (kind, subject): (&str, &str),
        (due_at, is_soon, is_bulk): (Timestamp, bool, bool),
        (payload, metadata): (Value, Value),
    ) {
        self.timers_due |= is_soon;
        self.end_timer(kind, subject);
        let (kind, subject) = (kind.to_owned(), subject.to_owned());
        self.timers.push(NewTimer { kind, subject, due_at, is_bulk, payload, metadata });
    }

    pub(crate) fn end_timer(&mut self, kind: &str, subject: &str) {
        self.timers.retain(|timer| timer.kind != kind || timer.subject != subject);
    }

    pub(crate) fn store_key(
        &mut self,
        (caller, method): (&str, &str),
        (key, hash): (&str, &[u8]),
        answer: &str,
    ) {
        self.answers.push(NewAnswer {
            caller: caller.to_owned(),
            method: method.to_owned(),
            key: key.to_owned(),
            hash: hash.to_vec(),
            answer: answer.to_owned(),
        });
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
        sql.push_values(self.answers.drain(..), |mut row, new| {
            row.push_bind(new.caller).push_bind(new.method).push_bind(new.key);
            row.push_bind(new.hash).push_bind(new.answer);
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
