//! A code to accept an account that an administrator made.

use crate::mails::declaration::Declaration;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration::WITH_CODE;
