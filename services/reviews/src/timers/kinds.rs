//! The kinds of this service's timers, and their payload.

use eventstore::Tx;
use serde_json::{Value, json};

/// Retention: deletes expired rows. A migration sets its only timer.
pub const RETENTION: &str = "sweep";

/// Erases the personal data of a deleted review.
pub const ERASE_REVIEW: &str = "erase_review";

/// Deletes an upload without a review; the subject is the image.
pub const DROP_IMAGE: &str = "drop-image";

/// A timer's payload: the trace that set it.
#[must_use]
pub fn payload(tx: &Tx) -> Value {
    json!({ "traceparent": tx.metadata().traceparent })
}
