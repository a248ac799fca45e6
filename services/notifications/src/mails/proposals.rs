//! Mails about another time for which the practice asks. Pure.

use contract::booking::v1::BookingMoveProposed;
use contract::convert::timestamp;
use kernel::{Id, Timestamp, id};
use serde_json::{Value, json};

use crate::mails::facts::BookingFacts;
use crate::mails::kind::Kind;
use crate::mails::mail::{About, NewMail};

/// The payload field: the number of the session, from 1.
const SESSION: &str = "proposal_session";
/// The payload field: when the session starts that can't be held.
pub const STARTS_AT: &str = "proposal_starts_at";
/// The payload field: until when a time can be chosen.
pub const CHOOSE_UNTIL: &str = "proposal_choose_until";

/// A mail that is sent once for a proposal: its booking, session and number, both from 1.
#[must_use]
pub fn mail_of(kind: Kind, proposal: (Id<id::Booking>, i32, i32)) -> NewMail {
    let (booking, session, number) = proposal;
    let subject = format!("{booking}/{session}/proposal {number}");
    let mail = NewMail::about(kind, subject, About::Booking(booking));
    mail.with_payload(json!({ SESSION: session }))
}

/// The mail that asks the client to choose another time; `None` when a time is missing.
#[must_use]
pub fn mail_of_event(booking: Id<id::Booking>, e: &BookingMoveProposed) -> Option<NewMail> {
    let at = |wire: &Option<_>| wire.as_ref().and_then(timestamp).map(|at| at.to_string());
    let mail = mail_of(Kind::MoveProposed, (booking, e.session_number, e.proposal_number));
    let payload = json!({
        SESSION: e.session_number,
        STARTS_AT: at(&e.starts_at)?,
        CHOOSE_UNTIL: at(&e.choose_until_at)?,
    });
    Some(mail.with_payload(payload))
}

/// Whether the practice does not ask for another time any more, as a mail says: it asks for none,
/// for one of another session, or in a later proposal until another moment.
#[must_use]
pub fn is_over(facts: &BookingFacts, payload: &Value) -> bool {
    facts.booking.move_proposal.as_ref().is_none_or(|open| {
        let until = open.choose_until_at.as_ref().and_then(timestamp);
        Some(i64::from(open.session_number)) != session(payload)
            || until != instant(payload, CHOOSE_UNTIL)
    })
}

/// Whether a session does not take place at its time, as a mail says: it is not ahead any more, or
/// the practice asks for another time of it again.
#[must_use]
pub fn is_displaced(facts: &BookingFacts, payload: &Value) -> bool {
    let number = session(payload);
    let index = number.and_then(|number| usize::try_from(number - 1).ok());
    let session = index.and_then(|index| facts.booking.sessions.get(index));
    let open = facts.booking.move_proposal.as_ref().map(|it| i64::from(it.session_number));
    !facts.is_ahead()
        || (open.is_some() && open == number)
        || session.is_none_or(|session| session.cancelled)
}

/// An instant of a payload.
#[must_use]
pub fn instant(payload: &Value, field: &str) -> Option<Timestamp> {
    payload.get(field)?.as_str()?.parse().ok()
}

fn session(payload: &Value) -> Option<i64> {
    payload.get(SESSION)?.as_i64()
}
