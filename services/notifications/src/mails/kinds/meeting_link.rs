//! The meeting link that came after the confirmation.

use serde_json::json;

use crate::mails::declaration::{Declaration, LeadsTo};
use crate::templates::render::samples::{BEGUN, Form, ROOM_URL, Typed, online, with_file};

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    leads_to: LeadsTo::BookingAndSession,
    has_calendar_file: true,
    // A session that is over needs no link.
    is_untrue: |facts, _payload| !facts.is_ahead(),
    samples,
    ..Declaration::TO_CLIENT
};

fn samples(typed: &Typed) -> Vec<Form> {
    vec![
        ("online", with_file(typed, ROOM_URL), json!({})),
        (BEGUN, online(typed, ROOM_URL), json!({})),
    ]
}
