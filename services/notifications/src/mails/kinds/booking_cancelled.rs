//! The booking was cancelled.

use crate::mails::declaration::Declaration;
use crate::templates::render::samples;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    has_calendar_file: true,
    is_untrue: |facts, _payload| !facts.is_cancelled(),
    samples: samples::cancellations,
    ..Declaration::TO_CLIENT
};
