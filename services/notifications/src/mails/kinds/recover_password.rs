//! A code to choose a new password.

use crate::mails::declaration::Declaration;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration::WITH_CODE;
