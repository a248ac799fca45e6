//! `sukoon today`: one day of the practice.
use crate::dates::{Zone, date, date_text};
use crate::labels::{attendance, contact, is_held, list, payment, state, takes_place, text};
use crate::outcome::Outcome;
use crate::rooms;
use crate::session::Session;
use crate::session_cells::session_cells;
use crate::table::Table;
use anyhow::Result;
use jiff::civil::Date;
use machine::output;
use serde_json::{Value, json};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Such as 2026-11-24; today unless you say.
    #[arg(value_parser = date)]
    date: Option<Date>,
}

pub(crate) async fn run(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    let date = date_text(arguments.date);
    let request = json!({ "fromDate": date, "days": 1 });
    let service = "booking.v1.BookingStaffService";
    let answer = session.call(&format!("{service}/ListBookings"), &request).await?;
    let blocked = session.call(&format!("{service}/ListBlockedTimes"), &request).await?;
    let confirmed = rooms::confirmed(session, &date).await?;
    let (bookings, blocked) = (&answer["bookings"], &blocked["blockedTimes"]);
    if session.options.json {
        output::line(json!({ "bookings": list(bookings), "blockedTimes": list(blocked) }));
        return Ok(Outcome::Complete);
    }
    let zone = Zone::of(session).await?;
    let date = text(&answer["fromDate"]);
    let day = Day::of(&zone, &date, list(bookings));
    output::line(format_args!("{}, {date}, times in {}", zone.practice, zone.label));
    output::line("");
    sessions(&zone, &day.sessions).show("No sessions.");
    let missing = rooms::table(&zone, &date, list(&confirmed["bookings"]));
    section("To do: no meeting room yet; if none comes, call the client", &missing);
    section("Held for customers who have not paid yet", &held(&zone, &day.held));
    section("Not taking place", &sessions(&zone, &day.others));
    section("Closed to customers", &closed(&zone, list(blocked)));
    if answer["more"] == true {
        output::line("\nThere are more bookings on this day than are listed here.");
    }
    Ok(Outcome::Complete)
}

/// A session with its booking and its number there, from 1.
type Entry<'b> = (&'b Value, usize, &'b Value);

/// The sessions of one local day, by their start. A package has others on other days.
struct Day<'b> {
    sessions: Vec<Entry<'b>>,
    held: Vec<Entry<'b>>,
    /// Of bookings that are over before they took place, and cancelled ones of a package.
    others: Vec<Entry<'b>>,
}

impl<'b> Day<'b> {
    fn of(zone: &Zone, date: &str, bookings: &'b [Value]) -> Self {
        let mut day = Self { sessions: Vec::new(), held: Vec::new(), others: Vec::new() };
        for staff in bookings {
            let booking = &staff["booking"];
            for (number, session) in (1..).zip(list(&booking["sessions"])) {
                if zone.day(&session["startsAt"]) != date {
                    continue;
                }
                let part = if is_held(booking) {
                    &mut day.held
                } else if takes_place(booking) && session["cancelled"] != true {
                    &mut day.sessions
                } else {
                    &mut day.others
                };
                part.push((staff, number, session));
            }
        }
        for part in [&mut day.sessions, &mut day.held, &mut day.others] {
            part.sort_by_key(|(.., session)| zone.time(&session["startsAt"]));
        }
        day
    }
}

fn section(title: &str, table: &Table) {
    if !table.is_empty() {
        output::line(format_args!("\n{title}"));
        table.show("");
    }
}

fn sessions(zone: &Zone, entries: &[Entry<'_>]) -> Table {
    let mut table = zone.table(&[
        "DATE", "TIME", "SESSION", "WITH", "WHO", "CONTACT", "STATE", "CAME", "PAYMENT", "BOOKING",
    ]);
    for (staff, number, session) in entries {
        let booking = &staff["booking"];
        let is_over = session["cancelled"] == true;
        let others = [
            contact(booking),
            if is_over { "cancelled".to_owned() } else { state(booking) },
            attendance(staff, *number),
            payment(staff),
            text(&booking["bookingId"]),
        ];
        table.row_after(session_cells(zone, booking, session), others);
    }
    table
}

fn held(zone: &Zone, entries: &[Entry<'_>]) -> Table {
    let mut table =
        zone.table(&["DATE", "TIME", "SESSION", "WITH", "WHO", "HELD UNTIL", "PAYMENT", "BOOKING"]);
    for (staff, _, session) in entries {
        let booking = &staff["booking"];
        let until = zone.moment(&booking["heldUntilAt"]);
        let others = [until, payment(staff), text(&booking["bookingId"])];
        table.row_after(session_cells(zone, booking, session), others);
    }
    table
}

fn closed(zone: &Zone, blocked: &[Value]) -> Table {
    let mut table = zone.table(&["TIME", "WITH", "BLOCK"]);
    for time in blocked {
        table.row([zone.span(time), text(&time["practitionerName"]), text(&time["blockId"])]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(at: &str, cancelled: bool) -> Value {
        json!({ "startsAt": at, "endsAt": at, "cancelled": cancelled })
    }

    /// A package with sessions on three days, of which the second day's is cancelled.
    fn package(state: &str) -> Value {
        json!({ "booking": {
            "bookingId": "bkg_1", "state": state, "heldUntilAt": "2026-12-03T17:40:00Z",
            "contact": { "firstName": "Asha", "lastName": "Rao" },
            "sessions": [
                session("2026-12-08T05:30:00Z", false),
                session("2026-12-10T07:30:00Z", true),
                session("2026-12-15T09:30:00Z", false),
            ],
        }})
    }

    fn single(start: &str) -> Value {
        json!({ "booking": {
            "bookingId": "bkg_2", "state": "BOOKING_STATE_CONFIRMED",
            "sessions": [{ "startsAt": start, "endsAt": start }],
        }})
    }

    fn starts(entries: &[Entry<'_>]) -> Vec<String> {
        entries.iter().map(|(.., session)| Zone::of_kolkata().time(&session["startsAt"])).collect()
    }

    #[test]
    fn a_day_has_its_own_sessions_alone_in_the_order_of_their_starts() {
        let zone = Zone::of_kolkata();
        // 23:45 in India is the day before in UTC.
        let late = single("2026-12-08T18:15:00Z");
        let bookings = [late, package("BOOKING_STATE_MEETING_SCHEDULED")];
        let day = Day::of(&zone, "2026-12-08", &bookings);
        assert_eq!(starts(&day.sessions), ["11:00", "23:45"]);
        assert!(day.held.is_empty() && day.others.is_empty());
        let table = sessions(&zone, &day.sessions).text();
        assert!(table.contains("2026-12-08  11:00") && table.contains("Asha Rao"), "{table}");
    }

    #[test]
    fn a_cancelled_session_of_a_package_does_not_take_place() {
        let (zone, bookings) = (Zone::of_kolkata(), [package("BOOKING_STATE_CONFIRMED")]);
        let day = Day::of(&zone, "2026-12-10", &bookings);
        assert_eq!((starts(&day.sessions).len(), starts(&day.others)), (0, vec!["13:00".into()]));
        let table = sessions(&zone, &day.others).text();
        assert!(table.contains("cancelled"), "{table}");
    }

    #[test]
    fn a_day_says_who_came() {
        let zone = Zone::of_kolkata();
        let mut package = package("BOOKING_STATE_CONFIRMED");
        package["marks"] = json!([
            { "sessionNumber": 1, "attendance": "ATTENDANCE_NO_SHOW" },
            { "sessionNumber": 2, "attendance": "ATTENDANCE_LATE" },
        ]);
        let bookings = [package];
        let came = |date: &str| {
            let day = Day::of(&zone, date, &bookings);
            let (staff, number, _) = day.sessions[0];
            let table = sessions(&zone, &day.sessions).text();
            assert!(
                table.contains("CAME") && table.contains(&attendance(staff, number)),
                "{table}"
            );
            attendance(staff, number)
        };
        assert_eq!(
            (came("2026-12-08"), came("2026-12-15")),
            ("no-show".to_owned(), "-".to_owned())
        );
    }

    #[test]
    fn the_end_of_a_hold_has_its_date() {
        let (zone, bookings) = (Zone::of_kolkata(), [package("BOOKING_STATE_HELD")]);
        let day = Day::of(&zone, "2026-12-15", &bookings);
        assert_eq!(starts(&day.held), ["15:00"]);
        let table = held(&zone, &day.held).text();
        assert!(table.contains("2026-12-03 23:10"), "{table}");
    }
}
