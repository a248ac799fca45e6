//! `sukoon bookings`: the bookings of several days.
use super::arguments::{Arguments, Usage};
use super::dates::{Zone, check_date};
use super::labels::{STATES, contact, list, payment, state, text};
use super::outcome::Outcome;
use super::session::Session;
use super::session_cells::session_cells;
use super::table::Table;
use crate::output;
use anyhow::Result;
use serde_json::{Value, json};

/// The default number of days: today and a week.
const DAYS: u32 = 8;

pub(super) fn check(arguments: &Arguments) -> Result<(), Usage> {
    check_date(arguments.option("from"))?;
    days(arguments)?;
    states(arguments).map(|_known| ())
}

fn days(arguments: &Arguments) -> Result<u32, Usage> {
    let text = arguments.option("days");
    if text.is_empty() {
        return Ok(DAYS);
    }
    let days = text.parse().ok().filter(|days| (1..=92).contains(days));
    days.ok_or_else(|| Usage("--days must be a number from 1 to 92".to_owned()))
}

fn states(arguments: &Arguments) -> Result<Vec<&'static str>, Usage> {
    let said = arguments.option("state").to_lowercase();
    if said.is_empty() {
        return Ok(Vec::new());
    }
    let known = STATES.iter().find(|(word, _)| *word == said).map(|(_, wire)| vec![*wire]);
    known.ok_or_else(|| {
        let words: Vec<&str> = STATES.iter().map(|(word, _)| *word).collect();
        Usage(format!("--state must be one of {}", words.join(", ")))
    })
}

pub(super) async fn run(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    let request = json!({
        "fromDate": arguments.option("from"),
        "days": days(arguments)?,
        "states": states(arguments)?,
    });
    let answer = session.call("booking.v1.BookingStaffService/ListBookings", &request).await?;
    if arguments.json() {
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

    fn read(said: &[&str]) -> Arguments {
        let said: Vec<String> = said.iter().map(|word| (*word).to_owned()).collect();
        Arguments::read(&said, &["from", "days", "state"], (0, 0)).unwrap()
    }

    #[test]
    fn days_and_states_are_those_that_the_service_knows() {
        assert_eq!(days(&read(&[])), Ok(DAYS));
        assert_eq!(days(&read(&["--days", "92"])), Ok(92));
        for wrong in ["0", "93", "-1", "many"] {
            assert!(days(&read(&["--days", wrong])).is_err(), "{wrong}");
        }
        assert_eq!(states(&read(&[])), Ok(vec![]));
        let paid = read(&["--state", "Awaiting-Payment"]);
        assert_eq!(states(&paid), Ok(vec!["BOOKING_STATE_AWAITING_PAYMENT"]));
        let told = states(&read(&["--state", "gone"])).unwrap_err().to_string();
        assert!(told.contains("cancelled"), "{told}");
    }
}
