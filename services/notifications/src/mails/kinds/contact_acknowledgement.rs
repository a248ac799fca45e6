//! The acknowledgement of a message, to its sender.

use crate::mails::declaration::Declaration;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration::TO_VISITOR;
