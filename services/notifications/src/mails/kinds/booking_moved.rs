//! A session has another time.

use crate::mails::declaration::{Declaration, LeadsTo};
use crate::mails::moves::is_overtaken;
use crate::templates::render::samples::moved;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    leads_to: LeadsTo::BookingAndSession,
    has_calendar_file: true,
    is_untrue: is_overtaken,
    samples: moved::samples,
    ..Declaration::TO_CLIENT
};
