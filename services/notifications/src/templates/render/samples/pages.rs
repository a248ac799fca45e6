//! Bookings by phone whose page's address is mailed.

use contract::booking::v1::BookingState;
use contract::convert;
use serde_json::{Value, json};

use super::receipt::{HOUR, at};
use crate::mails::facts::Facts;
use crate::mails::payload::RENEWED;

/// Held for another day, online, in person and as a package; and a key that is renewed later.
pub(super) fn forms(
    key: &str,
    [online, in_person, package]: [Facts; 3],
) -> Vec<(&'static str, Facts, Value)> {
    let renewed = with_page(key, online.clone(), BookingState::Completed);
    vec![
        ("online", held(key, online), json!({})),
        ("in_person", held(key, in_person), json!({})),
        ("package", held(key, package), json!({})),
        ("renewed", renewed, json!({ RENEWED: true })),
    ]
}

fn held(key: &str, facts: Facts) -> Facts {
    match with_page(key, facts, BookingState::Held) {
        Facts::Booking(mut facts) => {
            facts.booking.held_until_at = Some(convert::to_wire(at(-6 * HOUR)));
            Facts::Booking(facts)
        }
        other => other,
    }
}

fn with_page(key: &str, facts: Facts, state: BookingState) -> Facts {
    match facts {
        Facts::Booking(mut facts) => {
            facts.page_key = key.to_owned();
            facts.calendar_file = String::new();
            facts.booking.state = state.into();
            facts.booking.join_url = String::new();
            Facts::Booking(facts)
        }
        other => other,
    }
}
