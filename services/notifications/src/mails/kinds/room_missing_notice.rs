//! The practice's notice of a session that has no room a day before it starts.

use serde_json::{Value, json};

use crate::mails::declaration::Declaration;
use crate::mails::facts::BookingFacts;
use crate::templates::render::samples::{Form, Typed, online, package};

/// The declaration.
pub(super) const MAIL: Declaration = Declaration { is_untrue, samples, ..Declaration::TO_PRACTICE };

/// The room may be there by now.
fn is_untrue(facts: &BookingFacts, _payload: &Value) -> bool {
    !facts.is_ahead() || facts.is_session_cancelled() || !facts.booking.join_url.is_empty()
}

fn samples(typed: &Typed) -> Vec<Form> {
    vec![("single", online(typed, ""), json!({})), ("package", package(typed, Some(2)), json!({}))]
}
