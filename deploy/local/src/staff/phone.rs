//! `sukoon phone-booking` and `sukoon send-link`: bookings for clients on the phone, who pay on a
//! page of their own.
use super::arguments::{Arguments, Usage, check_booking};
use super::dates::{Zone, check_start};
use super::labels::text;
use super::outcome::Outcome;
use super::session::{Session, check_key, key};
use crate::output;
use anyhow::Result;
use serde_json::{Value, json};

const SERVICE: &str = "booking.v1.BookingStaffService";

/// For how many minutes a time can be held.
const HOLD_MINUTES: std::ops::RangeInclusive<u32> = 15..=7 * 24 * 60;

pub(super) fn check_call(arguments: &Arguments) -> Result<(), Usage> {
    for position in 1..arguments.count() {
        check_start(arguments.at(position))?;
    }
    for name in ["first-name", "last-name", "email"] {
        if arguments.option(name).is_empty() {
            return Err(Usage(format!("--{name} is missing")));
        }
    }
    mode(arguments)?;
    hold_minutes(arguments)?;
    check_key(arguments)
}

pub(super) fn check_link(arguments: &Arguments) -> Result<(), Usage> {
    check_booking(arguments, 0)?;
    check_key(arguments)
}

fn mode(arguments: &Arguments) -> Result<&'static str, Usage> {
    match arguments.option("mode") {
        "" | "online" => Ok("SESSION_MODE_ONLINE"),
        "in-person" => Ok("SESSION_MODE_IN_PERSON"),
        other => Err(Usage(format!("--mode is online or in-person, and not {other}"))),
    }
}

/// For how long the time is held; 0 leaves it to the service.
fn hold_minutes(arguments: &Arguments) -> Result<u32, Usage> {
    let text = arguments.option("hold");
    if text.is_empty() {
        return Ok(0);
    }
    let minutes = text.parse().ok().filter(|minutes| HOLD_MINUTES.contains(minutes));
    minutes.ok_or_else(|| {
        let (least, most) = (HOLD_MINUTES.start(), HOLD_MINUTES.end());
        Usage(format!("--hold must be a number of minutes from {least} to {most}"))
    })
}

pub(super) async fn book(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    let zone = Zone::of(session).await?;
    let starts = (1..arguments.count()).map(|position| zone.instant(arguments.at(position)));
    let request = json!({
        "serviceId": arguments.at(0),
        "startsAt": starts.collect::<Result<Vec<_>>>()?,
        "packageId": arguments.option("package"),
        "mode": mode(arguments)?,
        "practitionerId": arguments.option("practitioner"),
        "contact": {
            "firstName": arguments.option("first-name"),
            "lastName": arguments.option("last-name"),
            "email": arguments.option("email"),
            "phone": arguments.option("phone"),
            "notes": arguments.option("notes"),
        },
        "holdMinutes": hold_minutes(arguments)?,
        "sendMail": arguments.has("mail"),
    });
    let method = format!("{SERVICE}/RequestPhoneBooking");
    let answer = session.call_with_key(&method, request, &key(arguments)).await?;
    show(session, arguments, (&zone, &answer));
    Ok(Outcome::Complete)
}

pub(super) async fn send_link(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    let zone = Zone::of(session).await?;
    let request = json!({ "bookingId": arguments.at(0), "sendMail": true });
    let method = format!("{SERVICE}/SendPaymentPage");
    let answer = session.call_with_key(&method, request, &key(arguments)).await?;
    show(session, arguments, (&zone, &answer));
    Ok(Outcome::Complete)
}

fn show(session: &Session, arguments: &Arguments, (zone, answer): (&Zone, &Value)) {
    if arguments.json() {
        output::line(answer);
        return;
    }
    let booking = &answer["booking"]["booking"];
    let id = text(&booking["bookingId"]);
    let (site, key) = (session.url(), text(&answer["pageKey"]));
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

    const OPTIONS: &[&str] = &["first-name", "last-name", "email", "mode", "hold", "key"];

    fn read(said: &str) -> Arguments {
        let said: Vec<String> = said.split_whitespace().map(str::to_owned).collect();
        Arguments::read(&said, OPTIONS, (2, 21)).unwrap()
    }

    #[test]
    fn a_booking_needs_who_comes_and_when() {
        let whole = "meditation 2026-11-24T11:00 --first-name Asha --last-name Rao --email a@b.in";
        assert_eq!(check_call(&read(whole)), Ok(()));
        assert_eq!(mode(&read(whole)), Ok("SESSION_MODE_ONLINE"));
        assert_eq!(hold_minutes(&read(whole)), Ok(0));
        let longer = format!("{whole} --mode in-person --hold 10080");
        assert_eq!(mode(&read(&longer)), Ok("SESSION_MODE_IN_PERSON"));
        assert_eq!(hold_minutes(&read(&longer)), Ok(10_080));
        for wrong in [
            "meditation 2026-11-24 --first-name A --last-name B --email a@b.in".to_owned(),
            "meditation 2026-11-24T11:00 --first-name A --last-name B".to_owned(),
            format!("{whole} --mode video"),
            format!("{whole} --hold 14"),
            format!("{whole} --hold 10081"),
            format!("{whole} --hold day"),
            format!("{whole} --key short"),
        ] {
            assert!(check_call(&read(&wrong)).is_err(), "{wrong}");
        }
    }
}
