//! `sukoon bookings`: the bookings of several days.
use crate::dates::{Zone, date, date_text};
use crate::labels::{contact, list, payment, state, text};
use crate::outcome::Outcome;
use crate::session::Session;
use crate::session_cells::session_cells;
use crate::table::Table;
use crate::words::{self, WireEnum};
use anyhow::Result;
use clap::value_parser;
use contract::booking::v1::BookingState;
use jiff::civil::Date;
use machine::output;
use serde_json::{Value, json};

/// The default number of days: today and a week.
const DAYS: u32 = 8;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The first day; today unless you say.
    #[arg(long, value_name = "DATE", value_parser = date)]
    from: Option<Date>,
    /// How many days, at most 92.
    #[arg(long, value_name = "N", default_value_t = DAYS)]
    #[arg(value_parser = value_parser!(u32).range(1..=92))]
    days: u32,
    /// Those in this state alone.
    #[arg(long, value_parser = words::read::<BookingState>)]
    state: Option<BookingState>,
}

pub(crate) async fn run(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    let request = json!({
        "fromDate": date_text(arguments.from),
        "days": arguments.days,
        "states": arguments.state.map(WireEnum::name).into_iter().collect::<Vec<_>>(),
    });
    let answer = session.call("booking.v1.BookingStaffService/ListBookings", &request).await?;
    if session.options.json {
        output::line(answer);
        return Ok(Outcome::Complete);
    }
    let zone = Zone::of(session).await?;
    table(&zone, list(&answer["bookings"])).show("No bookings in these days.");
    if answer["more"] == true {
        output::line("There are more than these: ask for fewer days.");
    }
    Ok(Outcome::Complete)
}

fn table(zone: &Zone, bookings: &[Value]) -> Table {
    let mut table = zone.table(&[
        "DAY", "TIME", "SESSION", "WITH", "WHO", "CONTACT", "STATE", "PAYMENT", "BOOKING",
    ]);
    for staff in bookings {
        let booking = &staff["booking"];
        for one in list(&booking["sessions"]) {
            let id = text(&booking["bookingId"]);
            let others = [contact(booking), state(booking), payment(staff), id];
            table.row_after(session_cells(zone, booking, one), others);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::parsed;

    #[test]
    fn days_and_states_are_those_that_the_service_knows() {
        let read = |words: &str| parsed::<Arguments>(words);
        assert_eq!((read("").unwrap().days, read("--days 92").unwrap().days), (DAYS, 92));
        let paid = read("--state Awaiting-Payment").unwrap();
        assert_eq!(paid.state, Some(BookingState::AwaitingPayment));
        for wrong in ["--days 0", "--days 93", "--days=-1", "--days many", "--state gone"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
