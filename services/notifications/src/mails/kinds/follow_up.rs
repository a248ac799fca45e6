//! After a session.

use contract::booking::v1::{BookingCompleted, BookingState, SessionMode};
use eventstore::Recorded;
use messaging::ReactionError;
use serde_json::json;

use crate::mails::declaration::{Declaration, Urgency, id};
use crate::mails::kind::Kind;
use crate::mails::mail::NewMail;
use crate::mails::planning::{Due, Plan, TOO_LATE, is_stale};
use crate::templates::render::samples::figures::{HOUR, at};
use crate::templates::render::samples::{Form, INVITATION, ROOM_URL, Typed, booking, free, of};

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    is_bulk: true,
    urgency: Urgency::Optional,
    asked_by,
    is_untrue: |facts, _payload| facts.booking.state() != BookingState::Completed,
    plan,
    samples,
    ..Declaration::TO_CLIENT
};

fn asked_by(event: &Recorded) -> Result<Option<NewMail>, ReactionError> {
    let Some(e) = event.get::<BookingCompleted>()? else { return Ok(None) };
    Ok(Some(NewMail::of_booking(Kind::FollowUp, id(&e.booking_id)?)))
}

fn plan(due: &Due<'_>) -> Plan {
    let Some(facts) = due.booking() else { return Plan::Send };
    let at = facts.ends_at.plus_minutes(i64::from(due.practice.mails.follow_up_minutes));
    if due.now < at {
        Plan::Wait(at)
    } else if is_stale(at, due.now) {
        Plan::Drop(TOO_LATE)
    } else {
        Plan::Send
    }
}

fn samples(typed: &Typed) -> Vec<Form> {
    let mut facts = booking(typed, SessionMode::Online, ROOM_URL);
    facts.booking.state = BookingState::Completed.into();
    let uninvited = facts.clone();
    facts.invitation = Some((INVITATION.to_owned(), at(30 * 24 * HOUR)));
    let uninvited = [("uninvited", of(uninvited), json!({})), ("free", free(typed), json!({}))];
    [("invited", of(facts), json!({}))].into_iter().chain(uninvited).collect()
}
