//! `sukoon release`: takes back an unpaid booking that was made by phone.
use crate::arguments::BookingWithKey;
use crate::confirm;
use crate::outcome::Outcome;
use crate::references;
use crate::session::Session;
use anyhow::Result;
use machine::output;
use serde_json::json;

pub(crate) async fn run(session: &Session, arguments: &BookingWithKey) -> Result<Outcome> {
    let id = &references::id_of(session, &arguments.of.booking).await?;
    let question = format!("Take {id} back? Its time is free at once, and its page ends.");
    confirm::require_confirmation(session.options, &question)?;
    let method = "booking.v1.BookingStaffService/ReleaseHold";
    let answer =
        session.call_with_key(method, json!({ "bookingId": id }), &arguments.key.or_new()).await?;
    if session.options.json {
        output::line(answer);
    } else {
        output::line("Taken back. Its time is free, and it cannot be paid any more.");
    }
    Ok(Outcome::Complete)
}
