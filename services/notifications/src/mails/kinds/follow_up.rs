//! After a session: as soon as staff said that the client came, and in the evening where staff said
//! nothing, which counts as held. A client who did not come is not thanked; until the mail is due
//! the last mark counts.

use contract::booking::v1::{BookingCompleted, BookingState, SessionMode};
use eventstore::Recorded;
use jiff::civil::Time;
use kernel::Timestamp;
use messaging::ReactionError;
use practice::Practice;
use serde_json::json;

use crate::mails::declaration::{Declaration, Urgency, id};
use crate::mails::facts::BookingFacts;
use crate::mails::kind::Kind;
use crate::mails::mail::NewMail;
use crate::mails::planning::{Due, NOT_CHOSEN, OVERTAKEN, Plan, TOO_LATE, is_stale, local_time};
use crate::templates::render::samples::figures::{HOUR, at};
use crate::templates::render::samples::{Form, INVITATION, ROOM_URL, Typed, booking, free, of};

/// Until when, on the day of the session, a mark is waited for.
const EVENING: Time = Time::constant(20, 0, 0, 0);
/// How many minutes after the session a mark is waited for at least.
const MARKED_WITHIN_MINUTES: i64 = 120;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    is_bulk: true,
    urgency: Urgency::Optional,
    asked_by,
    is_untrue: |facts, _payload| {
        !matches!(facts.booking.state(), BookingState::Completed | BookingState::NoShow)
    },
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
    let at = due_at(facts, due.practice);
    if due.now < at {
        Plan::Wait(at)
    } else if facts.booking.state() == BookingState::NoShow {
        Plan::Drop(OVERTAKEN)
    } else if facts.preferences.as_ref().is_some_and(|chosen| !chosen.thanks) {
        Plan::Drop(NOT_CHOSEN)
    } else if is_stale(at, due.now) {
        Plan::Drop(TOO_LATE)
    } else {
        Plan::Send
    }
}

/// Some time after the last session, which the practice chose; while staff did not say that the
/// client came to it, later.
fn due_at(facts: &BookingFacts, practice: &Practice) -> Timestamp {
    let soonest = facts.ends_at.plus_minutes(i64::from(practice.mails.follow_up_minutes));
    if facts.is_last_attended() {
        return soonest;
    }
    let day = facts.starts_at.in_zone(&practice.practice.zone).date();
    let patient = soonest.max(facts.ends_at.plus_minutes(MARKED_WITHIN_MINUTES));
    local_time(practice, day, EVENING).map_or(patient, |evening| evening.max(patient))
}

fn samples(typed: &Typed) -> Vec<Form> {
    let mut facts = booking(typed, SessionMode::Online, ROOM_URL);
    facts.booking.state = BookingState::Completed.into();
    let uninvited = facts.clone();
    facts.invitation = Some((INVITATION.to_owned(), at(30 * 24 * HOUR)));
    let uninvited = [("uninvited", of(uninvited), json!({})), ("free", free(typed), json!({}))];
    [("invited", of(facts), json!({}))].into_iter().chain(uninvited).collect()
}
