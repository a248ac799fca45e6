//! A code with which the client of a booking by phone signs the consent.

use crate::mails::declaration::Declaration;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration::TO_CLIENT;
