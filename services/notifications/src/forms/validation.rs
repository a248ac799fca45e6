//! Validated input of visitors as types, by the rule of all services: a value can be stored, shown
//! and mailed. Characters that a person cannot have meant are removed, and invisible text counts as
//! empty.

use kernel::typed::{self, Line, Text, TextProblem};

use crate::error::{MESSAGE_CHARS_MAX, NAME_CHARS_MAX, Rejection};

/// The most characters of an idempotency key, and the fewest.
const KEY_CHARS: std::ops::RangeInclusive<usize> = 8..=64;

/// The sender's name: one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SenderName(String);

/// A mail address: ASCII letters, digits and signs, an @, and a host name. Nothing else, so it
/// cannot hold a second address, a header, or text for a reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailAddress(String);

/// The message: several lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageText(String);

/// The caller's idempotency key of this request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey(String);

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

impl MailAddress {
    /// Reads an address. An internationalized host name is converted to its ASCII form.
    ///
    /// # Errors
    /// When it is invalid.
    pub fn parse(typed: &str) -> Result<Self, Rejection> {
        let address =
            typed::MailAddress::parse(typed).map_err(|_problem| Rejection::InvalidEmail)?;
        Ok(Self(address.into_string()))
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

impl IdempotencyKey {
    /// Reads a key.
    ///
    /// # Errors
    /// When it is too short, too long or cannot be printed.
    pub fn parse(text: &str) -> Result<Self, Rejection> {
        let printable = text.bytes().all(|byte| byte.is_ascii_graphic());
        if printable && KEY_CHARS.contains(&text.len()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(Rejection::InvalidIdempotencyKey)
        }
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests;
