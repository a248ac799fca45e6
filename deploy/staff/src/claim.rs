//! `sukoon accept-claim`: confirms a booking because the customer says that it is paid.
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
    let question = format!(
        "Confirm {id} although nobody has seen its money? The provider goes on being asked, but \
         the session takes place either way."
    );
    confirm::require_confirmation(session.options, &question)?;
    let method = "booking.v1.BookingStaffService/AcceptClaim";
    let answer =
        session.call_with_key(method, json!({ "bookingId": id }), &arguments.key.or_new()).await?;
    if session.options.json {
        output::line(answer);
    } else {
        output::line("Confirmed on the customer's word. They are told by mail.");
    }
    Ok(Outcome::Complete)
}
