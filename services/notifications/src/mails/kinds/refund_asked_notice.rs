//! The practice's notice of a client's request for a refund.

use contract::payments::v1::RefundAsked;
use eventstore::Recorded;
use messaging::ReactionError;

use crate::mails::declaration::Declaration;
use crate::mails::kind::Kind;
use crate::mails::mail::NewMail;
use crate::mails::planning::OVERTAKEN;
use crate::mails::refund_requests::{about, is_answered};
use crate::templates::render::samples::refunds;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    asked_by,
    load: |sources, mail| Box::pin(sources.refund_request(mail)),
    is_untrue: |facts, _payload| is_answered(facts),
    // There is nothing to answer any more.
    believes: |reason| reason == OVERTAKEN,
    samples: refunds::asked,
    ..Declaration::TO_PRACTICE
};

fn asked_by(event: &Recorded) -> Result<Option<NewMail>, ReactionError> {
    let Some(e) = event.get::<RefundAsked>()? else { return Ok(None) };
    about(Kind::RefundAskedNotice, &e.request_id, &e.booking_id).map(Some)
}
