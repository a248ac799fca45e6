//! Shortly before a session.

use crate::mails::declaration::Declaration;
use crate::mails::planning::before;
use crate::templates::render::samples;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    is_bulk: true,
    leads_to_session: true,
    samples: samples::reminders,
    ..Declaration::TO_CLIENT
};
