//! `sukoon propose-move` and `sukoon withdraw-proposal`: the practice can't hold a session, and its
//! client chooses another time.
use crate::arguments::{BookingWithKey, Key, OneBooking, SESSIONS_MAX};
use crate::dates::{Zone, start};
use crate::labels::{client_name, text};
use crate::move_session::shown;
use crate::outcome::Outcome;
use crate::session::Session;
use crate::table::printable;
use crate::{confirm, references};
use anyhow::Result;
use clap::value_parser;
use jiff::civil::DateTime;
use machine::output;
use serde_json::{Value, json};

const SERVICE: &str = "booking.v1.BookingStaffService";

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    of: OneBooking,
    /// When it starts, as 2026-11-24T11:00 by the practice's clock.
    #[arg(value_parser = start)]
    from: DateTime,
    /// Why, for the practice alone.
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// Offer the time to others once the session has left it; it is closed otherwise.
    #[arg(long)]
    opens_again: bool,
    /// This session of a package, from 1.
    #[arg(long, value_name = "N", value_parser = value_parser!(i32).range(1..=SESSIONS_MAX))]
    session: Option<i32>,
    #[command(flatten)]
    key: Key,
}

pub(crate) async fn run(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    let id = &references::id_of(session, &arguments.of.booking).await?;
    let zone = Zone::of(session).await?;
    let from = shown(arguments.from);
    let question = format!("{id}: the client of {from} {} chooses another time. Ask?", zone.label);
    confirm::require_confirmation(session.options, &question)?;
    let request = json!({
        "bookingId": id,
        "sessionNumber": arguments.session.unwrap_or_default(),
        "shownStartsAt": zone.instant(arguments.from)?,
        "reason": arguments.reason,
        "opensAgain": arguments.opens_again,
    });
    let method = format!("{SERVICE}/ProposeMove");
    let answer = session.call_with_key(&method, request, &arguments.key.or_new()).await?;
    if session.options.json {
        output::line(answer);
        return Ok(Outcome::Complete);
    }
    let until = &answer["booking"]["booking"]["moveProposal"]["chooseUntilAt"];
    output::line(format_args!(
        "{} is asked by mail. Without a choice until {} {} everything goes back.",
        named(&answer),
        zone.moment(until),
        zone.label,
    ));
    Ok(Outcome::Complete)
}

/// The session takes place at its time after all.
pub(crate) async fn withdraw(session: &Session, arguments: &BookingWithKey) -> Result<Outcome> {
    let id = references::id_of(session, &arguments.of.booking).await?;
    let request = json!({ "bookingId": id });
    let method = format!("{SERVICE}/WithdrawMoveProposal");
    let answer = session.call_with_key(&method, request, &arguments.key.or_new()).await?;
    if session.options.json {
        output::line(answer);
    } else {
        let name = named(&answer);
        output::line(format_args!(
            "{name}: the session takes place at its time, and the client is told."
        ));
    }
    Ok(Outcome::Complete)
}

fn named(answer: &Value) -> String {
    let booking = &answer["booking"]["booking"];
    format!("{} ({})", printable(&client_name(booking)), text(&booking["bookingId"]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::parsed;

    #[test]
    fn a_proposal_says_why() {
        let read = |words: &str| parsed::<Arguments>(&format!("DD4CA70C {words}"));
        let usual = read("2026-11-24T11:00 --reason ill").unwrap();
        assert_eq!((usual.opens_again, usual.session), (false, None));
        let other = read("2026-11-24T11:00 --reason ill --opens-again --session 2").unwrap();
        assert_eq!((other.opens_again, other.session), (true, Some(2)));
        for wrong in ["2026-11-24T11:00", "--reason ill", "11:00 --reason ill"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
