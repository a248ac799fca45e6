//! A code with which a signed-in user may set a new password.

use crate::mails::declaration::Declaration;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration::WITH_CODE;
