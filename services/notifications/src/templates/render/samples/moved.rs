//! Sample facts for the mails about a session that was moved.

use contract::booking::v1::SessionMode;
use serde_json::{Value, json};

use super::figures::{HOUR, at};
use super::{BEGUN, Form, ROOM_URL, Typed, booking, free, of, package, with_file};
use crate::mails::payload::{HANDED_OVER, MOVE, MOVED_BY, MOVED_FROM, MOVED_TO};

/// A move by each side, in person, of what costs nothing, of a session of a package, told late, and
/// to another practitioner at the same time.
pub(crate) fn samples(typed: &Typed) -> Vec<Form> {
    let online = || with_file(typed, ROOM_URL);
    vec![
        ("by_client", online(), payload("customer")),
        ("client_asked", online(), payload("customer_asked")),
        ("by_practice", online(), payload("practice")),
        ("in_person", of(booking(typed, SessionMode::InPerson, "")), payload("customer")),
        ("free", free(typed), payload("practice")),
        ("package", package(typed, Some(3)), payload("customer")),
        (BEGUN, online(), payload("practice")),
        ("handed_over", online(), handed_over()),
    ]
}

/// The payload of a move to another practitioner at the sample booking's start.
fn handed_over() -> Value {
    let at = at(0).to_string();
    json!({ MOVE: 1, MOVED_BY: "practice", MOVED_TO: at, MOVED_FROM: at, HANDED_OVER: true })
}

/// The payload of a move by this side to the sample booking's start, from two days and an hour and
/// a half before it.
pub(crate) fn payload(by: &str) -> Value {
    json!({
        MOVE: 1, MOVED_BY: by, MOVED_TO: at(0).to_string(),
        MOVED_FROM: at(-48 * HOUR - HOUR * 3 / 2).to_string(),
    })
}
