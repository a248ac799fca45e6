//! A session has another time.

use crate::mails::declaration::Declaration;
use crate::mails::moves::is_overtaken;
use crate::templates::render::samples::moved;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    has_calendar_file: true,
    leads_to_session: true,
    is_untrue: is_overtaken,
    samples: moved::samples,
    ..Declaration::TO_CLIENT
};
