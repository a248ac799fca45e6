//! A code with which the client of a booking by phone signs the consent.

use kernel::id::Booking;

use crate::delivery::sources::{Sources, malformed};
use crate::mails::declaration::{Declaration, id};
use crate::mails::facts::{Facts, FactsError};
use crate::mails::kind::UnknownValue;
use crate::mails::mail::{About, Mail};
use crate::templates::render::samples;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    load: |sources, mail| Box::pin(load(sources, mail)),
    samples: samples::codes,
    ..Declaration::TO_CLIENT
};

async fn load(sources: &Sources, mail: &Mail) -> Result<Facts, FactsError> {
    let About::Booking(id) = mail.about else { return Err(malformed(UnknownValue)) };
    let number = mail.subject.rsplit_once(' ').and_then(|it| it.1.parse().ok());
    let number = number.ok_or(FactsError::Gone("code_unknown"))?;
    sources.clients().consent_code(id, number).await
}
