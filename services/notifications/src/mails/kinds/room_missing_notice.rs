//! The practice's notice of a session that has no room a day before it starts.

use crate::mails::declaration::Declaration;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration::TO_PRACTICE;
