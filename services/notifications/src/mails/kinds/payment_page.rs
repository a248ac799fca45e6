//! The address at which a booking that was made by phone is paid.

use contract::booking::v1::{BookingState, PaymentPageRequested, SessionMode};
use contract::convert;
use eventstore::Recorded;
use kernel::Id;
use kernel::id::Booking;
use messaging::ReactionError;
use serde_json::{Value, json};

use crate::mails::declaration::{Declaration, id};
use crate::mails::facts::{BookingFacts, Facts};
use crate::mails::kind::Kind;
use crate::mails::mail::{About, NewMail};
use crate::mails::payload::RENEWED;
use crate::templates::render::samples::figures::{HOUR, at};
use crate::templates::render::samples::{Form, INVITATION, Typed, booking, of, online, package};

/// The declaration.
pub(super) const MAIL: Declaration =
    Declaration { asked_by, is_untrue, samples, ..Declaration::TO_CLIENT };

/// Each request once.
fn asked_by(event: &Recorded) -> Result<Option<NewMail>, ReactionError> {
    let Some(e) = event.get::<PaymentPageRequested>()? else { return Ok(None) };
    let booking: Id<Booking> = id(&e.booking_id)?;
    let subject = format!("{booking}/page {}", e.request_number);
    let mail = NewMail::about(Kind::PaymentPage, subject, About::Booking(booking));
    Ok(Some(if e.renewed { mail.with_payload(json!({ RENEWED: true })) } else { mail }))
}

/// A booking of an account has no page. There is nothing to pay on the page of a booking that is
/// not held, but a mail that renews its key leads there all the same.
fn is_untrue(facts: &BookingFacts, payload: &Value) -> bool {
    let renews = payload.get(RENEWED) == Some(&Value::Bool(true));
    facts.page_key.is_empty() || !(renews || facts.is_held())
}

/// Held for another day, online, in person and as a package; and a key that is renewed later.
fn samples(typed: &Typed) -> Vec<Form> {
    let in_person = of(booking(typed, SessionMode::InPerson, ""));
    let renewed = with_page(online(typed, ""), BookingState::Completed);
    vec![
        ("online", held(online(typed, "")), json!({})),
        ("in_person", held(in_person), json!({})),
        ("package", held(package(typed, None)), json!({})),
        ("renewed", renewed, json!({ RENEWED: true })),
    ]
}

fn held(facts: Facts) -> Facts {
    match with_page(facts, BookingState::Held) {
        Facts::Booking(mut facts) => {
            facts.booking.held_until_at = Some(convert::to_wire(at(-6 * HOUR)));
            Facts::Booking(facts)
        }
        other => other,
    }
}

fn with_page(facts: Facts, state: BookingState) -> Facts {
    match facts {
        Facts::Booking(mut facts) => {
            facts.page_key = INVITATION.to_owned();
            facts.calendar_file = String::new();
            facts.booking.state = state.into();
            facts.booking.join_url = String::new();
            Facts::Booking(facts)
        }
        other => other,
    }
}
