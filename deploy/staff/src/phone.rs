//! `sukoon phone-booking` and `sukoon send-link`: bookings for clients on the phone, who pay on a
//! page of their own.
use crate::arguments::{BookingWithKey, Key};
use crate::dates::{Zone, start};
use crate::labels::text;
use crate::outcome::Outcome;
use crate::session::Session;
use crate::{references, words};
use anyhow::Result;
use clap::builder::NonEmptyStringValueParser;
use clap::value_parser;
use contract::booking::v1::SessionMode;
use jiff::civil::DateTime;
use machine::output;
use serde_json::{Value, json};

const SERVICE: &str = "booking.v1.BookingStaffService";

#[derive(Debug, clap::Args)]
pub(crate) struct PhoneBooking {
    /// The service's id.
    service: String,
    /// When, as 2026-11-24T11:00 by the practice's clock; of a package all starts.
    #[arg(required = true, num_args = 1..=20, value_parser = start)]
    start: Vec<DateTime>,
    #[command(flatten)]
    client: Client,
    #[arg(long, value_name = "online|in-person", default_value = "online")]
    #[arg(value_parser = words::read::<SessionMode>)]
    mode: SessionMode,
    /// A package of the service.
    #[arg(long, value_name = "ID")]
    package: Option<String>,
    /// With whom.
    #[arg(long, value_name = "ID")]
    practitioner: Option<String>,
    /// For how many minutes the time is held; 24 hours unless you say.
    #[arg(long, value_name = "MINUTES", value_parser = value_parser!(u32).range(15..=10_080))]
    hold: Option<u32>,
    /// Send the address at which it is paid by mail.
    #[arg(long)]
    mail: bool,
    #[command(flatten)]
    key: Key,
}

/// Who comes.
#[derive(Debug, clap::Args)]
struct Client {
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    first_name: String,
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    last_name: String,
    #[arg(long, value_name = "ADDRESS", value_parser = NonEmptyStringValueParser::new())]
    email: String,
    #[arg(long, value_name = "NUMBER")]
    phone: Option<String>,
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    notes: Option<String>,
}

pub(crate) async fn book(session: &Session, arguments: &PhoneBooking) -> Result<Outcome> {
    let zone = Zone::of(session).await?;
    let starts = arguments.start.iter().map(|start| zone.instant(*start));
    let text = |said: &Option<String>| said.clone().unwrap_or_default();
    let client = &arguments.client;
    let request = json!({
        "serviceId": arguments.service,
        "startsAt": starts.collect::<Result<Vec<_>>>()?,
        "packageId": text(&arguments.package),
        "mode": arguments.mode.as_str_name(),
        "practitionerId": text(&arguments.practitioner),
        "contact": {
            "firstName": client.first_name,
            "lastName": client.last_name,
            "email": client.email,
            "phone": text(&client.phone),
            "notes": text(&client.notes),
        },
        // 0 leaves it to the service.
        "holdMinutes": arguments.hold.unwrap_or_default(),
        "sendMail": arguments.mail,
    });
    let method = format!("{SERVICE}/RequestPhoneBooking");
    let answer = session.call_with_key(&method, request, &arguments.key.or_new()).await?;
    show(session, &zone, &answer);
    Ok(Outcome::Complete)
}

pub(crate) async fn send_link(session: &Session, arguments: &BookingWithKey) -> Result<Outcome> {
    let zone = Zone::of(session).await?;
    let id = references::id_of(session, &arguments.of.booking).await?;
    let request = json!({ "bookingId": id, "sendMail": true });
    let method = format!("{SERVICE}/SendPaymentPage");
    let answer = session.call_with_key(&method, request, &arguments.key.or_new()).await?;
    show(session, &zone, &answer);
    Ok(Outcome::Complete)
}

fn show(session: &Session, zone: &Zone, answer: &Value) {
    if session.options.json {
        output::line(answer);
        return;
    }
    let booking = &answer["booking"]["booking"];
    let id = text(&booking["bookingId"]);
    let (site, key) = (session.site(), text(&answer["pageKey"]));
    if booking["heldUntilAt"].is_null() {
        output::line(format_args!(
            "The new link to the page of {id} is mailed. Who has this address can see it, too:\n\
             {site}/pay/booking#key={key}",
        ));
        return;
    }
    output::line(format_args!(
        "{id} is held until {} {}. Who has this address can see, agree to and pay it:\n\
         {site}/pay/booking#key={key}",
        zone.moment(&booking["heldUntilAt"]),
        zone.label,
    ));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::parsed;

    #[test]
    fn a_booking_needs_who_comes_and_when() {
        let read = |words: &str| parsed::<PhoneBooking>(words);
        let whole = "meditation 2026-11-24T11:00 --first-name Asha --last-name Rao --email a@b.in";
        let usual = read(whole).unwrap();
        assert_eq!((usual.mode, usual.hold, usual.start.len()), (SessionMode::Online, None, 1));
        let longer = read(&format!("{whole} --mode in-person --hold 10080")).unwrap();
        assert_eq!((longer.mode, longer.hold), (SessionMode::InPerson, Some(10_080)));
        for wrong in [
            "meditation 2026-11-24 --first-name A --last-name B --email a@b.in".to_owned(),
            "meditation 2026-11-24T11:00 --first-name A --last-name B".to_owned(),
            "meditation --first-name A --last-name B --email a@b.in".to_owned(),
            format!("{whole} --mode video"),
            format!("{whole} --hold 14"),
            format!("{whole} --hold 10081"),
            format!("{whole} --hold day"),
            format!("{whole} --key short"),
        ] {
            assert!(read(&wrong).is_err(), "{wrong}");
        }
    }
}
