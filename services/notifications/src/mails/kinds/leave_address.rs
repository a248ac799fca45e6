//! A code with which an account leaves its address.

use crate::mails::declaration::{Declaration, code_for};
use crate::mails::kind::Kind;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    asked_by: |event| code_for("email_change_current", Kind::LeaveAddress, event),
    ..Declaration::WITH_CODE
};
