//! One write transaction: locks, loads, appends, and the rows that belong to them.

use std::collections::BTreeMap;
use std::time::Duration;

use kernel::Timestamp;
use serde_json::Value;
use sqlx::postgres::PgRow;
use sqlx::{PgConnection, PgExecutor, Postgres, Row, Transaction};

use crate::batch::Batch;
use crate::error::StoreError;
use crate::event::{Metadata, NewEvent, Recorded};

/// A transaction in which streams are read and appended to and read models are written.
#[derive(Debug)]
pub struct Tx {
    inner: Transaction<'static, Postgres>,
    metadata: Metadata,
    pub(crate) batch: Batch,
    /// The last time that was read from the clock.
    clock: Option<Timestamp>,
    /// The parameters that this transaction has set, with their values.
    set: BTreeMap<&'static str, &'static str>,
}

/// A stream as it was read: its events, and the time of the reading.
#[derive(Debug)]
pub struct Loaded {
    /// Its events in the order of their versions.
    pub events: Vec<Recorded>,
    /// The version of the last one, 0 when there is none; an append expects it.
    pub version: i64,
    /// The time of the database's clock, read with the stream.
    pub now: Timestamp,
}

impl Tx {
    pub(crate) fn new(inner: Transaction<'static, Postgres>, metadata: Metadata) -> Self {
        Self { inner, metadata, batch: Batch::default(), clock: None, set: BTreeMap::new() }
    }

    /// The connection, for rows of the service's own tables. Events, timers and answers of this
    /// transaction are written only when it ends.
    pub fn connection(&mut self) -> &mut PgConnection {
        &mut self.inner
    }

    /// The metadata of the events that this transaction appends.
    #[must_use]
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Changes the metadata of events that are appended from here on.
    pub fn set_metadata(&mut self, metadata: Metadata) {
        self.metadata = metadata;
    }

    /// Sets a parameter of PostgreSQL until the transaction ends. Does nothing if it has this value
    /// already, because each event of a batch sets the same.
    pub async fn set(&mut self, name: &'static str, value: &'static str) -> Result<(), StoreError> {
        if self.set.get(name) != Some(&value) {
            sqlx::query("select set_config($1, $2, true)")
                .bind(name)
                .bind(value)
                .execute(&mut *self.inner)
                .await?;
            self.set.insert(name, value);
        }
        Ok(())
    }

    /// The time of the database's clock.
    pub async fn now(&mut self) -> Result<Timestamp, StoreError> {
        let now = sqlx::query_scalar("select clock_now()").fetch_one(&mut *self.inner).await?;
        self.clock = Some(now);
        Ok(now)
    }

    /// Takes locks of these names until the transaction ends, in sorted order: two transactions
    /// with the same names wait instead of deadlocking.
    pub async fn lock(&mut self, names: &[String]) -> Result<(), StoreError> {
        sqlx::query("select take_locks($1)").bind(names).execute(&mut *self.inner).await?;
        Ok(())
    }

    /// Takes locks, and waits for none of them, nor for a row from here on, longer than `patience`.
    /// After that the transaction fails with [`StoreError::Held`].
    ///
    /// # Errors
    /// `Held` when another transaction does not release a lock in time.
    pub async fn lock_within(
        &mut self,
        names: &[String],
        patience: Duration,
    ) -> Result<(), StoreError> {
        let setting = format!("{}ms", patience.as_millis().max(1));
        sqlx::query(
            "select case when set_config('lock_timeout', $2, true) is not null
                         then take_locks($1) end",
        )
        .bind(names)
        .bind(setting)
        .execute(&mut *self.inner)
        .await?;
        Ok(())
    }

    /// Reads a stream and the clock.
    ///
    /// # Errors
    /// When the database does not answer or holds an event that cannot be read.
    pub async fn load(&mut self, stream_id: &str) -> Result<Loaded, StoreError> {
        self.load_from(stream_id, 0).await
    }

    /// Reads a stream from the event of this version on, and the clock.
    ///
    /// # Errors
    /// When the database does not answer or holds an event that cannot be read.
    pub async fn load_from(
        &mut self,
        stream_id: &str,
        from_version: i64,
    ) -> Result<Loaded, StoreError> {
        self.flush().await?;
        let rows = sqlx::query(
            "with c as materialized (select clock_now() as now)
             select now, event_id, stream_id, version, 0::bigint as position, event_type, payload,
                    metadata, recorded_at
             from c left join events on stream_id = $1 and version >= $2 order by version",
        )
        .bind(stream_id)
        .bind(from_version)
        .fetch_all(&mut *self.inner)
        .await?;
        self.loaded(&rows)
    }

    /// A stream's rows, each with the time. A stream without events has one row, with the time
    /// alone.
    pub(crate) fn loaded(&mut self, rows: &[PgRow]) -> Result<Loaded, StoreError> {
        let now = rows.first().ok_or(sqlx::Error::RowNotFound)?.try_get("now")?;
        self.clock = Some(now);
        let mut events = Vec::with_capacity(rows.len());
        for row in rows {
            if row.try_get::<Option<i64>, _>("version")?.is_some() {
                events.push(recorded(row)?);
            }
        }
        let version = events.last().map_or(0, |event| event.version);
        Ok(Loaded { events, version, now })
    }

    /// Appends events after version `expected` of a stream, each with its outbox row. Returns the
    /// version of the last one. They are written when the transaction ends at the latest.
    ///
    /// # Errors
    /// The transaction fails with `Conflict`, here or at its end, when the stream has moved on.
    pub async fn append(
        &mut self,
        stream_id: &str,
        expected: i64,
        events: &[NewEvent],
    ) -> Result<i64, StoreError> {
        let mut version = expected;
        for event in events {
            version += 1;
            let may_be_passed_over = contract::json::may_be_passed_over(&event.event_type);
            let metadata = Metadata { may_be_passed_over, ..self.metadata.clone() };
            let metadata = serde_json::to_value(&metadata).unwrap_or(Value::Null);
            self.batch.append((stream_id, version), event, &metadata);
            self.flush_when_full().await?;
        }
        Ok(version)
    }

    /// Writes the collected rows, before they are read again or the transaction ends.
    pub(crate) async fn flush(&mut self) -> Result<(), StoreError> {
        self.batch.write(&mut self.inner).await
    }

    pub(crate) async fn flush_when_full(&mut self) -> Result<(), StoreError> {
        if self.batch.is_full() { self.flush().await } else { Ok(()) }
    }

    /// Begins a part of the transaction that [`Self::undo`] can take back. Rows that were collected
    /// before are written first.
    ///
    /// # Errors
    /// `Conflict` when the stream of a collected event has moved on.
    pub async fn mark(&mut self) -> Result<(), StoreError> {
        self.flush().await?;
        sqlx::query("savepoint mark").execute(&mut *self.inner).await?;
        Ok(())
    }

    /// Takes back what was done since [`Self::mark`], also after a failed statement: rows, locks,
    /// parameters, and collected rows.
    pub async fn undo(&mut self) -> Result<(), StoreError> {
        self.batch.forget();
        // Parameters from before the mark are set once more, which changes nothing.
        self.set.clear();
        sqlx::query("rollback to savepoint mark").execute(&mut *self.inner).await?;
        Ok(())
    }

    /// How far ahead a time is by the last reading of the clock; zero if there was none.
    pub(crate) fn until(&self, at: Timestamp) -> Duration {
        let ahead = self.clock.map_or(0, |now| at.micros().saturating_sub(now.micros()));
        Duration::from_micros(ahead.try_into().unwrap_or(0))
    }

    pub(crate) async fn commit(self) -> Result<(), StoreError> {
        Ok(self.inner.commit().await?)
    }

    pub(crate) async fn rollback(self) {
        if let Err(error) = self.inner.rollback().await {
            // Without the connection the server rolls back by itself.
            tracing::debug!(%error, "a rollback did not reach the database");
        }
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

/// Reads the columns that all queries of events and parked events have.
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
