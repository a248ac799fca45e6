//! The practice's notice of a new booking.

use crate::mails::declaration::{Declaration, Replies};
use crate::templates::render::samples;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    replies: Replies::ToPerson,
    samples: samples::confirmations,
    ..Declaration::TO_PRACTICE
};
