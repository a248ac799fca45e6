//! A refund is done.

use crate::mails::declaration::Declaration;
use crate::templates::render::samples;

/// The declaration.
pub(super) const MAIL: Declaration =
    Declaration { samples: samples::refunded, ..Declaration::TO_CLIENT };
