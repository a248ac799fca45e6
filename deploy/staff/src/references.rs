//! Finds the booking that a reference means: the eight digits that mails and pages quote.
use crate::arguments::Booking;
use crate::dates::Zone;
use crate::labels::{client_name, list, service_label, text};
use crate::session::Session;
use crate::table::printable;
use anyhow::{Result, bail};
use serde_json::{Value, json};

/// The id of a booking.
pub(crate) async fn id_of(session: &Session, booking: &Booking) -> Result<String> {
    let reference = match booking {
        Booking::Id(id) => return Ok(id.clone()),
        Booking::Reference(reference) => reference,
    };
    let method = "booking.v1.BookingStaffService/FindBookings";
    let answer = session.call(method, &json!({ "reference": reference })).await?;
    match list(&answer["bookings"]) {
        [] => bail!("no booking has the reference {}", reference.to_uppercase()),
        [one] => Ok(text(&one["booking"]["bookingId"])),
        several => bail!("{}", choice(&Zone::of(session).await?, reference, several)),
    }
}

/// Several bookings with one reference, each with what tells them apart.
fn choice(zone: &Zone, reference: &str, several: &[Value]) -> String {
    let mut words = format!(
        "{} bookings have the reference {}; say the id of the one that is meant:",
        several.len(),
        reference.to_uppercase()
    );
    for staff in several {
        let booking = &staff["booking"];
        words.push_str(&format!(
            "\n  {}  {}, {}, {}",
            text(&booking["bookingId"]),
            printable(&client_name(booking)),
            zone.moment(&booking["sessions"][0]["startsAt"]),
            service_label(booking),
        ));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_bookings_are_told_apart_by_client_and_time() {
        let one = |digit: &str, name: &str, start: &str| {
            json!({ "booking": {
                "bookingId": format!("bkg_{}dd4ca70c", digit.repeat(24)),
                "contact": { "firstName": name, "lastName": "Rao" },
                "sessions": [{ "startsAt": start }], "serviceTitle": "Meditation",
            }})
        };
        let several =
            [one("1", "Asha", "2026-12-01T05:30:00Z"), one("2", "Ravi", "2026-12-02T05:30:00Z")];
        let told = choice(&Zone::of_kolkata(), "dd4ca70c", &several);
        assert!(told.starts_with("2 bookings have the reference DD4CA70C"), "{told}");
        assert!(told.contains("Asha Rao, 2026-12-01 11:00, Meditation"), "{told}");
        assert!(told.contains("Ravi Rao, 2026-12-02 11:00, Meditation"), "{told}");
    }
}
