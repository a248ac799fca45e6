//! The errors of the store.

use kernel::{CommandError, ValueRefused};
use tokio::task::JoinError;

use crate::event::Recorded;

/// A stored event that its reader cannot read: a newer release wrote it, or it has impossible
/// values. The error does not repeat them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{event_type} at version {version} of {stream_id} cannot be read")]
pub struct Unreadable {
    stream_id: String,
    event_type: String,
    version: i64,
}

impl Unreadable {
    /// Names an event that cannot be read.
    #[must_use]
    pub fn of(stored: &Recorded) -> Self {
        Self {
            stream_id: stored.stream_id.clone(),
            event_type: stored.event_type.clone(),
            version: stored.version,
        }
    }
}

/// Why the store failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another transaction appended to the stream first, or two transactions waited for each other.
    #[error("another transaction wrote first")]
    Conflict,
    /// An exclusion constraint refused the row (SQLSTATE 23P01).
    #[error("the row overlaps another")]
    Excluded,
    /// Another transaction held a lock longer than this one waits (SQLSTATE 55P03).
    #[error("others hold what is wanted")]
    Held,
    /// An event could not be written as JSON or read from it.
    #[error("an event could not be read or written")]
    Event(#[from] contract::json::JsonError),
    /// A stream has an event that its reader cannot read.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// The database cannot store a value: a text with a character that it does not have, one that
    /// is too long, or a number or time out of range.
    #[error("the database refused a value")]
    Refused(#[source] ValueRefused),
    /// The database failed.
    #[error("the database did not answer as expected")]
    Database(#[source] sqlx::Error),
    /// The work panicked. The log names the place, but not the message, which may hold personal
    /// data.
    #[error("the transaction panicked")]
    Panicked,
    /// The task of the transaction was stopped, because the process ends.
    #[error("the transaction was given up")]
    Abandoned(#[source] JoinError),
}

impl StoreError {
    /// Whether the database or this process is unavailable, so that smaller work would fail as
    /// well: the connection was lost, none became free in time, or the process ends.
    #[must_use]
    pub fn is_away(&self) -> bool {
        match self {
            Self::Conflict
            | Self::Excluded
            | Self::Held
            | Self::Event(_)
            | Self::Unreadable(_)
            | Self::Refused(_)
            | Self::Panicked => false,
            Self::Database(error) => {
                error.as_database_error().is_none() && !is_about_the_data(error)
            }
            Self::Abandoned(_) => true,
        }
    }

    /// Whether the database's machine had no room for it (SQLSTATE class 53: disk, memory,
    /// connections) or could not write it (58030).
    #[must_use]
    pub fn is_without_room(&self) -> bool {
        let Self::Database(error) = self else { return false };
        let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
        code.is_some_and(|code| code.starts_with("53") || code == "58030")
    }

    /// Whether the fault lies in the written or read data, so that the same work would fail again.
    /// Every other fault ends: locks are released, the database comes back, a table is created.
    #[must_use]
    pub fn is_fault(&self) -> bool {
        match self {
            Self::Excluded
            | Self::Event(_)
            | Self::Unreadable(_)
            | Self::Refused(_)
            | Self::Panicked => true,
            Self::Database(error) => is_about_the_data(error),
            Self::Conflict | Self::Held | Self::Abandoned(_) => false,
        }
    }
}

/// Whether PostgreSQL refused a value or a row (SQLSTATE classes 22 and 23), or a row has an
/// impossible value. A missing table, a full disk or a lost connection are no such faults.
fn is_about_the_data(error: &sqlx::Error) -> bool {
    if matches!(error, sqlx::Error::ColumnDecode { .. }) {
        return true;
    }
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    code.is_some_and(|code| code.starts_with("22") || code.starts_with("23"))
}

impl From<JoinError> for StoreError {
    fn from(error: JoinError) -> Self {
        if error.is_panic() { Self::Panicked } else { Self::Abandoned(error) }
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
            // character_not_in_repertoire, untranslatable_character, string_data_right_truncation,
            // numeric_value_out_of_range, datetime_field_overflow
            Some("22021" | "22P05" | "22001" | "22003" | "22008") => Self::Refused(ValueRefused),
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
            | StoreError::Unreadable(_)
            | StoreError::Refused(_)
            | StoreError::Database(_)
            | StoreError::Panicked
            | StoreError::Abandoned(_) => Self::unavailable(error),
        }
    }
}

/// Tells failures that another try may mend from others.
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
