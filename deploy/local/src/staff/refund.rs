//! `sukoon refund`: refunds a payment, in addition to what a policy refunds automatically.
use super::arguments::{Arguments, Usage, check_booking};
use super::labels::text;
use super::outcome::Outcome;
use super::session::{Session, check_key, key};
use super::{confirm, money};
use crate::output;
use anyhow::Result;
use serde_json::json;

pub(super) fn check(arguments: &Arguments) -> Result<(), Usage> {
    check_booking(arguments, 0)?;
    check_key(arguments)?;
    if arguments.has("release") && arguments.count() > 1 {
        return Err(Usage("--release takes no amount".to_owned()));
    }
    amount(arguments).map(|_read| ())
}

/// Lets go what waits for the end of a dispute, instead of one more refund.
async fn release(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    let id = arguments.at(0);
    let question =
        format!("What waits for the end of a dispute of {id} goes back now. Are you sure?");
    confirm::require_confirmation(arguments, &question)?;
    let method = "payments.v1.PaymentsStaffService/ReleaseRefund";
    let answer = session.call(method, &json!({ "bookingId": id })).await?;
    if arguments.json() {
        output::line(answer);
    } else {
        let amount = money::shown(&answer["amount"]);
        output::line(format_args!("{amount} goes back. The customer is told by mail."));
    }
    Ok(Outcome::Complete)
}

/// The requested amount; none means the whole remaining amount.
fn amount(arguments: &Arguments) -> Result<Option<i64>, Usage> {
    match arguments.count() {
        1 => Ok(None),
        _ => money::parse(arguments.at(1)).map(Some),
    }
}

pub(super) async fn run(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    if arguments.has("release") {
        return release(session, arguments).await;
    }
    let id = arguments.at(0);
    let mut request = json!({ "bookingId": id });
    let mut how_much = "All that is left".to_owned();
    if let Some(minor) = amount(arguments)? {
        let amount = money::wire(minor);
        how_much = money::shown(&amount);
        if let Some(fields) = request.as_object_mut() {
            fields.insert("amount".to_owned(), amount);
        }
    }
    let question = format!("{how_much} of what was paid for {id} goes back. Are you sure?");
    confirm::require_confirmation(arguments, &question)?;
    let method = "payments.v1.PaymentsStaffService/RefundPayment";
    let answer = session.call_with_key(method, request, &key(arguments)).await?;
    if arguments.json() {
        output::line(answer);
    } else {
        let (amount, refund) = (money::shown(&answer["amount"]), text(&answer["refundId"]));
        output::line(told(&amount, &refund, answer["atDesk"] == true, id));
    }
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
