//! Refunds that are on their way, done, or failed for good, and requests for one.

use contract::convert::to_wire;
use contract::payments::v1::GetRefundRequestMailResponse;
use serde_json::{Value, json};

use super::figures::{HOUR, PRICE, at, money};
use super::{Form, Typed, online, package};
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

/// What the practice answers.
const ANSWER: &str =
    "We are sorry that it was not what you had hoped for.\n\nThank you for telling us.";

/// A request that waits for its answer.
pub(crate) fn asked(typed: &Typed) -> Vec<Form> {
    let open = request(None, "");
    vec![
        ("session", asking(online(typed, ""), open.clone()), json!({})),
        ("package", asking(package(typed, None), open), json!({})),
    ]
}

/// A request that was granted, also at the desk, or declined.
pub(crate) fn answered(typed: &Typed) -> Vec<Form> {
    let form = |name, request| (name, asking(online(typed, ""), request), json!({}));
    let granted = request(Some(PRICE), ANSWER);
    let of_package = asking(package(typed, None), request(Some(PRICE / 3), ANSWER));
    vec![
        form("granted", granted.clone()),
        form("at_desk", GetRefundRequestMailResponse { at_desk: true, ..granted }),
        form("declined", request(None, ANSWER)),
        form("without_words", request(None, "")),
        ("package", of_package, json!({})),
    ]
}

fn asking(mut facts: Facts, request: GetRefundRequestMailResponse) -> Facts {
    if let Facts::Booking(facts) = &mut facts {
        facts.refund_request = Some(request);
    }
    facts
}

fn request(minor: Option<i64>, answer: &str) -> GetRefundRequestMailResponse {
    GetRefundRequestMailResponse {
        number: "R-17".to_owned(),
        booking_id: "bkg_019340000000700080000000000a2b3c".to_owned(),
        answer_by_at: Some(to_wire(at(72 * HOUR))),
        close_by_at: Some(to_wire(at(14 * 24 * HOUR))),
        answered: minor.is_some() || !answer.is_empty(),
        amount: minor.map(money),
        answer: answer.to_owned(),
        at_desk: false,
    }
}
