//! A day before a session.

use crate::mails::declaration::Declaration;
use crate::mails::planning::before;

/// The declaration.
pub(super) const MAIL: Declaration =
    Declaration { is_bulk: true, leads_to_session: true, ..Declaration::TO_CLIENT };
