//! `sukoon mark`: whether a client came to a session.
use crate::arguments::{Key, OneBooking, SESSIONS_MAX};
use crate::labels::{client_name, state};
use crate::outcome::Outcome;
use crate::session::Session;
use crate::table::printable;
use crate::{references, words};
use anyhow::Result;
use clap::value_parser;
use contract::booking::v1::Attendance;
use machine::output;
use serde_json::json;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    of: OneBooking,
    /// Whether the client came.
    #[arg(value_name = "came|late|no-show|unmarked", value_parser = words::read::<Attendance>)]
    mark: Attendance,
    /// This session of a package, from 1; the last one that has begun unless you say.
    #[arg(long, value_name = "N", value_parser = value_parser!(i32).range(1..=SESSIONS_MAX))]
    session: Option<i32>,
    #[command(flatten)]
    key: Key,
}

pub(crate) async fn run(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    let request = json!({
        "bookingId": references::id_of(session, &arguments.of.booking).await?,
        "attendance": arguments.mark.as_str_name(),
        "sessionNumber": arguments.session.unwrap_or_default(),
    });
    let method = "booking.v1.BookingStaffService/MarkAttendance";
    let answer = session.call_with_key(method, request, &arguments.key.or_new()).await?;
    if session.options.json {
        output::line(answer);
    } else {
        let booking = &answer["booking"]["booking"];
        let (name, word) = (printable(&client_name(booking)), words::word(arguments.mark));
        output::line(format_args!("{name}: {word}. The booking is {}.", state(booking)));
    }
    Ok(Outcome::Complete)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::parsed;

    #[test]
    fn a_mark_is_one_of_four_words() {
        let read = |words: &str| parsed::<Arguments>(&format!("DD4CA70C {words}"));
        for word in ["came", "late", "no-show", "unmarked"] {
            assert_eq!(words::word(read(word).unwrap().mark), word);
        }
        assert_eq!(read("late --session 2").unwrap().session, Some(2));
        for wrong in ["perhaps", "late --session 0", "late --session 21", "late --session two"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
