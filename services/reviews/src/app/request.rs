//! Validation of a submitted review, before the database is asked.

use contract::reviews::v1::SubmitReviewRequest;
use kernel::Id;
use kernel::id::ReviewImage;
use prost::Message as _;

use crate::domain::review::Rating;
use crate::error::{Error, Rejection, rejected};
use crate::read_model::project::ReviewContent;

/// Length of an idempotency key in characters. The minimum prevents guessing: a guessed key would
/// return another visitor's review.
const KEY_CHARS: std::ops::RangeInclusive<usize> = 16..=64;
/// Maximum characters of a name.
const NAME_CHARS_MAX: usize = 80;
/// Maximum bytes of an email address (RFC 5321).
const EMAIL_BYTES_MAX: usize = 254;
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
        let printable = key.bytes().all(|byte| byte.is_ascii_graphic());
        if !printable || !KEY_CHARS.contains(&key.len()) {
            return Err(rejected(Rejection::InvalidIdempotencyKey));
        }
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

/// Whether the text has no visible character.
fn is_blank(text: &str) -> bool {
    let invisible = |c: char| {
        c.is_whitespace()
            || matches!(c,
                '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
                | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2065}'
                | '\u{206a}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e01ef}')
    };
    text.chars().all(invisible)
}

/// Whether the character changes the direction of its surroundings, so that readers would see
/// another text than was typed.
fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn name(typed: &str) -> Result<String, Error> {
    let name = typed.trim();
    if is_blank(name) {
        return Err(rejected(Rejection::NameRequired));
    }
    if name.chars().count() > NAME_CHARS_MAX {
        return Err(rejected(Rejection::NameTooLong));
    }
    if name.chars().any(|c| c.is_control() || is_bidi_control(c)) {
        return Err(rejected(Rejection::InvalidName));
    }
    Ok(name.to_owned())
}

/// Accepts text without spaces, an `@`, and more text without spaces. Characters that have a
/// meaning in links to mail programs or in headers are rejected: the moderator's mail would get
/// the writer's copies, subject or text. Whether mail arrives there is not checked.
fn email(typed: &str) -> Result<String, Error> {
    let email = typed.trim();
    if is_blank(email) {
        return Err(rejected(Rejection::EmailRequired));
    }
    let unfit = |c: char| {
        c.is_whitespace() || c.is_control() || is_bidi_control(c) || "?&#%,;:<>()[]\\\"".contains(c)
    };
    let sides = email.split_once('@').filter(|(before, _)| !before.is_empty());
    let shaped = sides.is_some_and(|(_, behind)| !behind.is_empty() && !behind.contains('@'));
    if !shaped || email.len() > EMAIL_BYTES_MAX || email.chars().any(unfit) {
        return Err(rejected(Rejection::InvalidEmail));
    }
    Ok(email.to_owned())
}

fn service(chosen: &str, choices: &[String]) -> Result<String, Error> {
    if chosen.trim().is_empty() {
        return Err(rejected(Rejection::ServiceRequired));
    }
    let known = choices.iter().find(|choice| *choice == chosen);
    known.cloned().ok_or(rejected(Rejection::UnknownService))
}

/// Line ends become `\n`; a tab, common in pasted text, becomes a space.
fn text(typed: &str) -> Result<String, Error> {
    let text = typed.trim().replace("\r\n", "\n").replace('\r', "\n").replace('\t', " ");
    if is_blank(&text) {
        return Err(rejected(Rejection::ReviewRequired));
    }
    if text.chars().count() > TEXT_CHARS_MAX {
        return Err(rejected(Rejection::ReviewTooLong));
    }
    if text.chars().any(|c| (c.is_control() && c != '\n') || is_bidi_control(c)) {
        return Err(rejected(Rejection::InvalidReview));
    }
    Ok(text)
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
