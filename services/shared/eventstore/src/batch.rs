//! What a transaction adds to the log, to its timers and to its answers, kept until it ends and
//! then written in one statement: each statement of its own is a round trip to the database, and
//! the locks of a practitioner's day are held meanwhile.

use kernel::Timestamp;
use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::StoreError;
use crate::event::NewEvent;
use crate::store::News;

/// One statement however much there is to write. Numbers of events are given in the order in which
/// they were appended.
const WRITE: &str = "with appended as (
         insert into events (event_id, stream_id, version, event_type, payload, metadata,
                             recorded_at)
         select event_id, stream_id, version, event_type, payload, metadata, clock_now()
         from unnest($1::uuid[], $2::text[], $3::bigint[], $4::text[], $5::jsonb[], $6::jsonb[])
              with ordinality
              as e (event_id, stream_id, version, event_type, payload, metadata, place)
         order by place
         returning seq),
     handed_on as (
         insert into outbox (seq) select seq from appended),
     timed as (
         insert into timers (kind, subject, due_at, payload, metadata)
         select * from unnest($7::text[], $8::text[], $9::timestamptz[], $10::jsonb[], $11::jsonb[])
         on conflict (kind, subject) do update
         set due_at = excluded.due_at, payload = excluded.payload, metadata = excluded.metadata,
             attempts = 0, lease_until_at = '-infinity'),
     remembered as (
         insert into idempotency_keys (caller, method, key, request_hash, answer)
         select * from unnest($12::text[], $13::text[], $14::text[], $15::bytea[], $16::text[])
         on conflict do nothing
         returning 1)
     select count(*) from remembered";

/// How many rows wait at most. A transaction with more of them writes them in several statements.
const ROWS_MAX: usize = 100;

#[derive(Debug, Default)]
struct Events {
    ids: Vec<Uuid>,
    streams: Vec<String>,
    versions: Vec<i64>,
    types: Vec<String>,
    payloads: Vec<Value>,
    metadata: Vec<Value>,
}

#[derive(Debug)]
struct NewTimer {
    kind: String,
    subject: String,
    due_at: Timestamp,
    payload: Value,
    metadata: Value,
}

#[derive(Debug, Default)]
struct Keys {
    callers: Vec<String>,
    methods: Vec<String>,
    keys: Vec<String>,
    hashes: Vec<Vec<u8>>,
    answers: Vec<String>,
}

/// What waits to be written.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    events: Events,
    timers: Vec<NewTimer>,
    keys: Keys,
    /// Whether there were events ever, and timers that are due at once.
    appended: bool,
    timers_due: bool,
}

impl Batch {
    pub(crate) fn news(&self) -> impl Iterator<Item = News> + use<> {
        let appended = self.appended.then_some(News::Appended);
        appended.into_iter().chain(self.timers_due.then_some(News::TimersDue))
    }

    pub(crate) fn append(
        &mut self,
        (stream_id, version): (&str, i64),
        event: &NewEvent,
        metadata: &Value,
    ) {
        self.appended = true;
        self.events.ids.push(event.event_id);
        self.events.streams.push(stream_id.to_owned());
        self.events.versions.push(version);
        self.events.types.push(event.event_type.clone());
        self.events.payloads.push(event.payload.clone());
        self.events.metadata.push(metadata.clone());
    }

    /// There is one timer of a kind and subject: the last that was set.
    pub(crate) fn set_timer(
        &mut self,
        (kind, subject): (&str, &str),
        (due_at, is_soon): (Timestamp, bool),
        (payload, metadata): (Value, Value),
    ) {
        self.timers_due |= is_soon;
        self.end_timer(kind, subject);
        let (kind, subject) = (kind.to_owned(), subject.to_owned());
        self.timers.push(NewTimer { kind, subject, due_at, payload, metadata });
    }

    pub(crate) fn end_timer(&mut self, kind: &str, subject: &str) {
        self.timers.retain(|timer| timer.kind != kind || timer.subject != subject);
    }

    pub(crate) fn remember(
        &mut self,
        (caller, method): (&str, &str),
        (key, hash): (&str, &[u8]),
        answer: &str,
    ) {
        self.keys.callers.push(caller.to_owned());
        self.keys.methods.push(method.to_owned());
        self.keys.keys.push(key.to_owned());
        self.keys.hashes.push(hash.to_vec());
        self.keys.answers.push(answer.to_owned());
    }

    fn rows(&self) -> usize {
        self.events.ids.len() + self.timers.len() + self.keys.keys.len()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.rows() >= ROWS_MAX
    }

    /// Writes what there is, which is nothing afterwards.
    pub(crate) async fn write(&mut self, connection: &mut PgConnection) -> Result<(), StoreError> {
        if self.rows() == 0 {
            return Ok(());
        }
        let (events, timers) = (std::mem::take(&mut self.events), std::mem::take(&mut self.timers));
        let keys = std::mem::take(&mut self.keys);
        let answers = i64::try_from(keys.answers.len()).unwrap_or(i64::MAX);
        let timer = |part: fn(&NewTimer) -> &str| -> Vec<String> {
            timers.iter().map(|timer| part(timer).to_owned()).collect()
        };
        let remembered: i64 = sqlx::query_scalar(WRITE)
            .bind(events.ids)
            .bind(events.streams)
            .bind(events.versions)
            .bind(events.types)
            .bind(events.payloads)
            .bind(events.metadata)
            .bind(timer(|timer| &timer.kind))
            .bind(timer(|timer| &timer.subject))
            .bind(timers.iter().map(|timer| timer.due_at).collect::<Vec<_>>())
            .bind(timers.iter().map(|timer| timer.payload.clone()).collect::<Vec<_>>())
            .bind(timers.iter().map(|timer| timer.metadata.clone()).collect::<Vec<_>>())
            .bind(keys.callers)
            .bind(keys.methods)
            .bind(keys.keys)
            .bind(keys.hashes)
            .bind(keys.answers)
            .fetch_one(connection)
            .await
            .map_err(conflict_when_taken)?;
        // A key that was remembered meanwhile: whoever comes again gets the answer of that request.
        if remembered == answers { Ok(()) } else { Err(StoreError::Conflict) }
    }
}

/// Timers and answers give way to a row that is there, so what is taken is a version of a stream.
fn conflict_when_taken(error: sqlx::Error) -> StoreError {
    match error.as_database_error() {
        Some(database) if database.is_unique_violation() => StoreError::Conflict,
        _ => error.into(),
    }
}
