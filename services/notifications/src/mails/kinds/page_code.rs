//! A code with which a client moves or cancels a booking on its page, without a sign-in.

use contract::booking::v1::PageCodeRequested;
use eventstore::Recorded;
use kernel::Id;
use kernel::id::Booking;
use messaging::ReactionError;

use crate::delivery::sources::{Sources, malformed};
use crate::mails::declaration::{Declaration, id};
use crate::mails::facts::{Facts, FactsError};
use crate::mails::kind::{Kind, UnknownValue};
use crate::mails::mail::{About, Mail, NewMail};
use crate::templates::render::samples;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    asked_by,
    load: |sources, mail| Box::pin(load(sources, mail)),
    // A code that comes too late, or after it was used, is of no use.
    believes: |_reason| true,
    samples: samples::codes,
    ..Declaration::TO_CLIENT
};

/// Each request once.
fn asked_by(event: &Recorded) -> Result<Option<NewMail>, ReactionError> {
    let Some(e) = event.get::<PageCodeRequested>()? else { return Ok(None) };
    let booking: Id<Booking> = id(&e.booking_id)?;
    let subject = format!("{booking}/page code {}", e.request_number);
    Ok(Some(NewMail::about(Kind::PageCode, subject, About::Booking(booking))))
}

async fn load(sources: &Sources, mail: &Mail) -> Result<Facts, FactsError> {
    let About::Booking(id) = mail.about else { return Err(malformed(UnknownValue)) };
    let number = mail.subject.rsplit_once(' ').and_then(|it| it.1.parse().ok());
    let number = number.ok_or(FactsError::Gone("code_unknown"))?;
    sources.clients().page_code(id, number).await
}
