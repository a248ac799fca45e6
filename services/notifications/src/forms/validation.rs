//! Validated input of visitors as types: a value can be stored, shown and mailed. Characters that a
//! person cannot have meant are removed, and invisible text counts as empty.

use lettre::Address;
use url::Host;

use crate::error::{Field, MESSAGE_CHARS_MAX, NAME_CHARS_MAX, Rejection};

/// The most characters of an address, as mail has it.
const EMAIL_CHARS_MAX: usize = 254;
/// The most characters of the part before the @, as mail has it.
const USER_CHARS_MAX: usize = 64;
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
    /// Reads a name. Line breaks and control characters become spaces.
    ///
    /// # Errors
    /// When it is empty or too long.
    pub fn parse(typed: &str) -> Result<Self, Rejection> {
        let plain: String = typed.chars().map(|c| if is_plain(c) { c } else { ' ' }).collect();
        let name = plain.split_whitespace().collect::<Vec<_>>().join(" ");
        if is_blank(&name) {
            return Err(Rejection::FieldsMissing(Field::Name));
        }
        if name.chars().count() > NAME_CHARS_MAX {
            return Err(Rejection::NameTooLong);
        }
        Ok(Self(name))
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
        Self::read(typed.trim()).ok_or(Rejection::InvalidEmail)
    }

    fn read(text: &str) -> Option<Self> {
        if text.chars().count() > EMAIL_CHARS_MAX {
            return None;
        }
        let (user, host) = text.split_once('@')?;
        let sign = |b: u8| b.is_ascii_alphanumeric() || b".!#$%&'*+/=?^_`{|}~-".contains(&b);
        if user.len() > USER_CHARS_MAX || !user.bytes().all(sign) {
            return None;
        }
        // The host parser would percent-decode it.
        if host.contains('%') || host.chars().any(|c| c.is_whitespace() || !is_plain(c)) {
            return None;
        }
        let Ok(Host::Domain(host)) = Host::parse(host) else { return None };
        // Mail to a host without a dot, or to an IP address, would stay inside our own network.
        if !host.contains('.') {
            return None;
        }
        let address = Address::new(user, host).ok()?.to_string();
        (address.len() <= EMAIL_CHARS_MAX).then_some(Self(address))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl MessageText {
    /// Reads a message. Line ends become `\n`; a tab, as in pasted text, becomes a space.
    ///
    /// # Errors
    /// When nothing was typed, or too much.
    pub fn parse(typed: &str) -> Result<Self, Rejection> {
        let lines = typed.replace("\r\n", "\n").replace(['\r', '\u{2028}', '\u{2029}'], "\n");
        let shown = |c: char| match c {
            '\t' => Some(' '),
            c => (c == '\n' || is_plain(c)).then_some(c),
        };
        let plain: String = lines.chars().filter_map(shown).collect();
        let text = plain.trim();
        if is_blank(text) {
            return Err(Rejection::FieldsMissing(Field::Message));
        }
        if text.chars().count() > MESSAGE_CHARS_MAX {
            return Err(Rejection::MessageTooLong);
        }
        Ok(Self(text.to_owned()))
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

/// Whether it has no visible character.
#[must_use]
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || !is_plain(c) || is_invisible(c))
}

/// A character without width, or without ink.
const fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{206f}'
            | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Neither a control character nor a bidirectional override or isolate, with which a name can look
/// like another one. The marks that right-to-left scripts need are plain.
fn is_plain(c: char) -> bool {
    !c.is_control()
        && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        && !matches!(c, '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests;
