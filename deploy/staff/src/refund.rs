//! `sukoon refund`: refunds a payment, in addition to what a policy refunds automatically.
use crate::arguments::{Key, OneBooking};
use crate::labels::text;
use crate::outcome::Outcome;
use crate::session::Session;
use crate::{confirm, money, references};
use anyhow::Result;
use machine::output;
use serde_json::{Value, json};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    of: OneBooking,
    /// Such as 500 or 499.50; all that is left unless you say.
    #[arg(value_parser = money::parse, allow_hyphen_values = true)]
    amount: Option<i64>,
    /// Let go what waits for the end of a dispute.
    #[arg(long, conflicts_with = "amount")]
    release: bool,
    /// All that late cancellations of its client kept, once.
    #[arg(long, conflicts_with_all = ["amount", "release"])]
    kept: bool,
    #[command(flatten)]
    key: Key,
}

/// Lets go what waits for the end of a dispute, instead of one more refund.
async fn release(session: &Session, id: &str) -> Result<Outcome> {
    let question =
        format!("What waits for the end of a dispute of {id} goes back now. Are you sure?");
    confirm::require_confirmation(session.options, &question)?;
    let method = "payments.v1.PaymentsStaffService/ReleaseRefund";
    let answer = session.call(method, &json!({ "bookingId": id })).await?;
    if session.options.json {
        output::line(answer);
    } else {
        let amount = money::shown(&answer["amount"]);
        output::line(format_args!("{amount} goes back. The customer is told by mail."));
    }
    Ok(Outcome::Complete)
}

/// Gives back what late cancellations kept.
async fn give_back(session: &Session, id: &str, arguments: &Arguments) -> Result<Outcome> {
    let method = "payments.v1.PaymentsStaffService/GetKeptAmount";
    let shown = session.call(method, &json!({ "bookingId": id })).await?;
    let how_much = money::shown(&shown["amount"]);
    let question = format!("{how_much} that was kept of {id} goes back. Are you sure?");
    confirm::require_confirmation(session.options, &question)?;
    let request = json!({ "bookingId": id, "amount": shown["amount"] });
    let method = "payments.v1.PaymentsStaffService/GiveBackKept";
    let answer = session.call_with_key(method, request, &arguments.key.or_new()).await?;
    say(session, id, &answer);
    Ok(Outcome::Complete)
}

fn say(session: &Session, id: &str, answer: &Value) {
    if session.options.json {
        output::line(answer);
    } else {
        let (amount, refund) = (money::shown(&answer["amount"]), text(&answer["refundId"]));
        output::line(told(&amount, &refund, answer["atDesk"] == true, id));
    }
}

pub(crate) async fn run(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    let id = &references::id_of(session, &arguments.of.booking).await?;
    if arguments.release {
        return release(session, id).await;
    }
    if arguments.kept {
        return give_back(session, id, arguments).await;
    }
    let mut request = json!({ "bookingId": id });
    let mut how_much = "All that is left".to_owned();
    if let Some(minor) = arguments.amount {
        let amount = money::wire(minor);
        how_much = money::shown(&amount);
        if let Some(fields) = request.as_object_mut() {
            fields.insert("amount".to_owned(), amount);
        }
    }
    let question = format!("{how_much} of what was paid for {id} goes back. Are you sure?");
    confirm::require_confirmation(session.options, &question)?;
    let method = "payments.v1.PaymentsStaffService/RefundPayment";
    let answer = session.call_with_key(method, request, &arguments.key.or_new()).await?;
    say(session, id, &answer);
    Ok(Outcome::Complete)
}

fn told(amount: &str, refund: &str, is_at_desk: bool, booking: &str) -> String {
    if is_at_desk {
        return format!(
            "{amount} is owed ({refund}), because it was paid at the desk. Give it back there, and \
             say: sukoon give-back {booking} AMOUNT --way cash|upi. The client is told by mail."
        );
    }
    format!("{amount} goes back ({refund}). The customer is told by mail.")
}
