//! Validated input of visitors as types, by the rule of all services: a value can be stored, shown
//! and mailed. Characters that a person cannot have meant are removed, and invisible text counts as
//! empty.

use kernel::IdempotencyKey;
use kernel::typed::{Line, MailAddress, Text, TextProblem};

use crate::error::{MESSAGE_CHARS_MAX, NAME_CHARS_MAX, Rejection};

/// The fewest characters of an idempotency key.
const KEY_CHARS_MIN: usize = 8;

/// The sender's name: one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SenderName(String);

/// The message: several lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageText(String);

impl SenderName {
    /// Reads a name.
    pub fn parse(typed: &str) -> Result<Self, Rejection> {
        let line = Line::parse(typed, NAME_CHARS_MAX).map_err(|problem| match problem {
            TextProblem::Missing => Rejection::NameMissing,
            TextProblem::Letterless => Rejection::NameWithoutLetter,
            TextProblem::Control => Rejection::InvalidName,
            TextProblem::TooLong => Rejection::NameTooLong,
        })?;
        Ok(Self(line.into_string()))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl MessageText {
    /// Reads a message.
    ///
    /// # Errors
    /// When nothing was typed, or too much.
    pub fn parse(typed: &str) -> Result<Self, Rejection> {
        let text = Text::parse(typed, MESSAGE_CHARS_MAX)
            .map_err(|_too_long| Rejection::MessageTooLong)?
            .into_string();
        if text.is_empty() {
            return Err(Rejection::MessageMissing);
        }
        Ok(Self(text))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Reads the address for an answer.
///
/// # Errors
/// When it is invalid.
pub fn parse_email(typed: &str) -> Result<MailAddress, Rejection> {
    MailAddress::parse(typed).map_err(|_problem| Rejection::InvalidEmail)
}

/// Reads the caller's idempotency key of a request.
///
/// # Errors
/// When it is too short, too long or cannot be printed.
pub fn parse_key(text: &str) -> Result<IdempotencyKey, Rejection> {
    IdempotencyKey::parse(text, KEY_CHARS_MIN).ok_or(Rejection::InvalidIdempotencyKey)
}

#[cfg(test)]
mod tests;
