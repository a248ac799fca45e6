//! The practice's notice of a new review.

use crate::mails::declaration::Declaration;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration::TO_PRACTICE;
