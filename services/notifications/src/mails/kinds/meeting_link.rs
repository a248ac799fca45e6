//! The meeting link that came after the confirmation.

use crate::mails::declaration::Declaration;

/// The declaration.
pub(super) const MAIL: Declaration =
    Declaration { has_calendar_file: true, leads_to_session: true, ..Declaration::TO_CLIENT };
