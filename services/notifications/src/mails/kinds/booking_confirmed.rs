//! The customer's confirmation.

use crate::mails::declaration::{Declaration, Sending};
use crate::templates::render::samples;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    has_calendar_file: true,
    leads_to_session: true,
    // Booking shows it on the booking's page.
    sending: Sending::Published,
    is_untrue: |facts, _payload| !facts.is_placed(),
    samples: samples::confirmations,
    ..Declaration::TO_CLIENT
};
