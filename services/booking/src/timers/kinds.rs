//! The kinds of this service's timers, and their payload.

use eventstore::Tx;
use serde_json::{Value, json};

/// A hold expires.
pub const HOLD_END: &str = "hold-end";
/// A session ends.
pub const SESSION_END: &str = "session-end";
/// A meeting room is to be created.
pub const CREATE_MEETING: &str = "create-meeting";

/// Retention: expired data is deleted. There is one such timer, set by a migration.
pub const RETENTION: &str = "sweep";

/// A timer's payload: the trace that it belongs to.
#[must_use]
pub fn payload(tx: &Tx) -> Value {
    json!({ "traceparent": tx.metadata().traceparent })
}
