//! `sukoon move`: a session gets another time, or another practitioner.
use crate::arguments::{Key, OneBooking, SESSIONS_MAX};
use crate::dates::{Zone, start};
use crate::labels::{client_name, service_label};
use crate::outcome::Outcome;
use crate::session::Session;
use crate::table::printable;
use crate::{confirm, references, words};
use anyhow::Result;
use clap::value_parser;
use contract::booking::v1::MovedBy;
use jiff::civil::DateTime;
use machine::output;
use serde_json::{Value, json};

const SERVICE: &str = "booking.v1.BookingStaffService";

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    of: OneBooking,
    /// When it starts now, as 2026-11-24T11:00 by the practice's clock.
    #[arg(value_parser = start)]
    from: DateTime,
    /// When it is to start.
    #[arg(value_parser = start)]
    to: DateTime,
    /// Who wants it.
    #[arg(long, value_name = "customer-asked|practice", default_value = "customer-asked")]
    #[arg(value_parser = words::read::<MovedBy>)]
    by: MovedBy,
    /// Who is to give it; the one who has it unless you say. Only of a booking with one session.
    #[arg(long, value_name = "ID")]
    practitioner: Option<String>,
    /// Why, for the practice alone; needed unless the client asked and the practitioner stays.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// This session of a package, from 1.
    #[arg(long, value_name = "N", value_parser = value_parser!(i32).range(1..=SESSIONS_MAX))]
    session: Option<i32>,
    #[command(flatten)]
    key: Key,
}

pub(crate) async fn run(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    let id = &references::id_of(session, &arguments.of.booking).await?;
    let zone = Zone::of(session).await?;
    let number = arguments.session.unwrap_or_default();
    let practitioner = arguments.practitioner.as_deref().unwrap_or_default();
    // A repeat of what was done already is not previewed: it is there.
    let what = if arguments.key.is_given() {
        id.clone()
    } else {
        let look = json!({
            "bookingId": id, "sessionNumber": number, "days": 1,
            "practitionerId": practitioner,
        });
        let preview = session.call(&format!("{SERVICE}/PreviewMove"), &look).await?;
        description(&preview)
    };
    let question = format!("{what}: from {} to {}", shown(arguments.from), shown(arguments.to));
    let whom = if practitioner.is_empty() { String::new() } else { format!(", to {practitioner}") };
    confirm::require_confirmation(
        session.options,
        &format!("{question} {}{whom}. Move?", zone.label),
    )?;
    let request = json!({
        "bookingId": id,
        "sessionNumber": number,
        "shownStartsAt": zone.instant(arguments.from)?,
        "startsAt": zone.instant(arguments.to)?,
        "movedBy": arguments.by.as_str_name(),
        "practitionerId": practitioner,
        "reason": arguments.reason.as_deref().unwrap_or_default(),
    });
    let method = format!("{SERVICE}/MoveBooking");
    let answer = session.call_with_key(&method, request, &arguments.key.or_new()).await?;
    if session.options.json {
        output::line(answer);
    } else {
        let (what, to) = (description(&answer), shown(arguments.to));
        output::line(format_args!(
            "{what} is at {to} {} now. The client is told by mail.",
            zone.label
        ));
    }
    Ok(Outcome::Complete)
}

fn description(answer: &Value) -> String {
    let booking = &answer["booking"]["booking"];
    format!("{}, {}", printable(&client_name(booking)), service_label(booking))
}

/// A time as the practice's clock shows it.
pub(crate) fn shown(local: DateTime) -> String {
    local.strftime("%Y-%m-%d %H:%M").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::parsed;

    #[test]
    fn a_move_names_both_times_and_who_wants_it() {
        let read = |words: &str| parsed::<Arguments>(&format!("DD4CA70C {words}"));
        let usual = read("2026-11-24T11:00 2026-11-26T14:30").unwrap();
        assert_eq!((usual.by, usual.session), (MovedBy::CustomerAsked, None));
        assert_eq!(shown(usual.to), "2026-11-26 14:30");
        let own = read("2026-11-24T11:00 2026-11-26T14:30 --by practice --session 2").unwrap();
        assert_eq!((own.by, own.session), (MovedBy::Practice, Some(2)));
        let other = read("2026-11-24T11:00 2026-11-24T11:00 --practitioner ravi --reason ill");
        let other = other.unwrap();
        assert_eq!(
            (other.practitioner.as_deref(), other.reason.as_deref()),
            (Some("ravi"), Some("ill"))
        );
        for wrong in ["2026-11-24T11:00", "2026-11-24 2026-11-26", "11:00 14:00"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        assert!(read("2026-11-24T11:00 2026-11-26T14:30 --by luck").is_err());
    }
}
