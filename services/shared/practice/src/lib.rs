//! The practice's file, `practice.toml`: read whole, checked whole, and refused with every reason.

use std::fs;
use std::path::{Path, PathBuf};

mod cancellation;
mod grace_rule;
pub mod consent;
pub mod guide;
pub mod legal;
mod paragraphs;
mod practitioners;
mod embedding;
mod meetings;
mod meeting_places;
mod problems;
mod rules;
mod values;

pub use embedding::{Embedding, SchedulingWidget};
pub use grace_rule::GraceRule;
pub use meetings::{
    JitsiPlace, MeetingPlace, MeetingProvider, Meetings, PractitionerMeetings, RoomLink,
};
pub use practitioners::Practitioner;
pub use values::{
    Availability, BlockedTime, Brand, BusyCalendar, CalendarKind, CancellationStep, DarkBrand,
    Figure, FurtherPractitioner, Identity, LEAD_ID, Location, Mails, Papers, Policies, Practice,
    Receipts, ReviewChoices, Tax,
};

/// The file's name inside the practice's folder, which always has it.
pub const FILE: &str = "practice.toml";

/// The practice's file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It cannot be read.
    #[error("{} cannot be read", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// It cannot be parsed; the text names the line and the key.
    #[error("{} is not understood:\n{reason}", file.display())]
    Malformed {
        /// The file.
        file: PathBuf,
        /// Line, key and reason.
        reason: String,
        /// The first mistake alone.
        slip: Slip,
    },
    /// It has invalid values.
    #[error("{} has values that cannot be meant:\n  {}", file.display(), problems.join("\n  "))]
    Wrong {
        /// The file.
        file: PathBuf,
        /// One entry per key: the key and the reason.
        problems: Vec<String>,
    },
}

/// A mistake that keeps a file from being understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slip {
    /// Where it begins, in bytes; none where something is missing from the whole file.
    pub offset: Option<usize>,
    /// What is wrong.
    pub message: String,
}

impl Error {
    fn malformed(file: PathBuf, error: &toml::de::Error) -> Self {
        let offset = error.span().map(|span| span.start);
        let slip = Slip { offset, message: error.message().to_owned() };
        Self::Malformed { file, reason: error.to_string(), slip }
    }
}

/// Reads `practice.toml` in a folder.
///
/// # Errors
/// The file cannot be read or understood, or has invalid values.
pub fn load(folder: &Path) -> Result<Practice, Error> {
    let file = folder.join(FILE);
    match fs::read_to_string(&file) {
        Ok(text) => parse(&text, &file),
        Err(source) => Err(Error::Unreadable { file, source }),
    }
}

/// Reads the text of `practice.toml`; `file` is what errors call it.
///
/// # Errors
/// It is not understood, or has invalid values.
pub fn parse(text: &str, file: &Path) -> Result<Practice, Error> {
    let file = file.to_path_buf();
    let practice: Practice = match toml::from_str(text) {
        Ok(practice) => practice,
        Err(error) => return Err(Error::malformed(file, &error)),
    };
    let problems = rules::problems(&practice);
    if problems.is_empty() { Ok(practice) } else { Err(Error::Wrong { file, problems }) }
}

#[cfg(test)]
mod tests;
