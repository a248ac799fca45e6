//! Sessions that were moved: a mail about a move, or a reminder that a move queued anew, is true
//! only until the next move of its session, which has mails of its own. Pure.

use kernel::{Id, Timestamp, id};
use serde_json::Value;

use crate::mails::facts::BookingFacts;
use crate::mails::kind::Kind;
use crate::mails::mail::{About, Mail, NewMail};
use crate::mails::payload::{MOVE, MOVED_TO};
use crate::mails::planning::{OVERTAKEN, Plan};

/// How long booking has to learn of a move that this service knows.
const PATIENCE_SECONDS: i64 = 60 * 60;

/// A mail that is sent once for a move of a session, by the numbers of both from 1.
#[must_use]
pub fn mail_of(kind: Kind, id: Id<id::Booking>, session: usize, number: i32) -> NewMail {
    NewMail::about(kind, format!("{id}/{session}/move {number}"), About::Booking(id))
}

/// Whether a mail with this payload tells of a session that does not lie ahead any more as it says:
/// it was cancelled, or moved since the move that the mail belongs to. A mail of before all moves
/// belongs to none.
#[must_use]
pub fn is_overtaken(facts: &BookingFacts, payload: &Value) -> bool {
    let was_moved_since = i64::from(facts.moves()) > move_number(payload);
    !facts.is_ahead() || facts.is_session_cancelled() || was_moved_since
}

/// What is done with a mail that belongs to a move of which booking's answer knows nothing yet;
/// `None` where it does. Unless booking was restored from a backup, the answer was fetched before
/// the move, so booking is asked again.
#[must_use]
pub fn until_known(facts: &BookingFacts, mail: &Mail, now: Timestamp) -> Option<Plan> {
    let is_known = i64::from(facts.moves()) >= move_number(&mail.payload)
        || moved_to(&mail.payload) == Some(facts.starts_at);
    if is_known {
        None
    } else if now.seconds_since(mail.queued_at) < PATIENCE_SECONDS {
        Some(Plan::Wait(now.plus_minutes(1)))
    } else {
        Some(Plan::Drop(OVERTAKEN))
    }
}

fn move_number(payload: &Value) -> i64 {
    payload.get(MOVE).and_then(Value::as_i64).unwrap_or(0)
}

fn moved_to(payload: &Value) -> Option<Timestamp> {
    payload.get(MOVED_TO)?.as_str()?.parse().ok()
}
