//! The practice's notice of a new booking.

use crate::mails::declaration::{Declaration, Replies};
use crate::templates::render::samples;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    replies: Replies::ToPerson,
    is_untrue: |facts, _payload| !facts.is_placed(),
    samples: samples::confirmations,
    ..Declaration::TO_PRACTICE
};
