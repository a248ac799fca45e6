//! The catalogue as its callers see it, and as a practice owner sees it.

#![expect(clippy::unwrap_used, reason = "a helper that meets the unexpected fails its test there")]

mod broken_files;
mod committed_content;
mod serving;

use std::path::{Path, PathBuf};

/// The practice's files that come with the project.
fn practice_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/local/practice")
}
