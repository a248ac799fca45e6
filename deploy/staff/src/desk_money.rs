//! `sukoon pay-at-desk` and `sukoon give-back`: money that changed hands at the practice's desk.
use crate::arguments::{Key, OneBooking};
use crate::outcome::Outcome;
use crate::session::Session;
use crate::{confirm, money, references, words};
use anyhow::Result;
use contract::common::v1::DeskWay;
use machine::output;
use serde_json::{Value, json};

const SERVICE: &str = "payments.v1.PaymentsStaffService";

#[derive(Debug, clap::Args)]
pub(crate) struct DeskMoney {
    #[command(flatten)]
    of: OneBooking,
    /// Such as 500 or 499.50.
    #[arg(value_parser = money::parse, allow_hyphen_values = true)]
    amount: i64,
    /// How it changed hands.
    #[arg(long, value_name = "cash|upi", value_parser = words::read::<DeskWay>)]
    way: DeskWay,
    /// The bank's reference of a payment by UPI.
    #[arg(long, value_name = "TEXT")]
    reference: Option<String>,
    #[command(flatten)]
    key: Key,
}

/// What both calls ask, and the amount and the way in words.
fn request(id: &str, arguments: &DeskMoney) -> (Value, String) {
    let words = if arguments.way == DeskWay::Upi { "by UPI" } else { "in cash" };
    let amount = money::wire(arguments.amount);
    let told = format!("{} {words}", money::shown(&amount));
    let request = json!({
        "bookingId": id, "amount": amount, "way": arguments.way.as_str_name(),
        "reference": arguments.reference.as_deref().unwrap_or_default(),
    });
    (request, told)
}

/// Confirms a booking by phone that was paid at the desk.
pub(crate) async fn pay(session: &Session, arguments: &DeskMoney) -> Result<Outcome> {
    let id = &references::id_of(session, &arguments.of.booking).await?;
    let (request, told) = request(id, arguments);
    let question = format!("{told} was paid for {id}? It is confirmed, and its link ends.");
    confirm::require_confirmation(session.options, &question)?;
    let method = format!("{SERVICE}/RecordDeskPayment");
    let answer = session.call_with_key(&method, request, &arguments.key.or_new()).await?;
    if session.options.json {
        output::line(answer);
    } else {
        output::line(format_args!("{told} is recorded. The confirmation and the receipt follow."));
    }
    Ok(Outcome::Complete)
}

/// Records that what is owed was given back at the desk.
pub(crate) async fn give_back(session: &Session, arguments: &DeskMoney) -> Result<Outcome> {
    let id = &references::id_of(session, &arguments.of.booking).await?;
    let (request, told) = request(id, arguments);
    let question = format!("{told} was given back for {id}?");
    confirm::require_confirmation(session.options, &question)?;
    let method = format!("{SERVICE}/RecordDeskRefund");
    let answer = session.call_with_key(&method, request, &arguments.key.or_new()).await?;
    if session.options.json {
        output::line(answer);
    } else {
        output::line(format_args!("{told} is recorded as given back. The client is told by mail."));
    }
    Ok(Outcome::Complete)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::parsed;

    #[test]
    fn an_amount_and_a_way_are_said() {
        let read = |words: &str| parsed::<DeskMoney>(&format!("dd4ca70c {words}"));
        let upi = read("1,499.50 --way upi --reference 412345678901").unwrap();
        let (asked, told) = request("bkg_1", &upi);
        assert_eq!(told, "₹1,499.50 by UPI");
        assert_eq!(asked["way"], "DESK_WAY_UPI");
        assert_eq!(asked["reference"], "412345678901");
        assert_eq!(request("bkg_1", &read("500 --way cash").unwrap()).1, "₹500 in cash");
        assert!(read("500").is_err() && read("-5 --way cash").is_err());
    }
}
