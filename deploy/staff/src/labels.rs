//! Labels for the services' enum values.
use crate::words::word_of;
use contract::booking::v1::{Attendance, BookingState};
use kernel::typed::shown_address;
use serde_json::Value;

/// The label of a state.
pub(crate) fn state(booking: &Value) -> String {
    word_of::<BookingState>(&text(&booking["state"])).replace('-', " ")
}

fn state_of(booking: &Value) -> Option<BookingState> {
    BookingState::from_str_name(booking["state"].as_str()?)
}

/// Whether a booking only holds its time.
pub(crate) fn is_held(booking: &Value) -> bool {
    matches!(state_of(booking), Some(BookingState::Held | BookingState::AwaitingPayment))
}

/// Whether a booking takes place or took place.
pub(crate) fn takes_place(booking: &Value) -> bool {
    matches!(
        state_of(booking),
        Some(
            BookingState::Confirmed
                | BookingState::MeetingScheduled
                | BookingState::Completed
                | BookingState::NoShow
        )
    )
}

/// The payment state of a booking.
pub(crate) fn payment(staff: &Value) -> String {
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
pub(crate) fn is_paid_at_desk(booking: &Value) -> bool {
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
pub(crate) fn attendance(staff: &Value, number: usize) -> String {
    let is_its = |mark: &&Value| mark["sessionNumber"].as_u64() == u64::try_from(number).ok();
    let word = list(&staff["marks"]).iter().find(is_its).map(|mark| text(&mark["attendance"]));
    word.map_or_else(|| "-".to_owned(), |word| word_of::<Attendance>(&word))
}

/// The service of a booking and its mode.
pub(crate) fn service_label(booking: &Value) -> String {
    let mode = if booking["mode"] == "SESSION_MODE_IN_PERSON" { "in person" } else { "online" };
    format!("{}, {mode}", text(&booking["serviceTitle"]))
}

/// The client's name.
pub(crate) fn client_name(booking: &Value) -> String {
    let contact = &booking["contact"];
    format!("{} {}", text(&contact["firstName"]), text(&contact["lastName"]))
}

/// The customer's email address and phone number.
pub(crate) fn contact(booking: &Value) -> String {
    let contact = &booking["contact"];
    let ways = [address(&contact["email"]), text(&contact["phone"])];
    ways.into_iter().filter(|way| !way.is_empty()).collect::<Vec<_>>().join(", ")
}

/// A mail address in JSON as people read it, or an empty one.
pub(crate) fn address(value: &Value) -> String {
    shown_address(&text(value))
}

/// A text in JSON, or an empty one.
pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// A list in JSON, or an empty one.
pub(crate) fn list(value: &Value) -> &[Value] {
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
        assert_eq!(state(&json!({ "state": "BOOKING_STATE_DREAMT" })), "dreamt");
        assert_eq!(payment(&json!({})), "-");
        assert_eq!(payment(&json!({ "confirmedOnClaim": true })), "on the customer's word");
        let desk = json!({ "paymentState": "PAYMENT_STATE_PAID", "paidAtDesk": "DESK_WAY_CASH" });
        assert_eq!(payment(&json!({ "booking": desk })), "paid, cash at the desk");
    }
}
