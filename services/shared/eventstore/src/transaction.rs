//! One write transaction: locks, loads, appends and whatever rows belong to them.

use kernel::Timestamp;
use serde_json::Value;
use sqlx::postgres::PgRow;
use sqlx::{PgConnection, PgExecutor, Postgres, Row, Transaction};

use crate::error::StoreError;
use crate::event::{Metadata, NewEvent, Recorded};

/// A transaction in which streams are read and appended to and read models are written.
#[derive(Debug)]
pub struct Tx {
    inner: Transaction<'static, Postgres>,
    metadata: Metadata,
}

/// A stream as it was read: its events, and the clock at that moment.
#[derive(Debug)]
pub struct Loaded {
    /// Its events in the order of their versions.
    pub events: Vec<Recorded>,
    /// The version of the last one, 0 when there is none; what an append expects.
    pub version: i64,
    /// The one clock, read with the stream.
    pub now: Timestamp,
}

impl Tx {
    pub(crate) fn new(inner: Transaction<'static, Postgres>, metadata: Metadata) -> Self {
        Self { inner, metadata }
    }

    /// The connection, for rows of the service's own tables.
    pub fn connection(&mut self) -> &mut PgConnection {
        &mut self.inner
    }

    /// What is kept beside the events that this transaction appends.
    #[must_use]
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Changes what is kept beside events that are appended from here on.
    pub fn set_metadata(&mut self, metadata: Metadata) {
        self.metadata = metadata;
    }

    /// The one clock, now.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn now(&mut self) -> Result<Timestamp, StoreError> {
        Ok(sqlx::query_scalar("select clock_now()").fetch_one(&mut *self.inner).await?)
    }

    /// Waits for these names until the transaction ends. They are taken in sorted order, so that
    /// two that want the same ones wait for each other instead of failing.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn lock(&mut self, names: &[String]) -> Result<(), StoreError> {
        let mut sorted: Vec<&String> = names.iter().collect();
        sorted.sort();
        sorted.dedup();
        for name in sorted {
            sqlx::query("select pg_advisory_xact_lock(hashtextextended($1, 0))")
                .bind(name)
                .execute(&mut *self.inner)
                .await?;
        }
        Ok(())
    }

    /// Reads a stream and the clock.
    ///
    /// # Errors
    /// When the database does not answer or holds an event that cannot be read.
    pub async fn load(&mut self, stream_id: &str) -> Result<Loaded, StoreError> {
        let events = load(&mut *self.inner, stream_id).await?;
        let now = self.now().await?;
        let version = events.last().map_or(0, |event| event.version);
        Ok(Loaded { events, version, now })
    }

    /// Appends events behind version `expected` of a stream, each with its outbox row. Returns the
    /// version of the last one.
    ///
    /// # Errors
    /// `Conflict` when the stream has moved on.
    pub async fn append(
        &mut self,
        stream_id: &str,
        expected: i64,
        events: &[NewEvent],
    ) -> Result<i64, StoreError> {
        let metadata = serde_json::to_value(&self.metadata).unwrap_or(Value::Null);
        let mut version = expected;
        for event in events {
            version += 1;
            sqlx::query(
                "with appended as (
                     insert into events (event_id, stream_id, version, event_type, payload,
                                         metadata, recorded_at)
                     values ($1, $2, $3, $4, $5, $6, clock_now())
                     returning seq)
                 insert into outbox (seq) select seq from appended",
            )
            .bind(event.event_id)
            .bind(stream_id)
            .bind(version)
            .bind(&event.event_type)
            .bind(&event.payload)
            .bind(&metadata)
            .execute(&mut *self.inner)
            .await
            .map_err(conflict_when_taken)?;
        }
        Ok(version)
    }

    pub(crate) async fn commit(self) -> Result<(), StoreError> {
        Ok(self.inner.commit().await?)
    }

    pub(crate) async fn rollback(self) {
        if let Err(error) = self.inner.rollback().await {
            // The server rolls back by itself when the connection is gone.
            tracing::debug!(%error, "a rollback did not reach the database");
        }
    }
}

fn conflict_when_taken(error: sqlx::Error) -> StoreError {
    match error.as_database_error() {
        Some(database) if database.is_unique_violation() => StoreError::Conflict,
        _ => error.into(),
    }
}

pub(crate) async fn load(
    executor: impl PgExecutor<'_>,
    stream_id: &str,
) -> Result<Vec<Recorded>, StoreError> {
    let rows = sqlx::query(
        "select event_id, stream_id, version, 0::bigint as position, event_type, payload, metadata,
                recorded_at
         from events where stream_id = $1 order by version",
    )
    .bind(stream_id)
    .fetch_all(executor)
    .await?;
    rows.iter().map(recorded).collect::<Result<_, _>>().map_err(StoreError::from)
}

/// Reads the columns that every query of events and parked events names alike.
pub(crate) fn recorded(row: &PgRow) -> Result<Recorded, sqlx::Error> {
    let metadata: Value = row.try_get("metadata")?;
    Ok(Recorded {
        event_id: row.try_get("event_id")?,
        stream_id: row.try_get("stream_id")?,
        version: row.try_get("version")?,
        position: row.try_get("position")?,
        event_type: row.try_get("event_type")?,
        payload: row.try_get("payload")?,
        metadata: serde_json::from_value(metadata).unwrap_or_default(),
        recorded_at: row.try_get("recorded_at")?,
    })
}
