//! The kinds of this service's timers, and their payload.

use eventstore::Tx;
use serde_json::{Value, json};

/// A hold expires.
pub const HOLD_END: &str = "hold-end";
/// A session ends.
pub const SESSION_END: &str = "session-end";
/// A meeting room is to be created.
pub const CREATE_MEETING: &str = "create-meeting";
/// An external scheduling provider's calendar is to be kept as our bookings are. There is one such
/// timer, set at the start.
pub const KEEP_CALENDAR: &str = "keep-calendar";
/// A practitioner's own calendar is to be read; its subject is the calendar's id.
pub const READ_CALENDAR: &str = "read-calendar";

/// Retention: expired data is deleted. There is one such timer, set by a migration.
pub const RETENTION: &str = "sweep";

/// A timer's payload: the trace that it belongs to.
#[must_use]
pub fn payload(tx: &Tx) -> Value {
    json!({ "traceparent": tx.metadata().traceparent })
}
