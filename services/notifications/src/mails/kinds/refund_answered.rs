//! The practice's answer to a client's request for a refund.

use contract::payments::v1::RefundRequestAnswered;
use eventstore::Recorded;
use messaging::ReactionError;

use crate::mails::declaration::Declaration;
use crate::mails::kind::Kind;
use crate::mails::mail::NewMail;
use crate::mails::refund_requests::about;
use crate::templates::render::samples::refunds;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    asked_by,
    load: |sources, mail| Box::pin(sources.refund_request(mail)),
    samples: refunds::answered,
    ..Declaration::TO_CLIENT
};

fn asked_by(event: &Recorded) -> Result<Option<NewMail>, ReactionError> {
    let Some(e) = event.get::<RefundRequestAnswered>()? else { return Ok(None) };
    about(Kind::RefundAnswered, &e.request_id, &e.booking_id).map(Some)
}
