//! Sessions online that have no meeting room yet, which `sukoon today` lists as something to do.
use crate::dates::Zone;
use crate::labels::{contact, list, text};
use crate::session::Session;
use crate::session_cells::session_cells;
use crate::table::Table;
use anyhow::Result;
use jiff::civil::Date;
use serde_json::{Value, json};

/// A session with its booking.
type Entry<'b> = (&'b Value, &'b Value);

/// The confirmed bookings of a day and the next one; those with a room are in another state.
pub(crate) async fn confirmed(session: &Session, from_date: &str) -> Result<Value> {
    let request = json!({
        "fromDate": from_date, "days": 2, "states": ["BOOKING_STATE_CONFIRMED"],
    });
    Ok(session.call("booking.v1.BookingStaffService/ListBookings", &request).await?)
}

/// Their sessions online on these two days without a room, by their start.
fn missing<'b>(zone: &Zone, date: &str, bookings: &'b [Value]) -> Vec<Entry<'b>> {
    let next = date.parse::<Date>().ok().and_then(|date| date.tomorrow().ok());
    let days = [date.to_owned(), next.map(|date| date.to_string()).unwrap_or_default()];
    let mut found = Vec::new();
    for staff in bookings {
        let booking = &staff["booking"];
        let lacks_room = booking["state"] == "BOOKING_STATE_CONFIRMED"
            && booking["mode"] != "SESSION_MODE_IN_PERSON"
            && text(&booking["joinUrl"]).is_empty();
        let placed = list(&booking["sessions"]).iter().filter(|it| it["cancelled"] != true);
        let soon = placed.filter(|it| days.contains(&zone.day(&it["startsAt"])));
        found.extend(soon.filter(|_| lacks_room).map(|session| (staff, session)));
    }
    found.sort_by_key(|(_, session)| text(&session["startsAt"]));
    found
}

/// What staff have to look after, as a table; empty where each session has its room.
pub(crate) fn table(zone: &Zone, date: &str, bookings: &[Value]) -> Table {
    let mut table = zone.table(&["DATE", "TIME", "SESSION", "WITH", "WHO", "CONTACT", "BOOKING"]);
    for (staff, session) in missing(zone, date, bookings) {
        let booking = &staff["booking"];
        let cells = session_cells(zone, booking, session);
        table.row_after(cells, [contact(booking), text(&booking["bookingId"])]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn booking(days: &[&str], changes: &[(&str, &str)]) -> Value {
        let session = |day: &&str| {
            let at = format!("2026-12-{day}T05:30:00Z");
            json!({ "startsAt": at, "endsAt": at, "cancelled": *day == "10" })
        };
        let sessions: Vec<Value> = days.iter().map(session).collect();
        let state = "BOOKING_STATE_CONFIRMED";
        let mut booking = json!({ "bookingId": "bkg_1", "state": state, "sessions": sessions });
        for (name, value) in changes {
            booking[*name] = json!(value);
        }
        json!({ "booking": booking })
    }

    #[test]
    fn sessions_of_today_and_tomorrow_without_a_room_are_a_task() {
        let zone = Zone::of_kolkata();
        let bookings = [
            booking(&["09"], &[]),
            booking(&["09"], &[("mode", "SESSION_MODE_IN_PERSON")]),
            booking(&["09"], &[("joinUrl", "https://meet.example/1")]),
            booking(&["09"], &[("state", "BOOKING_STATE_MEETING_SCHEDULED")]),
            // The second session of the package is cancelled.
            booking(&["08", "10", "15"], &[]),
        ];
        let of = |date: &str| {
            let found = missing(&zone, date, &bookings).into_iter();
            found.map(|(_, session)| zone.day(&session["startsAt"])).collect::<Vec<_>>()
        };
        assert_eq!(of("2026-12-07"), ["2026-12-08"]);
        assert_eq!(of("2026-12-08"), ["2026-12-08", "2026-12-09"]);
        assert_eq!(of("2026-12-10"), [] as [&str; 0]);
        assert!(table(&zone, "2026-12-10", &bookings).is_empty());
        let told = table(&zone, "2026-12-08", &bookings).text();
        assert!(told.contains("2026-12-09  11:00"), "{told}");
    }
}
