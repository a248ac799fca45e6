//! The names of fields in mails' payloads, which more than one module reads.

/// The payload field of a reminder: when its session was booked.
pub const BOOKED_AT: &str = "booked_at";
/// The payload field of a reminder of a session of which its client was reminded already: when the
/// client chose about reminders since.
pub const CHOSEN_AT: &str = "chosen_at";
/// The payload field of a reminder: that a second one was queued with it, which replaces it once it
/// is due.
pub const SECOND: &str = "second";
/// The payload field of a cancellation: what was promised for sessions of the package that had been
/// cancelled before, in minor units. A mail of before says only whether anything was, which the
/// booking's own sums answer as well.
pub const REFUNDED_BEFORE: &str = "refunded_before";
/// The payload field of a refund: the refund in whose place it was requested.
pub const RENEWS: &str = "renews";
/// The payload field of a refund: that it was paid at the practice's desk, where it is given back.
pub const AT_DESK: &str = "at_desk";
/// The payload field of a refund that failed for good: [`OWED`] or [`BY_BANK`].
pub const REFUND_FAILED: &str = "refund_failed";
/// The practice owes the money.
pub const OWED: &str = "owed";
/// The payer's bank has given the money by a dispute.
pub const BY_BANK: &str = "by_bank";
/// The payload field of a page's mail: that it renews the key, also when nothing can be paid.
pub const RENEWED: &str = "renewed";
/// The payload field of a mail about a move, and of a reminder that a move queued: how often the
/// session had been moved by then.
pub const MOVE: &str = "move";
/// The payload field of the same: when the session starts since that move.
pub const MOVED_TO: &str = "moved_to";
/// The payload field of a mail about a move: when the session would have started.
pub const MOVED_FROM: &str = "moved_from";
/// The payload field of a mail about a move: that another practitioner gives the session.
pub const HANDED_OVER: &str = "handed_over";
/// The payload field of a mail about a move: who wanted it.
pub const MOVED_BY: &str = "moved_by";
