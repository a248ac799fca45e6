//! `sukoon calendar`: the secret addresses at which other calendars read a practitioner's sessions.
use crate::arguments::{Key, Nothing};
use crate::dates::Zone;
use crate::labels::{list, text};
use crate::outcome::Outcome;
use crate::session::Session;
use anyhow::Result;
use machine::output;
use serde_json::{Value, json};

const SERVICE: &str = "booking.v1.BookingCalendarStaffService";

/// The secret addresses at which calendars read sessions, and the calendars that close times.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Calendar {
    /// The secret addresses at which calendars read sessions.
    Addresses(Nothing),
    /// A new address; the one before ends.
    Renew(Renewal),
    /// No address any more.
    Stop(OnePractitioner),
    /// Practitioners' own calendars, which close times, and whether they can be read.
    Sources(Nothing),
    /// Read one of these calendars now.
    Read(OneCalendar),
}

#[derive(Debug, clap::Args)]
pub(crate) struct OnePractitioner {
    /// The practitioner's id in practice.toml; the first one's unless you say.
    #[arg(value_parser = toml_id)]
    practitioner: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Renewal {
    #[command(flatten)]
    of: OnePractitioner,
    /// Show the clients' names there.
    #[arg(long)]
    names: bool,
    #[command(flatten)]
    key: Key,
}

#[derive(Debug, clap::Args)]
pub(crate) struct OneCalendar {
    /// The calendar's id in practice.toml.
    #[arg(value_parser = toml_id)]
    calendar: String,
}

impl OnePractitioner {
    fn id(&self) -> &str {
        self.practitioner.as_deref().unwrap_or_default()
    }
}

/// Reads an id as practice.toml has it.
fn toml_id(text: &str) -> Result<String, String> {
    let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    let good = !text.is_empty() && text.bytes().all(allowed);
    let wrong = || "it is no id as practice.toml has them".to_owned();
    good.then(|| text.to_owned()).ok_or_else(wrong)
}

pub(crate) async fn run(session: &Session, calendar: &Calendar) -> Result<Outcome> {
    match calendar {
        Calendar::Addresses(_) => addresses(session).await,
        Calendar::Renew(renewal) => renew(session, renewal).await,
        Calendar::Stop(of) => stop(session, of).await,
        Calendar::Sources(_) => sources(session).await,
        Calendar::Read(one) => read(session, one).await,
    }
}

async fn addresses(session: &Session) -> Result<Outcome> {
    let answer = session.call(&format!("{SERVICE}/ListCalendarFeeds"), &json!({})).await?;
    if session.options.json {
        output::line(answer);
        return Ok(Outcome::Complete);
    }
    let zone = Zone::of(session).await?;
    let mut table = zone.table(&["PRACTITIONER", "NAME", "NAMES SHOWN", "SINCE", "ADDRESS"]);
    for feed in list(&answer["feeds"]) {
        table.row([
            text(&feed["practitionerId"]),
            text(&feed["practitionerName"]),
            if feed["showsClientNames"] == json!(true) { "yes" } else { "no" }.to_owned(),
            zone.moment(&feed["renewedAt"]),
            address(session, feed),
        ]);
    }
    table.show("There are no practitioners.");
    Ok(Outcome::Complete)
}

async fn renew(session: &Session, arguments: &Renewal) -> Result<Outcome> {
    let request = json!({
        "practitionerId": arguments.of.id(), "showsClientNames": arguments.names,
    });
    let method = format!("{SERVICE}/RenewCalendarFeed");
    let answer = session.call_with_key(&method, request, &arguments.key.or_new()).await?;
    if session.options.json {
        output::line(answer);
        return Ok(Outcome::Complete);
    }
    let feed = &answer["feed"];
    let named = if feed["showsClientNames"] == json!(true) { "with" } else { "without" };
    output::line(format_args!(
        "Who has this address can read the sessions of {}, {named} clients' names:\n{}",
        text(&feed["practitionerName"]),
        address(session, feed),
    ));
    Ok(Outcome::Complete)
}

async fn stop(session: &Session, of: &OnePractitioner) -> Result<Outcome> {
    let request = json!({ "practitionerId": of.id() });
    let answer = session.call(&format!("{SERVICE}/StopCalendarFeed"), &request).await?;
    if session.options.json {
        output::line(answer);
    } else {
        output::line("No calendar can read these sessions any more.");
    }
    Ok(Outcome::Complete)
}

async fn sources(session: &Session) -> Result<Outcome> {
    let answer = session.call(&format!("{SERVICE}/ListCalendarSources"), &json!({})).await?;
    if session.options.json {
        output::line(answer);
        return Ok(Outcome::Complete);
    }
    let zone = Zone::of(session).await?;
    let headings = &["CALENDAR", "OF", "READ", "CLOSES", "NOT UNDERSTOOD", "PROBLEM", "SINCE"];
    let mut table = zone.table(headings);
    for source in list(&answer["sources"]) {
        table.row([
            text(&source["calendarId"]),
            text(&source["practitionerName"]),
            zone.moment(&source["readAt"]),
            count(&source["busyTimes"]),
            count(&source["oddEvents"]),
            said_of(source),
            zone.moment(&source["failingSinceAt"]),
        ]);
    }
    table.show("practice.toml names no calendars.");
    let failing =
        list(&answer["sources"]).iter().any(|source| !text(&source["problem"]).is_empty());
    Ok(if failing { Outcome::Partial } else { Outcome::Complete })
}

async fn read(session: &Session, arguments: &OneCalendar) -> Result<Outcome> {
    let request = json!({ "calendarId": arguments.calendar });
    let answer = session.call(&format!("{SERVICE}/ReadCalendarSource"), &request).await?;
    if session.options.json {
        output::line(answer);
    } else {
        output::line("It is read now; `sukoon calendar sources` shows what came of it.");
    }
    Ok(Outcome::Complete)
}

/// A count, which JSON has as a number or as a text.
fn count(value: &Value) -> String {
    let text = text(value);
    if text.is_empty() { value.as_i64().unwrap_or_default().to_string() } else { text }
}

/// Why a calendar cannot be read, and that it never was: then it closes nothing.
fn said_of(source: &Value) -> String {
    let problem = problem(&source["problem"]);
    if problem.is_empty() || !text(&source["readAt"]).is_empty() {
        return problem.to_owned();
    }
    format!("NEVER READ, closes nothing: {problem}")
}

/// A problem in words.
fn problem(word: &Value) -> &'static str {
    match word.as_str().unwrap_or_default() {
        "" => "",
        "no_secret" => "no secret in BOOKING_CALENDAR_SECRETS",
        "not_https" => "the address is not https",
        "not_public" => "the address is not on the public internet",
        "no_answer" => "the server does not answer",
        "too_slow" => "the server is too slow",
        "redirected" => "the server sends to another address",
        "refused" => "name, password or address are refused",
        "no_calendar" => "there is no calendar at the address",
        "server_error" => "the server answers with an error",
        "too_large" => "it is too large, even without its past",
        "not_caldav" => "the server does not speak CalDAV",
        "not_a_calendar" => "it is not a calendar file",
        "incomplete" => "the file is not complete",
        "too_many_events" => "it has too many events",
        "too_many_times" => "its events take place too often",
        _ => "it cannot be read",
    }
}

/// The whole address of a feed, or nothing.
fn address(session: &Session, feed: &Value) -> String {
    let path = text(&feed["path"]);
    if path.is_empty() { path } else { format!("{}{path}", session.site()) }
}
