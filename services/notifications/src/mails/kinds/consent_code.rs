//! A code with which the client of a booking by phone signs the consent.

use crate::mails::declaration::Declaration;
use crate::templates::render::samples;

/// The declaration.
pub(super) const MAIL: Declaration =
    Declaration { samples: samples::codes, ..Declaration::TO_CLIENT };
