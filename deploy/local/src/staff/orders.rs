//! `sukoon orders unexplained` and `orders explain`: orders and payments without an explanation,
//! and staff's explanations of them.
use super::arguments::{Arguments, Usage};
use super::dates::Zone;
use super::labels::{list, text};
use super::money;
use super::outcome::Outcome;
use super::session::Session;
use super::table::{Table, printable};
use crate::output;
use anyhow::Result;
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(super) fn check(_arguments: &Arguments) -> Result<(), Usage> {
    Ok(())
}

pub(super) async fn run(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    let request = json!({ "includeYoung": arguments.has("all") });
    let method = "payments.v1.PaymentsStaffService/ListUnexplainedOrders";
    let answer = session.call(method, &request).await?;
    if arguments.json() {
        output::line(answer);
        return Ok(Outcome::Complete);
    }
    let (zone, orders) = (Zone::of(session).await?, list(&answer["orders"]));
    table(&zone, orders).show("Every order and payment is explained.");
    let reasons: BTreeMap<String, String> = orders
        .iter()
        .map(|order| (text(&order["reason"]), text(&order["explanation"])))
        .filter(|(_, explanation)| !explanation.is_empty())
        .collect();
    if !reasons.is_empty() {
        output::line("");
    }
    for (reason, explanation) in reasons {
        output::line(format_args!("{}: {}", printable(&reason), printable(&explanation)));
    }
    Ok(Outcome::Complete)
}

/// Explains why a row of the list is correct.
pub(super) async fn explain(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    let request = json!({
        "reason": arguments.at(0),
        "subject": arguments.at(1),
        "explanation": arguments.at(2),
    });
    let method = "payments.v1.PaymentsStaffService/ExplainOrder";
    let answer = session.call(method, &request).await?;
    if arguments.json() {
        output::line(answer);
    } else {
        let (reason, subject) = (printable(arguments.at(0)), printable(arguments.at(1)));
        output::line(format_args!(
            "{reason} of {subject} is explained. It comes back when its amount changes."
        ));
    }
    Ok(Outcome::Complete)
}

fn table(zone: &Zone, orders: &[Value]) -> Table {
    let mut table =
        Table::new(&["SINCE", "ANSWER BY", "REASON", "AMOUNT", "BOOKING", "ORDER", "PAYMENT"]);
    for order in orders {
        table.row([
            zone.moment(&order["sinceAt"]),
            match &order["respondByAt"] {
                Value::Null => String::new(),
                at => zone.moment(at),
            },
            text(&order["reason"]),
            match &order["amount"] {
                Value::Null => "not known".to_owned(),
                amount => money::shown(amount),
            },
            text(&order["bookingId"]),
            text(&order["orderId"]),
            text(&order["paymentId"]),
        ]);
    }
    table
}
