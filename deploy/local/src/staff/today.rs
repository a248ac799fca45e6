//! `sukoon today`: one day of the practice.
use super::arguments::{Arguments, Usage};
use super::dates::{Zone, check_date};
use super::labels::{
    client_name, contact, is_held, list, payment, service_label, state, takes_place, text,
};
use super::outcome::Outcome;
use super::session::Session;
use super::table::Table;
use crate::output;
use anyhow::Result;
use serde_json::{Value, json};

pub(super) fn check(arguments: &Arguments) -> Result<(), Usage> {
    check_date(arguments.at(0))
}

pub(super) async fn run(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    let request = json!({ "fromDate": arguments.at(0), "days": 1 });
    let service = "booking.v1.BookingStaffService";
    let bookings = session.call(&format!("{service}/ListBookings"), &request).await?;
    let blocked = session.call(&format!("{service}/ListBlockedTimes"), &request).await?;
    let (bookings, blocked) = (&bookings["bookings"], &blocked["blockedTimes"]);
    if arguments.json() {
        output::line(json!({ "bookings": list(bookings), "blockedTimes": list(blocked) }));
        return Ok(Outcome::Complete);
    }
    let zone = Zone::of(session).await?;
    let day = if arguments.at(0).is_empty() { "today" } else { arguments.at(0) };
    output::line(format_args!("{}, {day}, times in {}", zone.practice, zone.label));
    output::line("");
    let of = |wanted: fn(&Value) -> bool| {
        list(bookings).iter().filter(move |staff| wanted(&staff["booking"]))
    };
    sessions(&zone, of(takes_place)).show("No sessions.");
    section("Held for customers who have not paid yet", &held(&zone, of(is_held)));
    let others = of(|booking| !takes_place(booking) && !is_held(booking));
    section("Not taking place", &sessions(&zone, others));
    section("Closed to customers", &closed(&zone, list(blocked)));
    Ok(Outcome::Complete)
}

fn section(title: &str, table: &Table) {
    if !table.is_empty() {
        output::line(format_args!("\n{title}"));
        table.show("");
    }
}

fn sessions<'b>(zone: &Zone, bookings: impl Iterator<Item = &'b Value>) -> Table {
    let mut table =
        zone.table(&["TIME", "SESSION", "WITH", "WHO", "CONTACT", "STATE", "PAYMENT", "BOOKING"]);
    for staff in bookings {
        let booking = &staff["booking"];
        for one in list(&booking["sessions"]) {
            table.row([
                zone.span(one),
                service_label(booking),
                text(&booking["practitionerName"]),
                client_name(booking),
                contact(booking),
                state(booking),
                payment(staff),
                text(&booking["bookingId"]),
            ]);
        }
    }
    table
}

fn held<'b>(zone: &Zone, bookings: impl Iterator<Item = &'b Value>) -> Table {
    let mut table = zone.table(&["TIME", "SESSION", "WITH", "WHO", "UNTIL", "PAYMENT", "BOOKING"]);
    for staff in bookings {
        let booking = &staff["booking"];
        for one in list(&booking["sessions"]) {
            table.row([
                zone.span(one),
                service_label(booking),
                text(&booking["practitionerName"]),
                client_name(booking),
                zone.time(&booking["heldUntilAt"]),
                payment(staff),
                text(&booking["bookingId"]),
            ]);
        }
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
