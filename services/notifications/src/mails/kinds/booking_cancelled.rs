//! The booking was cancelled.

use crate::mails::declaration::Declaration;

/// The declaration.
pub(super) const MAIL: Declaration =
    Declaration { has_calendar_file: true, ..Declaration::TO_CLIENT };
