//! The customer's confirmation.

use crate::mails::declaration::{Declaration, LeadsTo, Sending};
use crate::templates::render::samples;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    leads_to: LeadsTo::BookingAndSession,
    has_calendar_file: true,
    // Booking shows it on the booking's page.
    sending: Sending::Published,
    is_untrue: |facts, _payload| !facts.is_placed(),
    samples: samples::confirmations,
    ..Declaration::TO_CLIENT
};
