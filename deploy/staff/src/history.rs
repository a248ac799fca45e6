//! `sukoon history`: one booking with all that has happened to it and its money, and what its
//! client agreed to.
use crate::agreement;
use crate::arguments::OneBooking;
use crate::dates::Zone;
use crate::labels::{client_name, list, payment, service_label, state, text};
use crate::outcome::Outcome;
use crate::references;
use crate::session::Session;
use crate::table::{Table, printable};
use crate::timeline::timeline;
use anyhow::Result;
use machine::output;
use serde_json::json;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    of: OneBooking,
    /// Print the texts as they were shown.
    #[arg(long)]
    words: bool,
}

pub(crate) async fn run(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    let request = json!({ "bookingId": references::id_of(session, &arguments.of.booking).await? });
    let method = "booking.v1.BookingStaffService/GetBookingHistory";
    let history = session.call(method, &request).await?;
    let method = "payments.v1.PaymentsStaffService/GetPaymentHistory";
    let money = session.call(method, &request).await?;
    if session.options.json {
        output::line(json!({ "booking": history, "payment": money }));
        return Ok(Outcome::Complete);
    }
    let zone = Zone::of(session).await?;
    let staff = &history["booking"];
    let booking = &staff["booking"];
    output::line(format_args!(
        "{}: {}, {}, {}, payment {}",
        text(&booking["bookingId"]),
        printable(&client_name(booking)),
        service_label(booking),
        state(booking),
        payment(staff),
    ));
    for one in list(&booking["sessions"]) {
        let cancelled = if one["cancelled"] == true { ", cancelled" } else { "" };
        let day = zone.day(&one["startsAt"]);
        output::line(format_args!("  {day} {} {}{cancelled}", zone.span(one), zone.label));
    }
    output::line("");
    let mut table = Table::new(&["WHEN", "WHAT", "DETAILS"]);
    for row in timeline(&zone, &history["entries"], &money["entries"]) {
        table.row(row);
    }
    table.show("Nothing is recorded.");
    for said in list(&history["moveReasons"]) {
        output::line(format_args!(
            "  {} session {}, {}: {}",
            zone.moment(&said["saidAt"]),
            said["sessionNumber"],
            text(&said["userId"]),
            printable(&text(&said["reason"])),
        ));
    }
    output::line("");
    for (name, words) in agreement::rows(&zone, &history) {
        output::line(format_args!("{name}: {}", printable(&words)));
    }
    let kept = agreement::kept_words(&history);
    if !kept.is_empty() && !arguments.words {
        output::line("With --words the texts follow as they were shown.");
    }
    for (title, words) in kept.into_iter().filter(|_| arguments.words) {
        output::line(format_args!("\n{title}\n"));
        for line in words.lines() {
            output::line(printable(line));
        }
    }
    Ok(Outcome::Complete)
}
