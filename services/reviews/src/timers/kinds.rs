//! The kinds of this service's timers, and what a timer keeps.

use eventstore::Tx;
use serde_json::{Value, json};

/// What nobody needs any more is to be deleted. There is one such timer, set by a migration.
pub const RETENTION: &str = "sweep";

/// What is personal in a deleted review is to be erased.
pub const ERASE_REVIEW: &str = "erase_review";

/// What a timer keeps beside its subject: the trace that it belongs to.
#[must_use]
pub fn payload(tx: &Tx) -> Value {
    json!({ "traceparent": tx.metadata().traceparent })
}
