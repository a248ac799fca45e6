//! The same key gets the first answer; with another request behind it, it is refused.

use sha2::{Digest as _, Sha256};
use sqlx::Row;

use crate::error::StoreError;
use crate::transaction::Tx;

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

impl Tx {
    /// Looks a caller's key up, and makes others with the same key wait until this transaction
    /// ends.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn recall(
        &mut self,
        caller: (&str, &str),
        key: &str,
        request_hash: &[u8],
    ) -> Result<Recall, StoreError> {
        self.lock(&[key_lock(caller, key)]).await?;
        self.recall_locked(caller, key, request_hash).await
    }

    /// Looks a caller's key up whose lock, [`key_lock`], this transaction has.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn recall_locked(
        &mut self,
        (caller, method): (&str, &str),
        key: &str,
        request_hash: &[u8],
    ) -> Result<Recall, StoreError> {
        let row = sqlx::query(
            "select request_hash, answer from idempotency_keys
             where caller = $1 and method = $2 and key = $3",
        )
        .bind(caller)
        .bind(method)
        .bind(key)
        .fetch_optional(self.connection())
        .await?;
        let Some(row) = row else {
            return Ok(Recall::New);
        };
        let known: Vec<u8> = row.try_get("request_hash")?;
        if known != request_hash {
            return Ok(Recall::Different);
        }
        Ok(Recall::Answered(row.try_get("answer")?))
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
