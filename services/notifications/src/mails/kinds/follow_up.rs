//! After a session.

use contract::booking::v1::{BookingState, SessionMode};
use serde_json::json;

use crate::mails::declaration::{Declaration, Urgency};
use crate::templates::render::samples::figures::{HOUR, at};
use crate::templates::render::samples::{Form, INVITATION, ROOM_URL, Typed, booking, free, of};

/// The declaration.
pub(super) const MAIL: Declaration =
    Declaration { is_bulk: true, urgency: Urgency::Optional, samples, ..Declaration::TO_CLIENT };

fn samples(typed: &Typed) -> Vec<Form> {
    let mut facts = booking(typed, SessionMode::Online, ROOM_URL);
    facts.booking.state = BookingState::Completed.into();
    let uninvited = facts.clone();
    facts.invitation = Some((INVITATION.to_owned(), at(30 * 24 * HOUR)));
    let uninvited = [("uninvited", of(uninvited), json!({})), ("free", free(typed), json!({}))];
    [("invited", of(facts), json!({}))].into_iter().chain(uninvited).collect()
}
