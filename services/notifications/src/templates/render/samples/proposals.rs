//! Sample facts for the mails about another time for which the practice asks.

use contract::booking::v1::{MoveProposal, SessionMode};
use contract::convert::to_wire;
use serde_json::{Value, json};

use super::figures::{HOUR, at};
use super::{Form, ROOM_URL, Typed, booking, free, of, package, with_file};
use crate::mails::facts::Facts;
use crate::mails::proposals::{CHOOSE_UNTIL, STARTS_AT};

/// With three times, with none that is free, at the practice, of what costs nothing, and of a
/// session of a package.
pub(crate) fn proposed(typed: &Typed) -> Vec<Form> {
    let times = || vec![at(24 * HOUR), at(25 * HOUR), at(-23 * HOUR)];
    let form = |name, facts: Facts, times| {
        let Facts::Booking(mut facts) = facts else { return (name, facts, payload()) };
        facts.suggested = times;
        facts.booking.move_proposal = Some(MoveProposal {
            session_number: 1,
            choose_until_at: Some(to_wire(at(-24 * HOUR))),
        });
        (name, Facts::Booking(facts), payload())
    };
    let in_person = of(booking(typed, SessionMode::InPerson, ""));
    vec![
        form("usual", with_file(typed, ROOM_URL), times()),
        form("no_time", with_file(typed, ROOM_URL), Vec::new()),
        form("in_person", in_person, times()),
        form("free", free(typed), times()),
        form("package", package(typed, Some(3)), times()),
    ]
}

/// A session that takes place after all.
pub(crate) fn withdrawn(typed: &Typed) -> Vec<Form> {
    vec![
        ("usual", with_file(typed, ROOM_URL), json!({})),
        ("in_person", of(booking(typed, SessionMode::InPerson, "")), json!({})),
    ]
}

fn payload() -> Value {
    json!({ STARTS_AT: at(0).to_string(), CHOOSE_UNTIL: at(-24 * HOUR).to_string() })
}
