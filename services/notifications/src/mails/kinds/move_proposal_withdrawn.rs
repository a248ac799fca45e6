//! A session takes place at its time after all.

use crate::mails::declaration::{Declaration, LeadsTo};
use crate::mails::proposals::is_displaced;
use crate::templates::render::samples::proposals;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    leads_to: LeadsTo::BookingAndSession,
    is_untrue: is_displaced,
    // It was cancelled, or the practice asks again.
    believes: |_reason| true,
    samples: proposals::withdrawn,
    ..Declaration::TO_CLIENT
};
