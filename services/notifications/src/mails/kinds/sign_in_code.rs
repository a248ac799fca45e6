//! A code to sign in without a password.

use crate::mails::declaration::{Declaration, code_for};
use crate::mails::kind::Kind;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    asked_by: |event| code_for("magiclink", Kind::SignInCode, event),
    ..Declaration::WITH_CODE
};
