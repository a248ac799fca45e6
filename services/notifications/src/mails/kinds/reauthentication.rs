//! A code with which a signed-in user may set a new password.

use crate::mails::declaration::{Declaration, code_for};
use crate::mails::kind::Kind;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    asked_by: |event| code_for("reauthentication", Kind::Reauthentication, event),
    ..Declaration::WITH_CODE
};
