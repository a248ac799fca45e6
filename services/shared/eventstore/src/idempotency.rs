//! The same key gets the first answer; with another request behind it, it is refused.

use sha2::{Digest as _, Sha256};
use sqlx::Row;
use sqlx::postgres::PgRow;

use crate::error::StoreError;
use crate::transaction::{Loaded, Tx};

/// What is known of a caller's key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recall {
    /// It is new.
    New,
    /// The same request was answered with this.
    Answered(String),
    /// It was used for another request.
    Different,
}

/// A hash of a request without its key, by which a repeat is told from another request.
#[must_use]
pub fn request_hash(bytes: &[u8]) -> Vec<u8> {
    Sha256::digest(bytes).to_vec()
}

/// The name of the lock under which a key is looked up and remembered.
#[must_use]
pub fn key_lock((caller, method): (&str, &str), key: &str) -> String {
    format!("idempotency {caller} {method} {key}")
}

fn recall(row: &PgRow, request_hash: &[u8]) -> Result<Recall, StoreError> {
    Ok(match row.try_get::<Option<Vec<u8>>, _>("request_hash")? {
        None => Recall::New,
        Some(known) if known == request_hash => Recall::Answered(row.try_get("answer")?),
        Some(_other) => Recall::Different,
    })
}

impl Tx {
    /// Looks a caller's key up, and makes others with the same key wait until this transaction
    /// ends.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn recall(
        &mut self,
        (caller, method): (&str, &str),
        key: &str,
        request_hash: &[u8],
    ) -> Result<Recall, StoreError> {
        self.lock(&[key_lock((caller, method), key)]).await?;
        let row = sqlx::query(
            "select request_hash, answer from idempotency_keys
             where caller = $1 and method = $2 and key = $3",
        )
        .bind(caller)
        .bind(method)
        .bind(key)
        .fetch_optional(self.connection())
        .await?;
        row.map_or(Ok(Recall::New), |row| recall(&row, request_hash))
    }

    /// Looks a key up whose lock, [`key_lock`], this transaction has, and reads a stream with it,
    /// from a version on: one round trip to the database for both.
    ///
    /// # Errors
    /// When the database does not answer or holds an event that cannot be read.
    pub async fn recall_and_load(
        &mut self,
        (caller, method): (&str, &str),
        (key, request_hash): (&str, &[u8]),
        (stream_id, from_version): (&str, i64),
    ) -> Result<(Recall, Loaded), StoreError> {
        self.flush().await?;
        let rows = sqlx::query(
            "with c as materialized (select clock_now() as now)
             select now, request_hash, answer, event_id, stream_id, version, 0::bigint as position,
                    event_type, payload, metadata, events.recorded_at
             from c left join idempotency_keys on caller = $1 and method = $2 and key = $3
                    left join events on stream_id = $4 and version >= $5
             order by version",
        )
        .bind(caller)
        .bind(method)
        .bind(key)
        .bind(stream_id)
        .bind(from_version)
        .fetch_all(self.connection())
        .await?;
        let recalled = rows.first().map_or(Ok(Recall::New), |row| recall(row, request_hash))?;
        Ok((recalled, self.loaded(&rows)?))
    }

    /// Remembers what a key was answered with: an id, never personal data. It is written at the
    /// latest when the transaction ends.
    ///
    /// # Errors
    /// When the database does not answer. The transaction fails with `Conflict`, here or at its
    /// end, when the key was remembered meanwhile.
    pub async fn remember(
        &mut self,
        caller: (&str, &str),
        key: &str,
        request_hash: &[u8],
        answer: &str,
    ) -> Result<(), StoreError> {
        self.batch.remember(caller, (key, request_hash), answer);
        self.flush_when_full().await
    }
}
