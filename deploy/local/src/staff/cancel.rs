//! `sukoon cancel`: cancels a confirmed booking.
use super::arguments::{Arguments, Usage, check_booking};
use super::dates::Zone;
use super::labels::{client_name, is_paid_at_desk, list, service_label};
use super::outcome::Outcome;
use super::session::{Session, check_key, key};
use super::table::printable;
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
    check_booking(arguments, 0)?;
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
    let request = json!({
        "bookingId": id, "cancelledBy": by, "refund": refund, "sessionNumber": number,
    });
    // A repeat of what was done already is not previewed: it is over.
    let mut preview = Value::Null;
    if arguments.option("key").is_empty() {
        let method = "booking.v1.BookingStaffService/PreviewCancellation";
        preview = session.call(method, &request).await?;
        let what = description(&Zone::of(session).await?, &preview);
        let question = format!("{what}\nThe {who} wants it; {words}. Cancel?");
        if arguments.has("yes") && !arguments.json() {
            output::line(what);
        }
        confirm::require_confirmation(arguments, &question)?;
    } else {
        confirm::require_confirmation(arguments, &format!("Cancel {id}?"))?;
    }
    let method = "booking.v1.BookingStaffService/CancelBooking";
    let answer = session.call_with_key(method, request, &key(arguments)).await?;
    if arguments.json() {
        output::line(answer);
    } else {
        output::line(format_args!(
            "Cancelled. {} The customer is told by mail.",
            refund_message(&of_this_act(answer, &preview))
        ));
    }
    Ok(Outcome::Complete)
}

/// Who loses which time, and what goes back: what a person reads before the answer.
fn description(zone: &Zone, preview: &Value) -> String {
    let booking = &preview["booking"]["booking"];
    let times: Vec<String> = list(&preview["sessions"])
        .iter()
        .map(|one| format!("{} {}", zone.day(&one["startsAt"]), zone.span(one)))
        .collect();
    if times.is_empty() {
        return format!("{}: that is cancelled already.", printable(&client_name(booking)));
    }
    let amount = money::shown(&preview["refund"]);
    let refund = match (money::minor(&preview["refund"]) > 0, preview["unpaid"] == true) {
        (false, _) => "nothing goes back".to_owned(),
        (true, false) if is_paid_at_desk(booking) => {
            format!("{amount} is to be given back at the desk")
        }
        (true, false) => format!("{amount} goes back"),
        (true, true) => format!("no money was seen; of what still arrives {amount} goes back"),
    };
    format!(
        "{}, {}, {} {}: {refund}.",
        printable(&client_name(booking)),
        service_label(booking),
        times.join(" and "),
        zone.label,
    )
}

/// The answer with what was previewed: of a package it names what all of its cancelled sessions
/// were promised, and not those of this act.
fn of_this_act(mut answer: Value, preview: &Value) -> Value {
    let is_known = !list(&preview["sessions"]).is_empty();
    if let Some(fields) = answer.as_object_mut().filter(|_| is_known) {
        fields.insert("refund".to_owned(), preview["refund"].clone());
    }
    answer
}

/// Booking reports the highest possible refund. Payments deducts what was refunded before.
fn refund_message(answer: &Value) -> String {
    let amount = money::shown(&answer["refund"]);
    match (money::minor(&answer["refund"]) > 0, answer["unpaid"] == true) {
        (false, _) => "Nothing goes back.".to_owned(),
        (true, false) if is_paid_at_desk(&answer["booking"]["booking"]) => format!(
            "{amount}, less what was given back already, is to be given back at the desk; record \
             it with sukoon give-back."
        ),
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
        let mut at_desk = answer(150_000, false);
        at_desk["booking"] = json!({ "booking": { "paidAtDesk": "DESK_WAY_CASH" } });
        assert!(refund_message(&at_desk).contains("sukoon give-back"));
        let unpaid = refund_message(&answer(150_000, true));
        assert!(unpaid.contains("if it still arrives, ₹1,500 of it goes back"), "{unpaid}");
    }

    /// money.md L4: the second session of a package, of which the third was cancelled before.
    #[test]
    fn of_a_package_the_sum_is_that_of_the_sessions_that_were_meant() {
        let answer = json!({ "refund": money::wire(300_000) });
        let preview = json!({ "sessions": [{}], "refund": money::wire(150_000) });
        let said = refund_message(&of_this_act(answer.clone(), &preview));
        assert_eq!(said, "₹1,500 goes back, less what has gone back already.");
        let over = json!({ "sessions": [], "refund": money::wire(0) });
        assert!(refund_message(&of_this_act(answer.clone(), &over)).starts_with("₹3,000 goes"));
        assert!(refund_message(&of_this_act(answer, &Value::Null)).starts_with("₹3,000 goes"));
    }

    #[test]
    fn client_time_and_sum_are_said_before_the_question() {
        let preview = |minor: i64, unpaid: bool| {
            json!({
                "booking": { "booking": {
                    "contact": { "firstName": "Asha", "lastName": "Rao" },
                    "serviceTitle": "Meditation",
                }},
                "sessions": [
                    { "startsAt": "2026-12-01T05:30:00Z", "endsAt": "2026-12-01T06:15:00Z" },
                    { "startsAt": "2026-12-08T05:30:00Z", "endsAt": "2026-12-08T06:15:00Z" },
                ],
                "refund": money::wire(minor), "unpaid": unpaid,
            })
        };
        let zone = Zone::of_kolkata();
        assert_eq!(
            description(&zone, &preview(300_000, false)),
            "Asha Rao, Meditation, online, 2026-12-01 11:00-11:45 and 2026-12-08 11:00-11:45 IST: \
             ₹3,000 goes back."
        );
        assert!(description(&zone, &preview(0, false)).ends_with("nothing goes back."));
        assert!(description(&zone, &preview(5_000, true)).contains("of what still arrives ₹50"));
        let over = json!({ "booking": preview(0, false)["booking"], "sessions": [] });
        assert!(description(&zone, &over).contains("cancelled already"));
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
