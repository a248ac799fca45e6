//! A code to accept an account that an administrator made.

use crate::mails::declaration::{Declaration, code_for};
use crate::mails::kind::Kind;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    asked_by: |event| code_for("invite", Kind::AccountInvitation, event),
    ..Declaration::WITH_CODE
};
