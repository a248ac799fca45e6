//! Labels for the services' enum values.
use super::shown_address::shown_address;
use serde_json::Value;

/// The states of a booking by the word that staff types, with their names in the API.
pub(super) const STATES: [(&str, &str); 10] = [
    ("held", "BOOKING_STATE_HELD"),
    ("awaiting-payment", "BOOKING_STATE_AWAITING_PAYMENT"),
    ("confirmed", "BOOKING_STATE_CONFIRMED"),
    ("meeting-scheduled", "BOOKING_STATE_MEETING_SCHEDULED"),
    ("completed", "BOOKING_STATE_COMPLETED"),
    ("no-show", "BOOKING_STATE_NO_SHOW"),
    ("expired", "BOOKING_STATE_EXPIRED"),
    ("cancelled", "BOOKING_STATE_CANCELLED"),
    ("rescheduled", "BOOKING_STATE_RESCHEDULED"),
    ("paid-unplaced", "BOOKING_STATE_PAID_UNPLACED"),
];

/// The label of a state. An unknown state keeps its own name.
pub(super) fn state(booking: &Value) -> String {
    let word = text(&booking["state"]);
    let known = STATES.iter().find(|(_, wire)| *wire == word);
    known.map_or_else(|| word.clone(), |(word, _)| (*word).replace('-', " "))
}

/// Whether a booking only holds its time.
pub(super) fn is_held(booking: &Value) -> bool {
    matches!(
        booking["state"].as_str(),
        Some("BOOKING_STATE_HELD" | "BOOKING_STATE_AWAITING_PAYMENT")
    )
}

/// Whether a booking takes place or took place.
pub(super) fn takes_place(booking: &Value) -> bool {
    matches!(
        booking["state"].as_str(),
        Some(
            "BOOKING_STATE_CONFIRMED"
                | "BOOKING_STATE_MEETING_SCHEDULED"
                | "BOOKING_STATE_COMPLETED"
                | "BOOKING_STATE_NO_SHOW"
        )
    )
}

/// The payment state of a booking.
pub(super) fn payment(staff: &Value) -> String {
    if staff["confirmedOnClaim"] == true {
        return "on the customer's word".to_owned();
    }
    match staff["booking"]["paymentState"].as_str().unwrap_or_default() {
        "" | "PAYMENT_STATE_UNSPECIFIED" => "-".to_owned(),
        "PAYMENT_STATE_CLAIMED" => "claimed by the customer".to_owned(),
        other => {
            let word = other.trim_start_matches("PAYMENT_STATE_").to_lowercase().replace('_', " ");
            word + at_desk(&staff["booking"])
        }
    }
}

/// Whether a booking was paid at the desk.
pub(super) fn is_paid_at_desk(booking: &Value) -> bool {
    !at_desk(booking).is_empty()
}

/// How a booking was paid, if that was at the desk.
fn at_desk(booking: &Value) -> &'static str {
    match booking["paidAtDesk"].as_str() {
        Some("DESK_WAY_CASH") => ", cash at the desk",
        Some("DESK_WAY_UPI") => ", UPI at the desk",
        _ => "",
    }
}

/// Whether the client came to a session, as staff marked it; a dash for one that is not marked.
pub(super) fn attendance(staff: &Value, number: usize) -> String {
    let is_its = |mark: &&Value| mark["sessionNumber"].as_u64() == u64::try_from(number).ok();
    let word = list(&staff["marks"]).iter().find(is_its).map(|mark| text(&mark["attendance"]));
    let word = word.unwrap_or_else(|| "-".to_owned());
    word.trim_start_matches("ATTENDANCE_").to_lowercase().replace('_', "-")
}

/// The service of a booking and its mode.
pub(super) fn service_label(booking: &Value) -> String {
    let mode = if booking["mode"] == "SESSION_MODE_IN_PERSON" { "in person" } else { "online" };
    format!("{}, {mode}", text(&booking["serviceTitle"]))
}

/// The client's name.
pub(super) fn client_name(booking: &Value) -> String {
    let contact = &booking["contact"];
    format!("{} {}", text(&contact["firstName"]), text(&contact["lastName"]))
}

/// The customer's email address and phone number.
pub(super) fn contact(booking: &Value) -> String {
    let contact = &booking["contact"];
    let ways = [address(&contact["email"]), text(&contact["phone"])];
    ways.into_iter().filter(|way| !way.is_empty()).collect::<Vec<_>>().join(", ")
}

/// A mail address in JSON as people read it, or an empty one.
pub(super) fn address(value: &Value) -> String {
    shown_address(&text(value))
}

/// A text in JSON, or an empty one.
pub(super) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// A list in JSON, or an empty one.
pub(super) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_booking_has_readable_labels() {
        let staff = json!({ "booking": {
            "state": "BOOKING_STATE_AWAITING_PAYMENT", "paymentState": "PAYMENT_STATE_CLAIMED",
            "serviceTitle": "Meditation", "mode": "SESSION_MODE_IN_PERSON",
            "contact": { "firstName": "Asha", "lastName": "Rao", "email": "a@x.example" },
        }});
        let booking = &staff["booking"];
        assert_eq!(state(booking), "awaiting payment");
        assert!(is_held(booking) && !takes_place(booking));
        assert_eq!(payment(&staff), "claimed by the customer");
        assert_eq!(service_label(booking), "Meditation, in person");
        assert_eq!(
            (client_name(booking), contact(booking)),
            ("Asha Rao".into(), "a@x.example".into())
        );
    }

    #[test]
    fn unknown_values_keep_their_name_and_missing_ones_are_a_dash() {
        assert_eq!(state(&json!({ "state": "BOOKING_STATE_DREAMT" })), "BOOKING_STATE_DREAMT");
        assert_eq!(payment(&json!({})), "-");
        assert_eq!(payment(&json!({ "confirmedOnClaim": true })), "on the customer's word");
        let desk = json!({ "paymentState": "PAYMENT_STATE_PAID", "paidAtDesk": "DESK_WAY_CASH" });
        assert_eq!(payment(&json!({ "booking": desk })), "paid, cash at the desk");
    }
}
