//! The address at which a booking that was made by phone is paid.

use crate::mails::declaration::Declaration;
use crate::templates::render::samples::booking;
use crate::templates::render::samples::figures::at;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration::TO_CLIENT;
