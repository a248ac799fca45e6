//! `sukoon orders unexplained` and `orders explain`: orders and payments without an explanation,
//! and staff's explanations of them.
use crate::dates::Zone;
use crate::labels::{list, text};
use crate::money;
use crate::outcome::Outcome;
use crate::session::Session;
use crate::table::{Table, printable};
use anyhow::Result;
use machine::output;
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Orders {
    /// Orders and payments that nothing explains.
    Unexplained(Listing),
    /// A row of that list is right as it is.
    Explain(Explanation),
}

#[derive(Debug, clap::Args)]
pub(crate) struct Listing {
    /// Those too that may still explain themselves.
    #[arg(long)]
    all: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Explanation {
    /// The row's reason.
    reason: String,
    /// The row's payment, else its order, else its booking.
    subject: String,
    /// Why it is right.
    because: String,
}

pub(crate) async fn run(session: &Session, orders: &Orders) -> Result<Outcome> {
    match orders {
        Orders::Unexplained(listing) => unexplained(session, listing).await,
        Orders::Explain(explanation) => explain(session, explanation).await,
    }
}

async fn unexplained(session: &Session, listing: &Listing) -> Result<Outcome> {
    let request = json!({ "includeYoung": listing.all });
    let method = "payments.v1.PaymentsStaffService/ListUnexplainedOrders";
    let answer = session.call(method, &request).await?;
    if session.options.json {
        output::line(answer);
        return Ok(Outcome::Complete);
    }
    let (zone, orders) = (Zone::of(session).await?, list(&answer["orders"]));
    table(&zone, orders).show(match listing.all {
        true => "Every order and payment is explained.",
        false => "Every order and payment that is older than a day is explained; --all shows all.",
    });
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
async fn explain(session: &Session, arguments: &Explanation) -> Result<Outcome> {
    let request = json!({
        "reason": arguments.reason,
        "subject": arguments.subject,
        "explanation": arguments.because,
    });
    let method = "payments.v1.PaymentsStaffService/ExplainOrder";
    let answer = session.call(method, &request).await?;
    if session.options.json {
        output::line(answer);
    } else {
        let (reason, subject) = (printable(&arguments.reason), printable(&arguments.subject));
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
