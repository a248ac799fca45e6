//! The hold ended without money.

use contract::booking::v1::BookingState;
use serde_json::json;

use crate::mails::declaration::{Declaration, Urgency};
use crate::templates::render::samples::{Form, ROOM_URL, Typed, online};

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    // Holding a slot doesn't prove that the address belongs to the client.
    urgency: Urgency::Limited { per_hour: 4 },
    // A late payment may have placed it again, or is being refunded with a mail of its own.
    is_untrue: |facts, _payload| facts.booking.state() != BookingState::Expired,
    samples,
    ..Declaration::TO_CLIENT
};

fn samples(typed: &Typed) -> Vec<Form> {
    vec![("online", online(typed, ROOM_URL), json!({}))]
}
