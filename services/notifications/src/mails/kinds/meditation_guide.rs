//! The meditation guide.

use crate::mails::declaration::Declaration;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration::TO_VISITOR;
