//! The practice's notice of a cancelled booking.

use crate::mails::declaration::{Declaration, Replies};

/// The declaration.
pub(super) const MAIL: Declaration =
    Declaration { replies: Replies::ToPerson, ..Declaration::TO_PRACTICE };
