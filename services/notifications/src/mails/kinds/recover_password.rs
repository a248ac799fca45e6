//! A code to choose a new password.

use crate::mails::declaration::{Declaration, code_for};
use crate::mails::kind::Kind;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    asked_by: |event| code_for("recovery", Kind::RecoverPassword, event),
    ..Declaration::WITH_CODE
};
