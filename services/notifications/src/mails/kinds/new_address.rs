//! A code to prove the address that an account changes to.

use crate::mails::declaration::Declaration;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration::WITH_CODE;
