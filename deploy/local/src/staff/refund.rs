//! `sukoon refund`: refunds a payment, in addition to what a policy refunds automatically.
use super::arguments::{Arguments, Usage, check_id};
use super::labels::text;
use super::outcome::Outcome;
use super::session::{Session, check_key, key};
use super::{confirm, money};
use crate::output;
use anyhow::Result;
use serde_json::json;

pub(super) fn check(arguments: &Arguments) -> Result<(), Usage> {
    check_id(arguments, 0, "bkg_")?;
    check_key(arguments)?;
    amount(arguments).map(|_read| ())
}

/// The requested amount; none means the whole remaining amount.
fn amount(arguments: &Arguments) -> Result<Option<i64>, Usage> {
    match arguments.count() {
        1 => Ok(None),
        _ => money::parse(arguments.at(1)).map(Some),
    }
}

pub(super) async fn run(session: &Session, arguments: &Arguments) -> Result<Outcome> {
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
        output::line(format_args!("{amount} goes back ({refund}). The customer is told by mail."));
    }
    Ok(Outcome::Complete)
}
