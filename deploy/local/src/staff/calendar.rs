//! `sukoon calendar`: the secret addresses at which other calendars read a practitioner's sessions.
use super::arguments::{Arguments, Usage};
use super::dates::Zone;
use super::labels::{list, text};
use super::outcome::Outcome;
use super::session::{Session, check_key, key};
use crate::output;
use anyhow::Result;
use serde_json::{Value, json};

const SERVICE: &str = "booking.v1.BookingCalendarStaffService";

pub(super) fn check(_arguments: &Arguments) -> Result<(), Usage> {
    Ok(())
}

pub(super) fn check_practitioner(arguments: &Arguments) -> Result<(), Usage> {
    let id = arguments.at(0);
    let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    if id.bytes().all(allowed) {
        return Ok(());
    }
    Err(Usage(format!("{id} is no id of a practitioner, as practice.toml has it")))
}

pub(super) fn check_renew(arguments: &Arguments) -> Result<(), Usage> {
    check_practitioner(arguments)?;
    check_key(arguments)
}

pub(super) async fn addresses(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    let answer = session.call(&format!("{SERVICE}/ListCalendarFeeds"), &json!({})).await?;
    if arguments.json() {
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

pub(super) async fn renew(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    let request = json!({
        "practitionerId": arguments.at(0), "showsClientNames": arguments.has("names"),
    });
    let method = format!("{SERVICE}/RenewCalendarFeed");
    let answer = session.call_with_key(&method, request, &key(arguments)).await?;
    if arguments.json() {
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

pub(super) async fn stop(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    let request = json!({ "practitionerId": arguments.at(0) });
    let answer = session.call(&format!("{SERVICE}/StopCalendarFeed"), &request).await?;
    if arguments.json() {
        output::line(answer);
    } else {
        output::line("No calendar can read these sessions any more.");
    }
    Ok(Outcome::Complete)
}

pub(super) fn check_calendar(arguments: &Arguments) -> Result<(), Usage> {
    if arguments.at(0).is_empty() {
        return Err(Usage("name a calendar of practice.toml".to_owned()));
    }
    check_practitioner(arguments)
}

pub(super) async fn sources(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    let answer = session.call(&format!("{SERVICE}/ListCalendarSources"), &json!({})).await?;
    if arguments.json() {
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

pub(super) async fn read(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    let request = json!({ "calendarId": arguments.at(0) });
    let answer = session.call(&format!("{SERVICE}/ReadCalendarSource"), &request).await?;
    if arguments.json() {
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
    if path.is_empty() { path } else { format!("{}{path}", session.url()) }
}
