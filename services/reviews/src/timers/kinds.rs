//! The kinds of this service's timers, and their payload.

use eventstore::Tx;
use serde_json::{Value, json};

/// Retention: deletes expired rows. A migration sets its only timer.
pub const RETENTION: &str = "sweep";

/// Erases the personal data of a deleted review.
pub const ERASE_REVIEW: &str = "erase_review";

/// A timer's payload: the trace that set it.
#[must_use]
pub fn payload(tx: &Tx) -> Value {
    json!({ "traceparent": tx.metadata().traceparent })
}
