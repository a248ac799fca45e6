//! `sukoon orders unexplained`: orders and payments that nothing explains.
use super::arguments::{Arguments, Usage};
use super::session::Session;
use super::table::{Table, on_screen};
use super::when::Zone;
use super::words::{list, text};
use super::{Done, money};
use crate::say;
use anyhow::Result;
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(super) fn check(_arguments: &Arguments) -> Result<(), Usage> {
    Ok(())
}

pub(super) async fn run(session: &Session, arguments: &Arguments) -> Result<Done> {
    let asked = json!({ "includeYoung": arguments.has("all") });
    let method = "payments.v1.PaymentsStaffService/ListUnexplainedOrders";
    let answer = session.call(method, &asked).await?;
    if arguments.json() {
        say::line(answer);
        return Ok(Done::All);
    }
    let (zone, orders) = (Zone::of(session).await?, list(&answer["orders"]));
    table(&zone, orders).show("Every order and payment is explained.");
    let reasons: BTreeMap<String, String> = orders
        .iter()
        .map(|order| (text(&order["reason"]), text(&order["explanation"])))
        .filter(|(_, explanation)| !explanation.is_empty())
        .collect();
    if !reasons.is_empty() {
        say::line("");
    }
    for (reason, explanation) in reasons {
        say::line(format_args!("{}: {}", on_screen(&reason), on_screen(&explanation)));
    }
    Ok(Done::All)
}

fn table(zone: &Zone, orders: &[Value]) -> Table {
    let mut table = Table::new(&["SINCE", "REASON", "AMOUNT", "BOOKING", "ORDER", "PAYMENT"]);
    for order in orders {
        table.row([
            zone.moment(&order["sinceAt"]),
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
