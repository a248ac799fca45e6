//! `sukoon block` and `sukoon unblock`: close times to customers and open them again.
use crate::arguments::{Key, id};
use crate::dates::{Zone, clock, date};
use crate::labels::text;
use crate::outcome::Outcome;
use crate::session::Session;
use anyhow::Result;
use jiff::civil::Date;
use machine::output;
use serde_json::json;

#[derive(Debug, clap::Args)]
pub(crate) struct Closing {
    /// Such as 2026-11-24.
    #[arg(value_parser = date)]
    date: Date,
    /// The first time of a part of the day, such as 14:00.
    #[arg(value_parser = clock, requires = "to")]
    from: Option<String>,
    /// The end of that part, such as 16:30.
    #[arg(value_parser = clock)]
    to: Option<String>,
    /// Whose time; the first practitioner's unless you say.
    #[arg(long, value_name = "ID")]
    practitioner: Option<String>,
    #[command(flatten)]
    key: Key,
}

impl Closing {
    /// Checks that the times are in their order.
    pub(crate) fn check(&self) -> Result<(), String> {
        match (&self.from, &self.to) {
            (Some(from), Some(to)) if from >= to => {
                Err(format!("{from} {to} are no times such as 14:00 16:30, the earlier first"))
            }
            _in_order => Ok(()),
        }
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct Opening {
    /// The id of the closed time, which `today` shows.
    #[arg(value_parser = |text: &str| id(text, "blk_"))]
    block: String,
}

pub(crate) async fn close(session: &Session, arguments: &Closing) -> Result<Outcome> {
    // 24:00 is not a time of the day; the service expects an empty end instead.
    let to = arguments.to.as_deref().filter(|to| *to != "24:00");
    let request = json!({
        "date": arguments.date, "fromTime": arguments.from.as_deref().unwrap_or_default(),
        "toTime": to.unwrap_or_default(),
        "practitionerId": arguments.practitioner.as_deref().unwrap_or_default(),
    });
    let method = "booking.v1.BookingStaffService/BlockTime";
    let answer = session.call_with_key(method, request, &arguments.key.or_new()).await?;
    if session.options.json {
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

pub(crate) async fn open(session: &Session, arguments: &Opening) -> Result<Outcome> {
    let request = json!({ "blockId": arguments.block });
    let answer = session.call("booking.v1.BookingStaffService/UnblockTime", &request).await?;
    if session.options.json {
        output::line(answer);
    } else {
        output::line("Open to customers again.");
    }
    Ok(Outcome::Complete)
}
