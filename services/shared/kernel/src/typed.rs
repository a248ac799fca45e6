//! What people type, by one rule for all services and pages: lines such as names, texts of several
//! lines, mail addresses, phone numbers and codes. The page has the same rule
//! (`web/src/lib/typed.ts`), and both read one list of cases (`tests/typed_cases.json`).
//!
//! Invisible marks, which messengers and office programs put around pasted text, are dropped and
//! never a reason to refuse. The two joiners stay: Devanagari and emoji need them.

mod marks;
mod address;
mod digits;
mod shown;

pub use self::address::{AddressProblem, MailAddress};
pub use self::digits::{digits, phone, with_letters};
pub use self::marks::is_blank;
use self::marks::{is_dropped, is_of_text, shows};
pub use self::shown::shown_address;

/// What is wrong with a text that was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextProblem {
    /// Nothing in it can be seen.
    Missing,
    /// It has no letter, and should be a name.
    Letterless,
    /// It has a control character, which no keyboard makes.
    Control,
    /// It is longer than it may be.
    TooLong,
}

/// A line that a person reads, such as a name or a signature: at least one letter that shows,
/// single blanks, and nothing that breaks the line or turns its direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line(String);

/// A text of several lines, such as a note or a review; it may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text(String);

impl Line {
    /// Reads a line of at most so many characters.
    pub fn parse(typed: &str, chars_max: usize) -> Result<Self, TextProblem> {
        let plain: String = typed.chars().filter(|c| !is_dropped(*c) && !is_of_text(*c)).collect();
        let line = plain.split_whitespace().collect::<Vec<_>>().join(" ");
        if is_blank(&line) {
            return Err(TextProblem::Missing);
        }
        if line.chars().any(char::is_control) {
            return Err(TextProblem::Control);
        }
        if !line.chars().any(|c| c.is_alphabetic() && shows(c)) {
            return Err(TextProblem::Letterless);
        }
        if line.chars().count() > chars_max {
            return Err(TextProblem::TooLong);
        }
        Ok(Self(line))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

impl Text {
    /// Reads a text of at most so many characters. Each way to end a line becomes a line feed, a
    /// tab a blank; what cannot be seen is dropped. A text without anything to see is empty.
    ///
    /// # Errors
    /// `TooLong`.
    pub fn parse(typed: &str, chars_max: usize) -> Result<Self, TextProblem> {
        let lines = typed.replace("\r\n", "\n");
        let kept = |c: char| match c {
            '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some('\n'),
            '\t' => Some(' '),
            '\n' => Some(c),
            c => (!c.is_control() && !is_dropped(c)).then_some(c),
        };
        let plain: String = lines.chars().filter_map(kept).collect();
        let text = plain.trim();
        if is_blank(text) {
            return Ok(Self(String::new()));
        }
        if text.chars().count() > chars_max {
            return Err(TextProblem::TooLong);
        }
        Ok(Self(text.to_owned()))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}
