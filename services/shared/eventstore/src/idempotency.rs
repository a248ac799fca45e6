//! Idempotency keys: a repeated request gets the first answer, and another request with the same
//! key is refused.

use kernel::id::{InvalidId, Kind};
use kernel::{CommandError, Id};
use sqlx::postgres::PgRow;
use sqlx::{Postgres, QueryBuilder, Row};

use crate::error::StoreError;
use crate::idempotency_key::IdempotencyKey;
use crate::transaction::{Loaded, Tx};

/// What a service answers to a key that cannot be taken.
pub trait KeyRejection: Sized {
    /// The key stands for another request.
    const REUSED: Self;
}

/// Why a key was not taken.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// It stands for another request.
    #[error("the key was used for another request")]
    Reused,
    /// What is stored cannot be read.
    #[error("the stored answer is no id")]
    Answer(#[from] InvalidId),
    /// The database does not answer.
    #[error("the key cannot be looked up")]
    Store(#[from] StoreError),
}

impl<R: KeyRejection> From<KeyError> for CommandError<R> {
    fn from(error: KeyError) -> Self {
        match error {
            KeyError::Reused => Self::Rejected(R::REUSED),
            KeyError::Answer(error) => Self::unavailable(error),
            KeyError::Store(error) => error.into(),
        }
    }
}

/// The state of a caller's key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IdempotencyLookup {
    /// It is new.
    New,
    /// The same request was answered with this.
    Answered(String),
    /// Another request has used it.
    Different,
}

/// A caller's key, and the stream that is read with it.
#[derive(Debug, Clone, Copy)]
pub struct KeyLookup<'a> {
    /// The key.
    pub key: &'a IdempotencyKey,
    /// The stream.
    pub stream_id: &'a str,
    /// The version of the first event to read.
    pub from_version: i64,
}

/// How long a key is kept. Callers repeat a request within minutes; a month is ample.
pub const KEY_DAYS: i32 = 30;
/// How many old keys one transaction deletes; it takes about a second.
const DELETED_MAX: u64 = 10_000;

/// The result of a deletion of old keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeletedKeys {
    /// How many.
    pub count: u64,
    /// Whether more may be left.
    pub is_part: bool,
}

impl IdempotencyKey {
    /// What the first request with this key was answered with, if there was one.
    ///
    /// # Errors
    /// `Reused`.
    pub async fn answer(&self, tx: &mut Tx) -> Result<Option<String>, KeyError> {
        tx.lookup_key(self).await?.answer()
    }

    /// The same where the answer is an id.
    ///
    /// # Errors
    /// `Reused`.
    pub async fn lookup<K: Kind>(&self, tx: &mut Tx) -> Result<Option<Id<K>>, KeyError> {
        tx.lookup_key(self).await?.id()
    }

    /// Stores the answer: an id.
    pub async fn store(&self, tx: &mut Tx, answer: impl ToString) -> Result<(), StoreError> {
        tx.store_key(self, answer.to_string()).await
    }
}

impl IdempotencyLookup {
    fn answer(self) -> Result<Option<String>, KeyError> {
        match self {
            Self::New => Ok(None),
            Self::Answered(answer) => Ok(Some(answer)),
            Self::Different => Err(KeyError::Reused),
        }
    }

    /// The id that the first request with this key returned, if there was one.
    ///
    /// # Errors
    /// `Reused`.
    pub fn id<K: Kind>(self) -> Result<Option<Id<K>>, KeyError> {
        Ok(self.answer()?.map(|answer| answer.parse()).transpose()?)
    }
}

fn lookup(row: &PgRow, request_hash: &[u8]) -> Result<IdempotencyLookup, StoreError> {
    Ok(match row.try_get::<Option<Vec<u8>>, _>("request_hash")? {
        None => IdempotencyLookup::New,
        Some(known) if known == request_hash => IdempotencyLookup::Answered(row.try_get("answer")?),
        Some(_other) => IdempotencyLookup::Different,
    })
}

impl Tx {
    /// Looks a caller's key up. Other transactions with the same key wait until this one ends.
    pub async fn lookup_key(
        &mut self,
        key: &IdempotencyKey,
    ) -> Result<IdempotencyLookup, StoreError> {
        self.lock(&[key.lock_name()]).await?;
        let row = sqlx::query(
            "select request_hash, answer from idempotency_keys
             where caller = $1 and method = $2 and key = $3",
        )
        .bind(&key.caller)
        .bind(key.method)
        .bind(&key.key)
        .fetch_optional(self.connection())
        .await?;
        row.map_or(Ok(IdempotencyLookup::New), |row| lookup(&row, &key.hash))
    }

    /// Deletes keys that are older than [`KEY_DAYS`]. A later repeat must not do its work again, so
    /// important ids are derived from the key.
    pub async fn delete_old_keys(&mut self) -> Result<DeletedKeys, StoreError> {
        let count = sqlx::query(
            "delete from idempotency_keys where ctid = any(array(
                 select ctid from idempotency_keys
                 where recorded_at < clock_now() - make_interval(days => $1) limit $2))",
        )
        .bind(KEY_DAYS)
        .bind(DELETED_MAX.cast_signed())
        .execute(self.connection())
        .await?
        .rows_affected();
        Ok(DeletedKeys { count, is_part: count == DELETED_MAX })
    }

    /// Looks keys of a method up whose locks this transaction holds, and reads a stream with each,
    /// from a version on. One round trip to the database for all; the results are in their
    /// order.
    ///
    /// # Errors
    /// When the database does not answer or holds an event that cannot be read.
    pub async fn lookup_and_load(
        &mut self,
        method: &str,
        asked: &[KeyLookup<'_>],
    ) -> Result<Vec<(IdempotencyLookup, Loaded)>, StoreError> {
        self.flush().await?;
        // Rows are looked up one by one, because a join would be planned for all rows of the log.
        let mut sql = QueryBuilder::<Postgres>::new(
            "with c as materialized (select clock_now() as now)
             select now, n, request_hash, answer, event_id, stream_id, version,
                    0::bigint as position, event_type, payload, metadata, recorded_at
             from c cross join (",
        );
        sql.push_values(asked.iter().enumerate(), |mut row, (number, asked)| {
            row.push(number).push_bind(&asked.key.caller).push_bind(&asked.key.key);
            row.push_bind(asked.stream_id).push_bind(asked.from_version);
        });
        sql.push(
            ") as a (n, caller, key, stream, from_version)
             left join lateral (select request_hash, answer from idempotency_keys k
                                where k.caller = a.caller and k.key = a.key and k.method = ",
        );
        sql.push_bind(method);
        sql.push(
            " limit 1) as k on true
             left join lateral (select * from events
                                where stream_id = a.stream and version >= a.from_version
                                offset 0) as e on true
             order by n, version",
        );
        let rows = sql.build().fetch_all(self.connection()).await?;
        let number = |row: &PgRow| row.try_get::<i32, _>("n").ok();
        let mut answers = Vec::with_capacity(asked.len());
        for (asked, rows) in asked.iter().zip(rows.chunk_by(|a, b| number(a) == number(b))) {
            let first = rows.first().ok_or(sqlx::Error::RowNotFound)?;
            answers.push((lookup(first, &asked.key.hash)?, self.loaded(rows)?));
        }
        if answers.len() == asked.len() {
            Ok(answers)
        } else {
            Err(sqlx::Error::RowNotFound.into())
        }
    }

    /// Stores the answer of a key: an id, never personal data. It is written when the transaction
    /// ends at the latest.
    ///
    /// # Errors
    /// The transaction fails with `Conflict`, here or at its end, when the key was stored
    /// meanwhile.
    pub async fn store_key(
        &mut self,
        key: &IdempotencyKey,
        answer: String,
    ) -> Result<(), StoreError> {
        self.batch.store_key(key.clone(), answer);
        self.flush_when_full().await
    }
}
