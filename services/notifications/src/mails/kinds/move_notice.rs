//! The practice's notice of a session that has another time.

use crate::mails::declaration::{Declaration, Replies};
use crate::mails::moves::is_overtaken;
use crate::templates::render::samples::moved;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    replies: Replies::ToPerson,
    is_untrue: is_overtaken,
    samples: moved::samples,
    ..Declaration::TO_PRACTICE
};
