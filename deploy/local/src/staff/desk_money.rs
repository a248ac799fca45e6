//! `sukoon pay-at-desk` and `sukoon give-back`: money that changed hands at the practice's desk.
use super::arguments::{Arguments, Usage, check_booking};
use super::outcome::Outcome;
use super::session::{Session, check_key, key};
use super::{confirm, money};
use crate::output;
use anyhow::Result;
use serde_json::{Value, json};

const SERVICE: &str = "payments.v1.PaymentsStaffService";

/// How money changes hands: the word that staff types, its name in the API, and in a sentence.
const WAYS: [(&str, &str, &str); 2] =
    [("cash", "DESK_WAY_CASH", "in cash"), ("upi", "DESK_WAY_UPI", "by UPI")];

pub(super) fn check(arguments: &Arguments) -> Result<(), Usage> {
    check_booking(arguments, 0)?;
    check_key(arguments)?;
    money::parse(arguments.at(1))?;
    way(arguments).map(|_known| ())
}

fn way(arguments: &Arguments) -> Result<(&'static str, &'static str), Usage> {
    let said = arguments.option("way");
    let known = WAYS.iter().find(|(word, ..)| *word == said);
    let known = known.map(|(_, wire, words)| (*wire, *words));
    known.ok_or_else(|| Usage("--way must be cash or upi".to_owned()))
}

/// What both calls ask, and the amount and the way in words.
fn request(arguments: &Arguments) -> Result<(Value, String)> {
    let (wire, words) = way(arguments)?;
    let amount = money::wire(money::parse(arguments.at(1))?);
    let told = format!("{} {words}", money::shown(&amount));
    let request = json!({
        "bookingId": arguments.at(0), "amount": amount, "way": wire,
        "reference": arguments.option("reference"),
    });
    Ok((request, told))
}

/// Confirms a booking by phone that was paid at the desk.
pub(super) async fn pay(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    let (request, told) = request(arguments)?;
    let id = arguments.at(0);
    let question = format!("{told} was paid for {id}? It is confirmed, and its link ends.");
    confirm::require_confirmation(arguments, &question)?;
    let method = format!("{SERVICE}/RecordDeskPayment");
    let answer = session.call_with_key(&method, request, &key(arguments)).await?;
    if arguments.json() {
        output::line(answer);
    } else {
        output::line(format_args!("{told} is recorded. The confirmation and the receipt follow."));
    }
    Ok(Outcome::Complete)
}

/// Records that what is owed was given back at the desk.
pub(super) async fn give_back(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    let (request, told) = request(arguments)?;
    let id = arguments.at(0);
    let question = format!("{told} was given back for {id}?");
    confirm::require_confirmation(arguments, &question)?;
    let method = format!("{SERVICE}/RecordDeskRefund");
    let answer = session.call_with_key(&method, request, &key(arguments)).await?;
    if arguments.json() {
        output::line(answer);
    } else {
        output::line(format_args!("{told} is recorded as given back. The client is told by mail."));
    }
    Ok(Outcome::Complete)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(said: &str) -> Arguments {
        let said: Vec<String> = said.split(' ').map(str::to_owned).collect();
        Arguments::read(&said, &["way", "reference", "key"], (2, 2)).unwrap()
    }

    #[test]
    fn an_amount_and_a_way_are_said() {
        let (asked, told) =
            request(&read("bkg_1 1,499.50 --way upi --reference 412345678901")).unwrap();
        assert_eq!(told, "₹1,499.50 by UPI");
        assert_eq!(asked["way"], "DESK_WAY_UPI");
        assert_eq!(asked["reference"], "412345678901");
        assert_eq!(request(&read("bkg_1 500 --way cash")).unwrap().1, "₹500 in cash");
        assert!(way(&read("bkg_1 500")).is_err());
    }
}
