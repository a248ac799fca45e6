//! The practice's notice of a session that has no room a day before it starts.

use contract::booking::v1::RoomMissing;
use eventstore::Recorded;
use messaging::ReactionError;
use serde_json::{Value, json};

use crate::mails::declaration::{Declaration, id};
use crate::mails::facts::BookingFacts;
use crate::mails::kind::Kind;
use crate::mails::mail::NewMail;
use crate::mails::planning::OVERTAKEN;
use crate::templates::render::samples::{Form, Typed, online, package};

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    asked_by,
    is_untrue,
    believes: |reason| reason == OVERTAKEN,
    samples,
    ..Declaration::TO_PRACTICE
};

/// Of a package with the number of the session.
fn asked_by(event: &Recorded) -> Result<Option<NewMail>, ReactionError> {
    let Some(e) = event.get::<RoomMissing>()? else { return Ok(None) };
    let (kind, booking) = (Kind::RoomMissingNotice, id(&e.booking_id)?);
    let number = usize::try_from(e.session_number).ok().filter(|number| *number > 0);
    Ok(Some(match number {
        None => NewMail::of_booking(kind, booking),
        Some(number) => NewMail::of_session(kind, booking, number),
    }))
}

/// The room may be there by now.
fn is_untrue(facts: &BookingFacts, _payload: &Value) -> bool {
    !facts.is_ahead() || facts.is_session_cancelled() || !facts.booking.join_url.is_empty()
}

fn samples(typed: &Typed) -> Vec<Form> {
    vec![("single", online(typed, ""), json!({})), ("package", package(typed, Some(2)), json!({}))]
}
