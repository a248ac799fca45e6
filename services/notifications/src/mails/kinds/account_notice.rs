//! What has changed at an account.

use crate::mails::declaration::{Audience, Declaration};
use crate::templates::render::samples::figures::at;

/// The declaration.
pub(super) const MAIL: Declaration =
    Declaration { audience: Audience::Account, ..Declaration::TO_CLIENT };
