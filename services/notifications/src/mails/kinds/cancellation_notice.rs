//! The practice's notice of a cancelled booking.

use crate::mails::declaration::{Declaration, Replies};
use crate::templates::render::samples;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    replies: Replies::ToPerson,
    is_untrue: |facts, _payload| !facts.is_cancelled(),
    samples: samples::cancellations,
    ..Declaration::TO_PRACTICE
};
