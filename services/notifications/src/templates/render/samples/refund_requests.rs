//! Clients' requests for refunds, and their answers.

use contract::convert::to_wire;
use contract::payments::v1::GetRefundRequestMailResponse;
use serde_json::json;

use super::figures::{HOUR, PRICE, at, money};
use super::{Form, Typed, online, package};
use crate::mails::facts::Facts;

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
