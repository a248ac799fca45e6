//! The folder of a practice whose `practice.toml` says more than the one that Sukoon comes with.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::timetable;

/// A second practitioner.
const SECOND: &str = "\n[[practitioners]]\npractitioner_id = \"ravi\"\nname = \"Ravi Menon\"\n";

/// A start every five minutes, day and night, for forty days.
const DENSE_RULES: [(&str, &str); 4] = [
    ("first_start", "\"00:00\""),
    ("last_start", "\"23:55\""),
    ("step_minutes", "5"),
    ("horizon_days", "40"),
];
/// The length of each session then.
const DENSE_SERVICES: [(&str, &str); 1] = [("duration_minutes", "5")];

/// Such a folder; it is removed when this value is dropped.
pub struct PracticeFolder(PathBuf);

impl PracticeFolder {
    /// One in which two practitioners give sessions.
    pub fn of_two_practitioners() -> Result<Self> {
        Self::with(SECOND)
    }

    /// One with this text at the end of `practice.toml`.
    pub fn with(more: &str) -> Result<Self> {
        let folder = crate::Practice::new_folder();
        fs::create_dir_all(&folder)?;
        let written = Self(folder);
        for entry in fs::read_dir(timetable::usual())? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                fs::copy(entry.path(), written.0.join(entry.file_name()))?;
            }
        }
        let file = written.0.join("practice.toml");
        let text = fs::read_to_string(&file)?;
        fs::write(&file, text + more)?;
        Ok(written)
    }

    /// One such as `usual` with thousands of times, for load.
    pub fn with_dense_hours(usual: &Path) -> Result<Self> {
        let written = Self(crate::Practice::new_folder());
        timetable::write((usual, &written.0), &DENSE_RULES, &DENSE_SERVICES)?;
        Ok(written)
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> String {
        self.0.to_string_lossy().into_owned()
    }
}

impl Drop for PracticeFolder {
    fn drop(&mut self) {
        // A folder that cannot be removed only takes disk space.
        fs::remove_dir_all(&self.0).ok();
    }
}
