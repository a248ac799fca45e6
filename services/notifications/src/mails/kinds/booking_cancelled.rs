//! The booking was cancelled.

use crate::delivery::sources::Sources;
use crate::mails::declaration::{Declaration, LeadsTo};
use crate::mails::facts::{Facts, FactsError};
use crate::mails::mail::Mail;
use crate::templates::render::samples;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    leads_to: LeadsTo::Booking,
    has_calendar_file: true,
    load: |sources, mail| Box::pin(load(sources, mail)),
    is_untrue: |facts, _payload| !facts.is_cancelled(),
    samples: samples::cancellations,
    ..Declaration::TO_CLIENT
};

/// Its calendar file takes the session out that the mail is about.
async fn load(sources: &Sources, mail: &Mail) -> Result<Facts, FactsError> {
    let facts = sources.booking_without(mail, mail.session_number()).await?;
    Ok(Facts::Booking(Box::new(facts)))
}
