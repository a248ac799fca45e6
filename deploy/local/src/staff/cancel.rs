//! `sukoon cancel`: a confirmed booking does not take place.
use super::arguments::{Arguments, Usage, check_id};
use super::session::{Session, new_key};
use super::{Done, ask, money};
use crate::say;
use anyhow::Result;
use serde_json::json;

/// Who may have wanted it, by the word that staff types.
const BY: [(&str, &str); 2] =
    [("customer", "CANCELLED_BY_CUSTOMER"), ("practice", "CANCELLED_BY_PRACTICE")];
/// How much goes back, by the word that staff types, and as a question asks it.
const REFUND: [(&str, &str, &str); 3] = [
    ("policy", "CANCELLATION_REFUND_UNSPECIFIED", "what goes back follows the practice's policy"),
    ("full", "CANCELLATION_REFUND_FULL", "all of the money goes back, whatever the policy says"),
    ("none", "CANCELLATION_REFUND_NONE", "nothing goes back, whatever the policy says"),
];

pub(super) fn check(arguments: &Arguments) -> Result<(), Usage> {
    check_id(arguments, 0, "bkg_")?;
    wanted(arguments).map(|_known| ())
}

struct Wanted {
    by: (&'static str, &'static str),
    refund: (&'static str, &'static str),
}

fn wanted(arguments: &Arguments) -> Result<Wanted, Usage> {
    let or = |name: &str, usual: &str| {
        let said = arguments.option(name).to_lowercase();
        if said.is_empty() { usual.to_owned() } else { said }
    };
    let (by, refund) = (or("by", "customer"), or("refund", "policy"));
    let by = BY.iter().find(|(word, _)| *word == by);
    let refund = REFUND.iter().find(|(word, ..)| *word == refund);
    match (by, refund) {
        (Some(by), Some((_, wire, words))) => Ok(Wanted { by: *by, refund: (wire, words) }),
        (None, _) => Err(Usage("--by must be customer or practice".to_owned())),
        (_, None) => Err(Usage("--refund must be policy, full or none".to_owned())),
    }
}

pub(super) async fn run(session: &Session, arguments: &Arguments) -> Result<Done> {
    let (id, Wanted { by: (who, by), refund: (refund, words) }) =
        (arguments.at(0), wanted(arguments)?);
    let question = format!("Cancel {id} because the {who} wants it; {words}. Are you sure?");
    ask::sure(arguments, &question)?;
    let asked = json!({
        "bookingId": id, "idempotencyKey": new_key(), "cancelledBy": by, "refund": refund,
    });
    let answer = session.call("booking.v1.BookingStaffService/CancelBooking", &asked).await?;
    if arguments.json() {
        say::line(answer);
    } else if money::minor(&answer["refund"]) > 0 {
        let amount = money::shown(&answer["refund"]);
        say::line(format_args!("Cancelled. {amount} goes back, and the customer is told by mail."));
    } else {
        say::line("Cancelled. Nothing goes back, and the customer is told by mail.");
    }
    Ok(Done::All)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(said: &[&str]) -> Result<(&'static str, &'static str), Usage> {
        let said: Vec<String> = said.iter().map(|word| (*word).to_owned()).collect();
        let arguments = Arguments::read(&said, &["by", "refund"], (0, 1)).unwrap();
        wanted(&arguments).map(|wanted| (wanted.by.1, wanted.refund.0))
    }

    #[test]
    fn without_a_word_the_customer_wants_it_and_the_policy_decides() {
        let usual = ("CANCELLED_BY_CUSTOMER", "CANCELLATION_REFUND_UNSPECIFIED");
        assert_eq!(read(&[]), Ok(usual));
        let other = ("CANCELLED_BY_PRACTICE", "CANCELLATION_REFUND_NONE");
        assert_eq!(read(&["--by", "Practice", "--refund", "none"]), Ok(other));
        assert!(read(&["--by", "me"]).is_err() && read(&["--refund", "half"]).is_err());
    }
}
