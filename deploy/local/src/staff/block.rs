//! `sukoon block` and `sukoon unblock`: close times to customers and open them again.
use super::arguments::{Arguments, Usage, check_id};
use super::dates::{Zone, check_date, check_times};
use super::labels::text;
use super::outcome::Outcome;
use super::session::{Session, check_key, key};
use crate::output;
use anyhow::Result;
use serde_json::json;

pub(super) fn check_close(arguments: &Arguments) -> Result<(), Usage> {
    check_date(arguments.at(0))?;
    check_key(arguments)?;
    match arguments.count() {
        1 => Ok(()),
        3 => check_times(arguments.at(1), arguments.at(2)),
        _ => Err(Usage("give both times, or none for the whole day".to_owned())),
    }
}

pub(super) async fn close(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    // 24:00 is not a time of the day; the service expects an empty end instead.
    let to = Some(arguments.at(2)).filter(|to| *to != "24:00").unwrap_or_default();
    let request = json!({
        "date": arguments.at(0), "fromTime": arguments.at(1), "toTime": to,
        "practitionerId": arguments.option("practitioner"),
    });
    let method = "booking.v1.BookingStaffService/BlockTime";
    let answer = session.call_with_key(method, request, &key(arguments)).await?;
    if arguments.json() {
        output::line(answer);
        return Ok(Outcome::Complete);
    }
    let (zone, time) = (Zone::of(session).await?, &answer["blockedTime"]);
    output::line(format_args!(
        "Closed to customers: {} {} {} ({})",
        zone.day(&time["startsAt"]),
        zone.span(time),
        zone.label,
        text(&time["blockId"]),
    ));
    Ok(Outcome::Complete)
}

pub(super) fn check_open(arguments: &Arguments) -> Result<(), Usage> {
    check_id(arguments, 0, "blk_")
}

pub(super) async fn open(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    let request = json!({ "blockId": arguments.at(0) });
    let answer = session.call("booking.v1.BookingStaffService/UnblockTime", &request).await?;
    if arguments.json() {
        output::line(answer);
    } else {
        output::line("Open to customers again.");
    }
    Ok(Outcome::Complete)
}
