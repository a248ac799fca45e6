//! A code with which an account leaves its address.

use crate::mails::declaration::Declaration;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration::WITH_CODE;
