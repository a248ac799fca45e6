//! `sukoon parked`: events that a service could not handle. The answers of the other services are
//! shown even when one service is down.
use crate::arguments::{CommonOptions, Nothing};
use crate::labels::{list as items, text};
use crate::outcome::Outcome;
use crate::refusal::Refusal;
use crate::session::Session;
use crate::table::Table;
use anyhow::Result;
use machine::output;
use serde_json::{Map, Value, json};

/// The services that handle events, each with the name of its staff API.
const SERVICES: [(&str, &str); 4] = [
    ("booking", "booking.v1.BookingStaffService"),
    ("payments", "payments.v1.PaymentsStaffService"),
    ("notifications", "notifications.v1.NotificationsStaffService"),
    ("reviews", "reviews.v1.ReviewsStaffService"),
];

/// The answer of each service.
type Answers = Vec<(&'static str, Result<Value, Refusal>)>;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Parked {
    /// Events that a service could not take in.
    List(Nothing),
    /// Try them again.
    Retry(Retrying),
}

#[derive(Debug, clap::Args)]
pub(crate) struct Retrying {
    /// Those of this stream alone.
    stream: Option<String>,
}

pub(crate) async fn run(session: &Session, parked: &Parked) -> Result<Outcome> {
    match parked {
        Parked::List(_) => list(session).await,
        Parked::Retry(retrying) => retry(session, retrying).await,
    }
}

async fn list(session: &Session) -> Result<Outcome> {
    let answers = call_each(session, "ListParkedEvents", &json!({})).await;
    show(&answers, session.options, "Nothing is parked.")
}

async fn retry(session: &Session, retrying: &Retrying) -> Result<Outcome> {
    let request = json!({ "streamId": retrying.stream.as_deref().unwrap_or_default() });
    let answers = call_each(session, "RetryParkedEvents", &request).await;
    if !session.options.json {
        for (name, answer) in &answers {
            if let Ok(answer) = answer {
                let count = answer["handled"].as_i64().unwrap_or_default();
                output::line(format_args!("{name}: {count} taken in"));
            }
        }
    }
    show(&answers, session.options, "Nothing is parked any more.")
}

async fn call_each(session: &Session, method: &str, request: &Value) -> Answers {
    let mut answers = Vec::new();
    for (name, service) in SERVICES {
        answers.push((name, session.call(&format!("{service}/{method}"), request).await));
    }
    answers
}

fn show(answers: &Answers, options: CommonOptions, when_empty: &str) -> Result<Outcome> {
    // A missing permission is reported once instead of once per service.
    let refused = answers
        .iter()
        .find_map(|(_, answer)| answer.as_ref().err().filter(|refusal| !refusal.is_unavailable()));
    if let Some(refusal) = refused {
        return Err(refusal.clone().into());
    }
    let answered = answers.iter().filter_map(|(name, answer)| Some((*name, answer.as_ref().ok()?)));
    if options.json {
        let all = answered.map(|(name, answer)| (name.to_owned(), answer.clone()));
        output::line(Value::Object(all.collect::<Map<_, _>>()));
    } else {
        table(answered).show(when_empty);
    }
    let mut outcome = Outcome::Complete;
    for (name, answer) in answers {
        if let Err(refusal) = answer {
            output::problem(&anyhow::anyhow!("{name}: {refusal}"));
            outcome = Outcome::Partial;
        }
    }
    Ok(outcome)
}

fn table<'a>(answers: impl Iterator<Item = (&'static str, &'a Value)>) -> Table {
    let mut table =
        Table::new(&["SERVICE", "FROM", "POSITION", "EVENT", "STREAM", "SINCE", "ERROR"]);
    for (name, answer) in answers {
        for event in items(&answer["events"]) {
            table.row([
                name.to_owned(),
                text(&event["source"]),
                text(&event["position"]),
                text(&event["eventType"]),
                text(&event["streamId"]),
                text(&event["parkedAt"]),
                text(&event["error"]),
            ]);
        }
    }
    table
}
