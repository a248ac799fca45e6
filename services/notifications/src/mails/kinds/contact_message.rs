//! A visitor's message, to the practice.

use crate::mails::declaration::{Declaration, Replies};

/// The declaration.
pub(super) const MAIL: Declaration =
    Declaration { replies: Replies::ToPerson, ..Declaration::TO_PRACTICE };
