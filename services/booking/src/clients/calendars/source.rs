//! A practitioner's own calendar and how it is reached.

use practice::CalendarKind;
use secrecy::SecretString;

/// A calendar of a practitioner.
#[derive(Debug, Clone)]
pub struct Source {
    /// Its id.
    pub calendar_id: String,
    /// Whose times it closes.
    pub practitioner_id: String,
    /// How it is read.
    pub kind: CalendarKind,
    pub(super) url: String,
    pub(super) username: String,
    pub(super) secret: Option<SecretString>,
}
