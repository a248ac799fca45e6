//! `sukoon release`: takes back an unpaid booking that was made by phone.
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
    let question = format!("Take {id} back? Its time is free at once, and its page ends.");
    confirm::require_confirmation(arguments, &question)?;
    let method = "booking.v1.BookingStaffService/ReleaseHold";
    let answer = session.call_with_key(method, json!({ "bookingId": id }), &key(arguments)).await?;
    if arguments.json() {
        output::line(answer);
    } else {
        output::line("Taken back. Its time is free, and it cannot be paid any more.");
    }
    Ok(Outcome::Complete)
}
