//! That a client's request for a refund has come, to the client.

use contract::payments::v1::RefundAsked;
use eventstore::Recorded;
use kernel::Id;
use kernel::id::RefundRequest;
use messaging::ReactionError;

use crate::mails::declaration::{Declaration, id};
use crate::mails::kind::Kind;
use crate::mails::mail::{About, NewMail};
use crate::mails::planning::OVERTAKEN;
use crate::templates::render::samples::refund_requests;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    asked_by,
    load: |sources, mail| Box::pin(sources.refund_request(mail)),
    is_untrue: |facts, _payload| facts.is_refund_answered(),
    // Its answer, which has a mail of its own.
    believes: |reason| reason == OVERTAKEN,
    samples: refund_requests::asked,
    ..Declaration::TO_CLIENT
};

fn asked_by(event: &Recorded) -> Result<Option<NewMail>, ReactionError> {
    let Some(e) = event.get::<RefundAsked>()? else { return Ok(None) };
    let (booking, request): (_, Id<RefundRequest>) = (id(&e.booking_id)?, id(&e.request_id)?);
    Ok(Some(NewMail::about(Kind::RefundAsked, request.to_string(), About::Booking(booking))))
}
