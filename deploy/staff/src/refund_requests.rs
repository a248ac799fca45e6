//! `sukoon refund-requests` and `sukoon answer-refund-request`: refunds that clients ask for.
use crate::arguments::{Key, id};
use crate::dates::Zone;
use crate::labels::{list, text};
use crate::outcome::Outcome;
use crate::session::Session;
use crate::table::Table;
use crate::words::word_of;
use crate::{confirm, money};
use anyhow::{Result, bail};
use contract::payments::v1::RefundRequestState;
use machine::output;
use serde_json::{Value, json};

const SERVICE: &str = "payments.v1.RefundRequestStaffService";

#[derive(Debug, clap::Args)]
pub(crate) struct Listing {
    /// Those too that were answered in the last 90 days.
    #[arg(long)]
    all: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Answer {
    /// The number that mails quote, R-17, or the whole id, rrq_….
    #[arg(value_parser = request)]
    request: String,
    #[command(flatten)]
    outcome: WhatGoesBack,
    /// What the client reads.
    #[arg(long)]
    text: String,
    #[command(flatten)]
    key: Key,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct WhatGoesBack {
    /// Such as 500 or 499.50.
    #[arg(long, value_name = "AMOUNT", value_parser = money::parse, allow_hyphen_values = true)]
    refund: Option<i64>,
    /// No money goes back.
    #[arg(long)]
    nothing: bool,
}

/// Reads a request's number or its id.
fn request(text: &str) -> Result<String, String> {
    let is_number = |digits: &str| digits.parse::<u32>().is_ok();
    if text.strip_prefix("R-").is_some_and(is_number) {
        return Ok(text.to_owned());
    }
    let wrong = |_| "it is neither a request's number, R-17, nor its id, rrq_…".to_owned();
    id(text, "rrq_").map_err(wrong)
}

async fn requests(session: &Session, all: bool) -> Result<Value> {
    let method = format!("{SERVICE}/ListRefundRequests");
    Ok(session.call(&method, &json!({ "includeAnswered": all })).await?)
}

/// Lists the requests.
pub(crate) async fn show(session: &Session, listing: &Listing) -> Result<Outcome> {
    let answer = requests(session, listing.all).await?;
    if session.options.json {
        output::line(answer);
        return Ok(Outcome::Complete);
    }
    table(&Zone::of(session).await?, list(&answer["requests"])).show(match listing.all {
        true => "Nobody has asked for a refund in the last 90 days.",
        false => "No request waits for an answer; --all shows those of the last 90 days.",
    });
    Ok(Outcome::Complete)
}

fn table(zone: &Zone, requests: &[Value]) -> Table {
    let mut table =
        Table::new(&["NUMBER", "STATE", "ANSWER BY", "BACK BY", "AMOUNT", "BOOKING", "REASON"]);
    for request in requests {
        table.row([
            text(&request["number"]),
            word_of::<RefundRequestState>(&text(&request["state"])),
            zone.moment(&request["answerByAt"]),
            zone.day(&request["closeByAt"]),
            match &request["amount"] {
                Value::Null => String::new(),
                amount => money::shown(amount),
            },
            text(&request["bookingId"]),
            text(&request["reason"]),
        ]);
    }
    table
}

/// The id of the request that is named.
async fn id_of(session: &Session, named: &str) -> Result<String> {
    if named.starts_with("rrq_") {
        return Ok(named.to_owned());
    }
    let answer = requests(session, true).await?;
    let found = list(&answer["requests"]).iter().find(|request| request["number"] == named);
    match found {
        Some(request) => Ok(text(&request["requestId"])),
        None => bail!("there is no request {named}; sukoon refund-requests lists them"),
    }
}

/// Answers a request.
pub(crate) async fn answer(session: &Session, arguments: &Answer) -> Result<Outcome> {
    let id = id_of(session, &arguments.request).await?;
    let (request, told) = call(&id, arguments);
    let question =
        format!("{told} for {}, and the client is told so. Are you sure?", arguments.request);
    confirm::require_confirmation(session.options, &question)?;
    let method = format!("{SERVICE}/AnswerRefundRequest");
    let answer = session.call_with_key(&method, request, &arguments.key.or_new()).await?;
    if session.options.json {
        output::line(answer);
    } else {
        let booking = text(&answer["request"]["bookingId"]);
        output::line(result(&told, answer["atDesk"] == true, &booking));
    }
    Ok(Outcome::Complete)
}

/// What the call asks, and what goes back in words.
fn call(id: &str, arguments: &Answer) -> (Value, String) {
    let mut request = json!({ "requestId": id, "answer": arguments.text });
    let Some(minor) = arguments.outcome.refund else {
        return (request, "Nothing goes back".to_owned());
    };
    let amount = money::wire(minor);
    let told = format!("{} goes back", money::shown(&amount));
    if let Some(fields) = request.as_object_mut() {
        fields.insert("amount".to_owned(), amount);
    }
    (request, told)
}

fn result(told: &str, is_at_desk: bool, booking: &str) -> String {
    if is_at_desk {
        return format!(
            "{told}, at the desk, because it was paid there. Give it back, and say: sukoon \
             give-back {booking} AMOUNT --way cash|upi. The client is told by mail."
        );
    }
    format!("{told}. The client is told by mail.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::parsed;

    #[test]
    fn an_answer_says_what_goes_back_and_why() {
        let id = format!("rrq_{}", "0a".repeat(16));
        let back = parsed::<Answer>("R-17 --refund 499.50 --text Sorry").unwrap();
        let (asked, told) = call(&id, &back);
        assert_eq!(told, "₹499.50 goes back");
        assert_eq!(asked["amount"]["minorUnits"], "49950");
        assert_eq!((&asked["requestId"], &asked["answer"]), (&json!(id), &json!("Sorry")));
        let nothing = parsed::<Answer>(&format!("{id} --nothing --text Sorry")).unwrap();
        let (asked, told) = call(&id, &nothing);
        assert!(asked.get("amount").is_none());
        assert_eq!(told, "Nothing goes back");
        assert!(result(&told, true, "bkg_1").contains("sukoon give-back bkg_1"));
        for wrong in [
            "R-17 --text Sorry",
            "R-17 --refund 5",
            "R-17 --refund -5 --text Sorry",
            "R-17 --refund 5 --nothing --text Sorry",
            "17 --nothing --text Sorry",
            "rrq_1 --nothing --text Sorry",
        ] {
            assert!(parsed::<Answer>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn requests_are_shown_with_their_clocks() {
        let open = json!({
            "number": "R-17", "state": "REFUND_REQUEST_STATE_OPEN", "bookingId": "bkg_1",
            "answerByAt": "2026-11-26T05:30:00Z", "closeByAt": "2026-12-07T05:30:00Z",
            "reason": "It was\nnot for me",
        });
        let granted = json!({
            "number": "R-16", "state": "REFUND_REQUEST_STATE_GRANTED", "bookingId": "bkg_2",
            "answerByAt": "2026-11-25T05:30:00Z", "closeByAt": "2026-12-06T05:30:00Z",
            "amount": { "minorUnits": "49950", "currencyCode": "INR" },
        });
        let wanted = "\
NUMBER  STATE    ANSWER BY         BACK BY     AMOUNT   BOOKING  REASON
R-17    open     2026-11-26 11:00  2026-12-07           bkg_1    It was not for me
R-16    granted  2026-11-25 11:00  2026-12-06  ₹499.50  bkg_2";
        assert_eq!(table(&Zone::of_kolkata(), &[open, granted]).text(), wanted);
    }
}
