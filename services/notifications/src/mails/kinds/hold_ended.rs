//! The hold ended without money.

use contract::booking::v1::{BookingExpired, BookingState};
use eventstore::Recorded;
use messaging::ReactionError;
use serde_json::json;

use crate::mails::declaration::{Declaration, Urgency, id};
use crate::mails::kind::Kind;
use crate::mails::mail::NewMail;
use crate::templates::render::samples::{Form, ROOM_URL, Typed, online};

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    // Holding a slot doesn't prove that the address belongs to the client.
    urgency: Urgency::Limited { per_hour: 4 },
    asked_by,
    // A late payment may have placed it again, or is being refunded with a mail of its own.
    is_untrue: |facts, _payload| facts.booking.state() != BookingState::Expired,
    samples,
    ..Declaration::TO_CLIENT
};

fn asked_by(event: &Recorded) -> Result<Option<NewMail>, ReactionError> {
    let Some(e) = event.get::<BookingExpired>()? else { return Ok(None) };
    Ok(Some(NewMail::of_booking(Kind::HoldEnded, id(&e.booking_id)?)))
}

fn samples(typed: &Typed) -> Vec<Form> {
    vec![("online", online(typed, ROOM_URL), json!({}))]
}
