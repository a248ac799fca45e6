//! The practice's answer to a client's request for a refund.

use contract::payments::v1::RefundRequestAnswered;
use eventstore::Recorded;
use kernel::Id;
use kernel::id::RefundRequest;
use messaging::ReactionError;

use crate::mails::declaration::{Declaration, id};
use crate::mails::kind::Kind;
use crate::mails::mail::{About, NewMail};
use crate::templates::render::samples::refund_requests;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    asked_by,
    load: |sources, mail| Box::pin(sources.refund_request(mail)),
    samples: refund_requests::answered,
    ..Declaration::TO_CLIENT
};

fn asked_by(event: &Recorded) -> Result<Option<NewMail>, ReactionError> {
    let Some(e) = event.get::<RefundRequestAnswered>()? else { return Ok(None) };
    let (booking, request): (_, Id<RefundRequest>) = (id(&e.booking_id)?, id(&e.request_id)?);
    Ok(Some(NewMail::about(Kind::RefundAnswered, request.to_string(), About::Booking(booking))))
}
