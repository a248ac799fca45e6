//! A code to confirm an address.

use crate::mails::declaration::{Declaration, code_for};
use crate::mails::kind::Kind;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    asked_by: |event| code_for("signup", Kind::ConfirmAddress, event),
    ..Declaration::WITH_CODE
};
