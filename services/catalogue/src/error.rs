//! Mistakes in the practice's files.

mod nearest;

use std::fmt;

pub(crate) use nearest::nearest;

/// The files are invalid; each mistake is printed on its own line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidContent {
    /// All mistakes of all files.
    pub problems: Vec<Problem>,
}

impl fmt::Display for InvalidContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the practice's files need a correction:")?;
        self.problems.iter().try_for_each(|problem| write!(f, "\n  {problem}"))
    }
}

impl std::error::Error for InvalidContent {}

/// One mistake in one of the practice's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file's name, for example `services.toml`.
    pub file: &'static str,
    /// Where in the file, for example `services.meditation.price`; empty for the whole file.
    pub key: String,
    /// The mistake, as the end of a sentence that begins with the key.
    pub reason: String,
    /// The word that was probably meant, if one like it is known.
    pub meant: Option<String>,
}

impl Problem {
    pub(crate) fn new(
        file: &'static str,
        key: impl Into<String>,
        reason: impl Into<String>,
    ) -> Self {
        Self { file, key: key.into(), reason: reason.into(), meant: None }
    }

    /// The same, where a word was expected that is known.
    pub(crate) fn among<'w>(self, word: &str, known: impl IntoIterator<Item = &'w str>) -> Self {
        Self { meant: nearest(word, known), ..self }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let space = if self.key.is_empty() { "" } else { " " };
        write!(f, "{}: {}{space}{}", self.file, self.key, self.reason)
    }
}
