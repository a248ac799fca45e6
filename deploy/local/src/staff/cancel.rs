//! `sukoon cancel`: cancels a confirmed booking.
use super::arguments::{Arguments, Usage, check_id};
use super::outcome::Outcome;
use super::session::{Session, check_key, key};
use super::{confirm, money};
use crate::output;
use anyhow::Result;
use serde_json::{Value, json};

/// Who can request a cancellation, by the word that staff types.
const BY: [(&str, &str); 2] =
    [("customer", "CANCELLED_BY_CUSTOMER"), ("practice", "CANCELLED_BY_PRACTICE")];
/// The refund by the word that staff types, with the text for the confirmation prompt.
const REFUND: [(&str, &str, &str); 3] = [
    ("policy", "CANCELLATION_REFUND_UNSPECIFIED", "what goes back follows the practice's policy"),
    ("full", "CANCELLATION_REFUND_FULL", "all of the money goes back, whatever the policy says"),
    ("none", "CANCELLATION_REFUND_NONE", "nothing goes back, whatever the policy says"),
];

pub(super) fn check(arguments: &Arguments) -> Result<(), Usage> {
    check_id(arguments, 0, "bkg_")?;
    check_key(arguments)?;
    read_options(arguments).map(|_known| ())
}

/// The highest number of a session of a package.
const SESSIONS_MAX: i32 = 20;

struct CancelOptions {
    by: (&'static str, &'static str),
    refund: (&'static str, &'static str),
    /// Only this session of a package; 0 for all that have not ended.
    session: i32,
}

fn read_options(arguments: &Arguments) -> Result<CancelOptions, Usage> {
    let or = |name: &str, usual: &str| {
        let said = arguments.option(name).to_lowercase();
        if said.is_empty() { usual.to_owned() } else { said }
    };
    let (by, refund) = (or("by", "customer"), or("refund", "policy"));
    let session = or("session", "0").parse().ok();
    let session = session.filter(|number| (0..=SESSIONS_MAX).contains(number));
    let session = session.ok_or_else(|| Usage("--session must be a number from 1".to_owned()))?;
    let by = BY.iter().find(|(word, _)| *word == by);
    let refund = REFUND.iter().find(|(word, ..)| *word == refund);
    match (by, refund) {
        (Some(by), Some((_, wire, words))) => {
            Ok(CancelOptions { by: *by, refund: (wire, words), session })
        }
        (None, _) => Err(Usage("--by must be customer or practice".to_owned())),
        (_, None) => Err(Usage("--refund must be policy, full or none".to_owned())),
    }
}

pub(super) async fn run(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    let (id, CancelOptions { by: (who, by), refund: (refund, words), session: number }) =
        (arguments.at(0), read_options(arguments)?);
    let what = match number {
        0 => id.to_owned(),
        number => format!("session {number} of {id}"),
    };
    let question = format!("Cancel {what} because the {who} wants it; {words}. Are you sure?");
    confirm::require_confirmation(arguments, &question)?;
    let request = json!({
        "bookingId": id, "cancelledBy": by, "refund": refund, "sessionNumber": number,
    });
    let method = "booking.v1.BookingStaffService/CancelBooking";
    let answer = session.call_with_key(method, request, &key(arguments)).await?;
    if arguments.json() {
        output::line(answer);
    } else {
        output::line(format_args!(
            "Cancelled. {} The customer is told by mail.",
            refund_message(&answer)
        ));
    }
    Ok(Outcome::Complete)
}

/// Booking reports the highest possible refund. Payments deducts what was refunded before.
fn refund_message(answer: &Value) -> String {
    let amount = money::shown(&answer["refund"]);
    match (money::minor(&answer["refund"]) > 0, answer["unpaid"] == true) {
        (false, _) => "Nothing goes back.".to_owned(),
        (true, false) => format!("{amount} goes back, less what has gone back already."),
        (true, true) => {
            format!("No money was seen for it; if it still arrives, {amount} of it goes back.")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(said: &[&str]) -> Result<(&'static str, &'static str), Usage> {
        let said: Vec<String> = said.iter().map(|word| (*word).to_owned()).collect();
        let arguments = Arguments::read(&said, &["by", "refund", "session"], (0, 1)).unwrap();
        read_options(&arguments).map(|options| (options.by.1, options.refund.0))
    }

    #[test]
    fn the_message_names_only_what_was_paid() {
        let answer = |minor, unpaid| json!({ "refund": money::wire(minor), "unpaid": unpaid });
        assert_eq!(refund_message(&answer(0, false)), "Nothing goes back.");
        let paid = refund_message(&json!({ "refund": money::wire(150_000) }));
        assert_eq!(paid, "₹1,500 goes back, less what has gone back already.");
        let unpaid = refund_message(&answer(150_000, true));
        assert!(unpaid.contains("if it still arrives, ₹1,500 of it goes back"), "{unpaid}");
    }

    #[test]
    fn by_default_the_customer_cancels_and_the_policy_applies() {
        let usual = ("CANCELLED_BY_CUSTOMER", "CANCELLATION_REFUND_UNSPECIFIED");
        assert_eq!(read(&[]), Ok(usual));
        let other = ("CANCELLED_BY_PRACTICE", "CANCELLATION_REFUND_NONE");
        assert_eq!(read(&["--by", "Practice", "--refund", "none"]), Ok(other));
        assert!(read(&["--by", "me"]).is_err() && read(&["--refund", "half"]).is_err());
        assert!(read(&["--session", "2"]).is_ok());
        assert!(read(&["--session", "21"]).is_err() && read(&["--session", "two"]).is_err());
    }
}
