//! The kinds of this service's timers, and their payload.

use eventstore::Tx;
use kernel::Id;
use kernel::id::Booking;
use serde_json::{Value, json};

use crate::domain::booking::Timer;

/// A hold expires.
pub const HOLD_END: &str = "hold-end";
/// A session ends.
pub const SESSION_END: &str = "session-end";
/// A meeting room is to be created.
pub const CREATE_MEETING: &str = "create-meeting";
/// A client's cancellation takes effect.
pub const CANCELLATION_EFFECT: &str = "cancellation-effect";
/// No other time was chosen for a session that the practice can't hold.
pub const PROPOSAL_END: &str = "proposal-end";
/// A meeting is to be at its session's new time.
pub const MOVE_MEETING: &str = "move-meeting";
/// The meeting of a cancelled booking is to be removed at its provider.
pub const REMOVE_MEETING: &str = "remove-meeting";
/// An external scheduling provider's calendar is to be kept as our bookings are. There is one such
/// timer, set at the start.
pub const KEEP_CALENDAR: &str = "keep-calendar";
/// A practitioner's own calendar is to be read; its subject is the calendar's id.
pub const READ_CALENDAR: &str = "read-calendar";

/// Freed times of a practitioner are to be offered to the wait list; its subject is the
/// practitioner's id.
pub const OFFER_TIMES: &str = "offer-times";
/// A time that is offered to one client is not held any more; its subject is the offer's id.
pub const OFFER_END: &str = "offer-end";

/// What the probe has committed. It falls due only when the probe stopped, and then it ends.
pub const PROBE: &str = "probe";

/// Retention: expired data is deleted. There is one such timer, set by a migration.
pub const RETENTION: &str = "sweep";

/// A timer's payload: the trace that it belongs to.
#[must_use]
pub fn payload(tx: &Tx) -> Value {
    json!({ "traceparent": tx.metadata().traceparent })
}

/// The kind and the subject of a booking's timer: the booking, and in a package the session's
/// number.
#[must_use]
pub fn key(id: Id<Booking>, timer: Timer) -> (&'static str, String) {
    match timer {
        Timer::HoldEnd => (HOLD_END, id.to_string()),
        Timer::CreateMeeting => (CREATE_MEETING, id.to_string()),
        Timer::MoveMeeting => (MOVE_MEETING, id.to_string()),
        Timer::ProposalEnd => (PROPOSAL_END, id.to_string()),
        Timer::CancellationEffect => (CANCELLATION_EFFECT, id.to_string()),
        Timer::SessionEnd(None) => (SESSION_END, id.to_string()),
        Timer::SessionEnd(Some(number)) => (SESSION_END, format!("{id}/{number}")),
    }
}

/// Reads the subject of a timer; `None` if it is malformed.
#[must_use]
pub fn parse_subject(subject: &str) -> Option<(Id<Booking>, Option<usize>)> {
    match subject.split_once('/') {
        None => Some((subject.parse().ok()?, None)),
        Some((id, number)) => Some((id.parse().ok()?, Some(number.parse().ok()?))),
    }
}
