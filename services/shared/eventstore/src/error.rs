//! How a read or a write of the store can fail.

use kernel::CommandError;

/// Why the store did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Somebody else appended to the same stream first, or two transactions waited for each other.
    #[error("somebody else wrote first")]
    Conflict,
    /// An exclusion constraint refused the row (SQLSTATE 23P01).
    #[error("the row overlaps another")]
    Excluded,
    /// Others held a lock longer than this transaction would wait (SQLSTATE 55P03).
    #[error("others hold what is wanted")]
    Held,
    /// An event could not be written as JSON or read from it.
    #[error("an event could not be read or written")]
    Event(#[from] contract::json::JsonError),
    /// The database did not do it.
    #[error("the database did not answer as expected")]
    Database(#[source] sqlx::Error),
    /// The task that ran the transaction ended without an answer.
    #[error("the transaction was given up")]
    Abandoned(#[from] tokio::task::JoinError),
}

impl StoreError {
    /// Whether the database answered, and what it refused was what it was asked: the same of less
    /// may succeed.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Conflict | Self::Excluded | Self::Held | Self::Event(_) => true,
            Self::Database(error) => error.as_database_error().is_some(),
            Self::Abandoned(_) => false,
        }
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
        match code.as_deref() {
            // deadlock_detected, serialization_failure
            Some("40P01" | "40001") => Self::Conflict,
            Some("23P01") => Self::Excluded,
            Some("55P03") => Self::Held,
            _ => Self::Database(error),
        }
    }
}

impl<R> From<StoreError> for CommandError<R> {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Conflict => Self::Conflict,
            StoreError::Excluded
            | StoreError::Held
            | StoreError::Event(_)
            | StoreError::Database(_)
            | StoreError::Abandoned(_) => Self::unavailable(error),
        }
    }
}

/// Tells a failure that another try may mend from one that it cannot.
pub trait Retry {
    /// Whether the same work, started anew, may succeed at once.
    fn is_conflict(&self) -> bool;
}

impl Retry for StoreError {
    fn is_conflict(&self) -> bool {
        matches!(self, Self::Conflict)
    }
}

impl<R> Retry for CommandError<R> {
    fn is_conflict(&self) -> bool {
        matches!(self, Self::Conflict)
    }
}
