//! Refunds that are on their way, done, or failed for good.

use serde_json::{Value, json};

use super::figures::{PRICE, money};
use crate::mails::facts::Facts;
use crate::mails::payload::{AT_DESK, REFUND_FAILED};

/// Why money goes back.
pub(crate) const CAUSES: [&str; 6] =
    ["unplaced", "double", "mismatched", "cancelled", "staff", "discovered"];

/// A refund of this amount.
pub(crate) fn payload(cause: &str, minor: i64) -> Value {
    json!({ "amount_minor": minor, "currency": "INR", "cause": cause })
}

/// A refund of what was paid at the practice's desk.
pub(crate) fn at_desk(minor: i64) -> Value {
    json!({ "amount_minor": minor, "currency": "INR", "cause": "cancelled", AT_DESK: true })
}

/// A refund that failed for good, of a booking whose money is owed, or came by the bank.
pub(crate) fn failed(word: &'static str, mut facts: Facts) -> (&'static str, Facts, Value) {
    if let Facts::Booking(facts) = &mut facts {
        facts.booking.refund_owed = Some(money(PRICE));
        facts.booking.given_by_bank = Some(money(PRICE));
    }
    (word, facts, json!({ REFUND_FAILED: word }))
}
