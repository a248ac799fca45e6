//! Validation of a submitted review, before the database is asked.

use contract::reviews::v1::SubmitReviewRequest;
use kernel::id::ReviewImage;
use kernel::typed::{AddressProblem, Line, MailAddress, Text, TextProblem};
use kernel::{Id, IdempotencyKey};
use prost::Message as _;

use crate::domain::review::Rating;
use crate::error::{Error, Rejection, rejected};
use crate::read_model::project::ReviewContent;

/// The least length of an idempotency key in characters. It prevents guessing: a guessed key would
/// return another visitor's review.
const KEY_CHARS_MIN: usize = 16;
/// Maximum characters of a name.
const NAME_CHARS_MAX: usize = 80;
/// Maximum characters of a review's text.
const TEXT_CHARS_MAX: usize = 4000;

/// A submitted review with valid fields.
#[derive(Debug, Clone)]
pub struct ReviewRequest {
    /// The caller's idempotency key.
    pub key: String,
    /// Hash of all other fields of the request.
    pub hash: Vec<u8>,
    /// What the writer typed.
    pub content: ReviewContent,
    /// The service that the review is about.
    pub service: String,
    /// Its stars.
    pub rating: Rating,
    /// Its picture.
    pub image_id: Option<Id<ReviewImage>>,
    /// The secret of a mail's link; `None` also when the writer declines the badge.
    pub invitation: Option<String>,
    /// Whether the writer accepts the badge.
    pub badge: bool,
}

impl ReviewRequest {
    /// Checks a request field by field, in the form's order.
    ///
    /// # Errors
    /// The first invalid field.
    pub fn parse(mut request: SubmitReviewRequest, choices: &[String]) -> Result<Self, Error> {
        let key = std::mem::take(&mut request.idempotency_key);
        let key = IdempotencyKey::parse(&key, KEY_CHARS_MIN)
            .ok_or(rejected(Rejection::InvalidIdempotencyKey))?
            .into_string();
        let hash = eventstore::request_hash(&request.encode_to_vec());
        let name = name(&request.name)?;
        let email = email(&request.email)?;
        let service = service(&request.service, choices)?;
        let rating = Rating::new(request.rating).ok_or(rejected(Rejection::RatingRequired))?;
        let text = text(&request.text)?;
        let badge = !request.without_badge;
        Ok(Self {
            key,
            hash,
            content: ReviewContent { name, email, text },
            service,
            rating,
            image_id: image(&request.image_id)?,
            invitation: Some(request.invitation).filter(|secret| badge && !secret.is_empty()),
            badge,
        })
    }
}

fn name(typed: &str) -> Result<String, Error> {
    let line = Line::parse(typed, NAME_CHARS_MAX).map_err(|problem| match problem {
        TextProblem::Missing => rejected(Rejection::NameRequired),
        TextProblem::Letterless => rejected(Rejection::NameWithoutLetter),
        TextProblem::Control => rejected(Rejection::InvalidName),
        TextProblem::TooLong => rejected(Rejection::NameTooLong),
    })?;
    Ok(line.into_string())
}

/// An address holds nothing that has a meaning in links to mail programs or in headers: the
/// moderator's mail would get the writer's copies, subject or text. Whether mail arrives there is
/// not checked.
fn email(typed: &str) -> Result<String, Error> {
    let address = MailAddress::parse(typed).map_err(|problem| match problem {
        AddressProblem::Missing => rejected(Rejection::EmailRequired),
        AddressProblem::Malformed => rejected(Rejection::InvalidEmail),
    })?;
    Ok(address.into_string())
}

fn service(chosen: &str, choices: &[String]) -> Result<String, Error> {
    if chosen.trim().is_empty() {
        return Err(rejected(Rejection::ServiceRequired));
    }
    let known = choices.iter().find(|choice| *choice == chosen);
    known.cloned().ok_or(rejected(Rejection::UnknownService))
}

fn text(typed: &str) -> Result<String, Error> {
    let text = Text::parse(typed, TEXT_CHARS_MAX)
        .map_err(|_too_long| rejected(Rejection::ReviewTooLong))?
        .into_string();
    if text.is_empty() { Err(rejected(Rejection::ReviewRequired)) } else { Ok(text) }
}

/// A malformed image id is answered like an unknown one.
fn image(text: &str) -> Result<Option<Id<ReviewImage>>, Error> {
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|_invalid| rejected(Rejection::ImageNotFound))
}

#[cfg(test)]
mod tests;
