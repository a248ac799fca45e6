//! `sukoon cancel`: cancels a confirmed booking.
use crate::arguments::{Key, OneBooking, SESSIONS_MAX};
use crate::dates::Zone;
use crate::labels::{client_name, is_paid_at_desk, list, service_label};
use crate::outcome::Outcome;
use crate::session::Session;
use crate::table::printable;
use crate::words::{self, word};
use crate::{confirm, money, references};
use anyhow::Result;
use clap::value_parser;
use contract::booking::v1::{CancellationRefund, CancelledBy};
use machine::output;
use serde_json::{Value, json};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    of: OneBooking,
    /// Who wants it.
    #[arg(long, value_name = "customer|practice", default_value = "customer")]
    #[arg(value_parser = words::read::<CancelledBy>)]
    by: CancelledBy,
    /// What goes back: by the practice's policy, or whatever it says.
    #[arg(long, value_enum, ignore_case = true, default_value_t = Refund::Policy)]
    refund: Refund,
    /// Only this session of a package, from 1.
    #[arg(long, value_name = "N", value_parser = value_parser!(i32).range(1..=SESSIONS_MAX))]
    session: Option<i32>,
    #[command(flatten)]
    key: Key,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Refund {
    Policy,
    Full,
    None,
}

impl Refund {
    /// Its name in the API, and the text for the confirmation prompt.
    fn wire(self) -> (&'static str, &'static str) {
        let (wire, words) = match self {
            Self::Policy => {
                (CancellationRefund::Unspecified, "what goes back follows the practice's policy")
            }
            Self::Full => {
                (CancellationRefund::Full, "all of the money goes back, whatever the policy says")
            }
            Self::None => (CancellationRefund::None, "nothing goes back, whatever the policy says"),
        };
        (wire.as_str_name(), words)
    }
}

pub(crate) async fn run(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    let id = &references::id_of(session, &arguments.of.booking).await?;
    let (refund, words) = arguments.refund.wire();
    let request = json!({
        "bookingId": id, "cancelledBy": arguments.by.as_str_name(), "refund": refund,
        "sessionNumber": arguments.session.unwrap_or_default(),
    });
    // A repeat of what was done already is not previewed: it is over.
    let mut preview = Value::Null;
    if !arguments.key.is_given() {
        let method = "booking.v1.BookingStaffService/PreviewCancellation";
        preview = session.call(method, &request).await?;
        let what = description(&Zone::of(session).await?, &preview);
        let question = {
            let who = word(arguments.by);
            format!("{what}\nThe {who} wants it; {words}. Cancel?")
        };
        if session.options.yes && !session.options.json {
            output::line(what);
        }
        confirm::require_confirmation(session.options, &question)?;
    } else {
        confirm::require_confirmation(session.options, &format!("Cancel {id}?"))?;
    }
    let method = "booking.v1.BookingStaffService/CancelBooking";
    let answer = session.call_with_key(method, request, &arguments.key.or_new()).await?;
    if session.options.json {
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
    let late = &preview["practiceLate"];
    let given = match (late["freeSession"] == true, late["sharePercent"].as_i64()) {
        (true, _) => ", and you owe the client a free session".to_owned(),
        (false, Some(share)) => format!(", and you owe the client {share}% of the price"),
        (false, None) => String::new(),
    };
    format!(
        "{}, {}, {} {}: {refund}{given}.",
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
    use crate::arguments::parsed;

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
        let read = |words: &str| parsed::<Arguments>(&format!("dd4ca70c {words}"));
        let usual = read("").unwrap();
        assert_eq!((usual.by, usual.refund), (CancelledBy::Customer, Refund::Policy));
        assert_eq!(usual.refund.wire().0, "CANCELLATION_REFUND_UNSPECIFIED");
        let other = read("--by Practice --refund none --session 2").unwrap();
        assert_eq!((other.by, other.session), (CancelledBy::Practice, Some(2)));
        assert_eq!(other.refund.wire().0, "CANCELLATION_REFUND_NONE");
        for wrong in ["--by me", "--refund half", "--session 21", "--session two"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
