//! `sukoon accept-claim`: confirms a booking because the customer says that it is paid.
use super::arguments::{Arguments, Usage, check_booking};
use super::confirm;
use super::outcome::Outcome;
use super::session::{Session, check_key, key};
use crate::output;
use anyhow::Result;
use serde_json::json;

pub(super) fn check(arguments: &Arguments) -> Result<(), Usage> {
    check_booking(arguments, 0)?;
    check_key(arguments)
}

pub(super) async fn run(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    let id = arguments.at(0);
    let question = format!(
        "Confirm {id} although nobody has seen its money? The provider goes on being asked, but \
         the session takes place either way."
    );
    confirm::require_confirmation(arguments, &question)?;
    let method = "booking.v1.BookingStaffService/AcceptClaim";
    let answer = session.call_with_key(method, json!({ "bookingId": id }), &key(arguments)).await?;
    if arguments.json() {
        output::line(answer);
    } else {
        output::line("Confirmed on the customer's word. They are told by mail.");
    }
    Ok(Outcome::Complete)
}
