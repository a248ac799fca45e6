//! The names of fields in mails' payloads, which more than one module reads.

/// The payload field of a reminder: when its session was booked.
pub const BOOKED_AT: &str = "booked_at";
/// The payload field of a reminder: that a second one was queued with it, which replaces it once it
/// is due.
pub const SECOND: &str = "second";
/// The payload field of a cancellation: whether the practice had refunded a part before, so that
/// less than the policy's amount is refunded now.
pub const REFUNDED_BEFORE: &str = "refunded_before";
