//! A code to prove the address that an account changes to.

use crate::mails::declaration::{Declaration, code_for};
use crate::mails::kind::Kind;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    asked_by: |event| code_for("email_change_new", Kind::NewAddress, event),
    ..Declaration::WITH_CODE
};
