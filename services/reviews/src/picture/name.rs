//! Names of pictures in the object storage and in URLs.

use std::fmt::{self, Write as _};
use std::str::FromStr;

kernel::words! {
    /// The two sizes of a picture.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Size {
        /// For a review's own page.
        Large = "large",
        /// For lists.
        Small = "small",
    }
}

impl Size {
    /// Maximum pixels of the longer side.
    #[must_use]
    pub const fn side_max(self) -> u32 {
        match self {
            Self::Large => 1600,
            Self::Small => 480,
        }
    }
}

/// A picture's random name: 16 bytes, written as 32 lower-case hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name(u128);

/// The text is not a picture's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is not a picture's name")]
pub struct InvalidName;

impl Name {
    /// A new random name.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "a random value is no default")]
    pub fn new() -> Self {
        Self(rand::random())
    }

    /// The file name of one size.
    #[must_use]
    pub fn file_name(self, size: Size) -> String {
        format!("{self}-{}.webp", size.word())
    }

    /// The URL path of one size.
    #[must_use]
    pub fn path(self, size: Size) -> String {
        format!("/pictures/{}", self.file_name(size))
    }

    /// Parses a requested file name. Only the canonical spelling is accepted.
    #[must_use]
    pub fn parse_file_name(file: &str) -> Option<(Self, Size)> {
        let stem = file.strip_suffix(".webp")?;
        let (name, word) = stem.split_once('-')?;
        let size = Size::from_word(word)?;
        Some((name.parse().ok()?, size))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::with_capacity(32);
        write!(text, "{:032x}", self.0)?;
        f.pad(&text)
    }
}

impl FromStr for Name {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Self, InvalidName> {
        let is_digit = |b: u8| matches!(b, b'0'..=b'9' | b'a'..=b'f');
        if text.len() != 32 || !text.bytes().all(is_digit) {
            return Err(InvalidName);
        }
        u128::from_str_radix(text, 16).map(Self).map_err(|_unparsable| InvalidName)
    }
}

#[cfg(test)]
mod tests {
    use super::{Name, Size};

    #[test]
    fn a_name_reads_as_it_was_written() {
        let name = Name::new();
        for &size in Size::ALL {
            assert_eq!(Name::parse_file_name(&name.file_name(size)), Some((name, size)));
        }
        let few: Name = "0000000000000000000000000000000f".parse().unwrap();
        assert_eq!(few.path(Size::Small), format!("/pictures/{}f-small.webp", "0".repeat(31)));
    }

    #[test]
    fn other_spellings_of_a_name_are_rejected() {
        let digits = "0123456789abcdef0123456789abcdef";
        for odd in [
            String::new(),
            digits.to_owned(),
            format!("{digits}.webp"),
            format!("{digits}-huge.webp"),
            format!("{digits}-large.png"),
            format!("{digits}-large.webp#1"),
            format!("{}-large.webp", digits.to_uppercase()),
            format!("+{}-large.webp", &digits[1..]),
            format!("../{digits}-large.webp"),
            format!("{digits}0-large.webp"),
        ] {
            assert_eq!(Name::parse_file_name(&odd), None, "{odd}");
        }
    }
}
