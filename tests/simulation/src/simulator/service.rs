//! The services of the practice, and why a command to one of them failed.

use std::fmt;

use messaging::ReactionError;

/// One of our services.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Service {
    Booking,
    Payments,
    Notifications,
}

impl Service {
    /// Its name as a source of events.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Booking => "booking",
            Self::Payments => "payments",
            Self::Notifications => "notifications",
        }
    }
}

/// Why a command failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Error {
    /// It was rejected, for this reason.
    Refused(String),
    /// The other side does not answer; the outcome is unknown.
    Unavailable,
    /// The process died.
    Died,
    /// A part of the program contradicts itself.
    Broken(String),
}

impl Error {
    /// A contradiction, in the words of an error.
    pub(crate) fn broken(error: impl fmt::Display) -> Self {
        Self::Broken(error.to_string())
    }
}

impl From<ReactionError> for Error {
    fn from(error: ReactionError) -> Self {
        Self::Refused(format!("{error:?}"))
    }
}
