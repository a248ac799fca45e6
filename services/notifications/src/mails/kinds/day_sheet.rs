//! The practice's sessions of a day.

use crate::mails::declaration::Declaration;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration::TO_PRACTICE;
