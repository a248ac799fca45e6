//! The practice's notice of a dispute.

use crate::mails::declaration::Declaration;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration::TO_PRACTICE;
