//! After a session.

use crate::mails::declaration::{Declaration, Urgency};

/// The declaration.
pub(super) const MAIL: Declaration =
    Declaration { is_bulk: true, urgency: Urgency::Optional, ..Declaration::TO_CLIENT };
