//! What has happened to a booking and its money, in the order in which it happened.
use crate::dates::Zone;
use crate::labels::{list, text};
use crate::money;
use jiff::Timestamp;
use serde_json::Value;

/// The histories of a booking and of its money as rows: time, event and details. Each comes in the
/// order of its positions, which stays; the two are merged by the times of their events.
pub(crate) fn timeline(zone: &Zone, booking: &Value, money: &Value) -> Vec<[String; 3]> {
    let (mut booking, mut money) = (list(booking).iter().peekable(), list(money).iter().peekable());
    let mut rows = Vec::new();
    loop {
        let money_is_next = match (booking.peek(), money.peek()) {
            (None, None) => return rows,
            (Some(_), None) => false,
            (None, Some(_)) => true,
            // Of the same moment the booking's comes first: what it asked for, payments answers.
            (Some(left), Some(right)) => recorded_at(right) < recorded_at(left),
        };
        let entry = if money_is_next { money.next() } else { booking.next() };
        rows.extend(entry.map(|entry| row(zone, entry)));
    }
}

fn recorded_at(entry: &Value) -> Option<Timestamp> {
    entry["recordedAt"].as_str()?.parse().ok()
}

fn row(zone: &Zone, entry: &Value) -> [String; 3] {
    let amount = match &entry["amount"] {
        Value::Null => String::new(),
        amount => money::shown(amount),
    };
    let parts = [
        amount,
        text(&entry["detail"]).replace('_', " "),
        text(&entry["paymentId"]),
        text(&entry["subject"]),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let event = as_words(&text(&entry["event"]));
    [zone.moment(&entry["recordedAt"]), event, parts.join(", ")]
}

/// Writes "BookingConfirmed" as "Booking confirmed".
fn as_words(name: &str) -> String {
    let mut words = String::new();
    for (index, letter) in name.chars().enumerate() {
        if letter.is_uppercase() && index > 0 {
            words.push(' ');
            words.extend(letter.to_lowercase());
        } else {
            words.push(letter);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_happened_within_a_minute_keeps_its_order() {
        let entry = |event: &str, at: &str| json!({ "event": event, "recordedAt": at });
        let booking = json!([
            entry("BookingRequested", "2026-12-01T05:30:01Z"),
            entry("BookingConfirmed", "2026-12-01T05:30:20.5Z"),
        ]);
        // Two of one transaction have one time, and their order is that of their positions.
        let money = json!([
            entry("OrderCreated", "2026-12-01T05:30:03Z"),
            entry("PaymentVerified", "2026-12-01T05:30:20.1Z"),
            entry("RefundRequested", "2026-12-01T05:30:40Z"),
            entry("RefundAccepted", "2026-12-01T05:30:40Z"),
        ]);
        let rows = timeline(&Zone::of_kolkata(), &booking, &money);
        let events: Vec<&str> = rows.iter().map(|[_, event, _]| event.as_str()).collect();
        let wanted = [
            "Booking requested",
            "Order created",
            "Payment verified",
            "Booking confirmed",
            "Refund requested",
            "Refund accepted",
        ];
        assert_eq!(events, wanted);
    }
}
