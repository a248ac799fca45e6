//! What the mails about a client's request for a refund have in common. What client and practice
//! wrote belongs to payments, and is fetched when a mail is sent.

use kernel::Id;
use kernel::id::RefundRequest;
use messaging::ReactionError;

use crate::mails::declaration::id;
use crate::mails::facts::BookingFacts;
use crate::mails::kind::Kind;
use crate::mails::mail::{About, NewMail};

/// A mail about a request, of which there is one of each kind.
///
/// # Errors
/// When an id is malformed.
pub fn about(kind: Kind, request_id: &str, booking_id: &str) -> Result<NewMail, ReactionError> {
    let request: Id<RefundRequest> = id(request_id)?;
    Ok(NewMail::about(kind, request.to_string(), About::Booking(id(booking_id)?)))
}

/// Whether the practice has answered it.
#[must_use]
pub fn is_answered(facts: &BookingFacts) -> bool {
    facts.refund_request.as_ref().is_some_and(|request| request.answered)
}
