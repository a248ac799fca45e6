//! The command that checks the practice's files, for a person who has just edited them.

use std::io::Write as _;
use std::path::PathBuf;

use runtime::{BoxError, Reader};

use crate::content::check::mistakes;

/// Settings of `check`.
#[derive(Debug, Clone)]
pub struct CheckConfig {
    /// The folder with the practice's files; `PRACTICE_DIR`.
    pub practice_dir: PathBuf,
}

impl CheckConfig {
    /// Reads them.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        Self { practice_dir: reader.path("PRACTICE_DIR") }
    }
}

/// Prints every mistake of every file.
///
/// # Errors
/// There is a mistake, or it cannot be printed.
pub async fn check(config: CheckConfig) -> Result<(), BoxError> {
    let found = mistakes(&config.practice_dir);
    let mut out = std::io::stdout().lock();
    for mistake in &found {
        writeln!(out, "{mistake}")?;
    }
    match found.len() {
        0 => Ok(()),
        count => Err(format!("the practice's files have {count} mistakes").into()),
    }
}
