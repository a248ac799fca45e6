//! The catalogue from the view of its callers and of a practice owner.

#![expect(clippy::unwrap_used, reason = "a helper that meets the unexpected fails its test there")]

mod broken_files;
mod check;
mod committed_content;
mod consultation;
mod packages;
mod practitioners;
mod serving;
mod dumps;

use std::path::{Path, PathBuf};

/// All of the practice's files.
const PRACTICE_FILES: [&str; 7] = [
    "practice.toml",
    "services.toml",
    "quiz.toml",
    "faqs.toml",
    "guide.toml",
    "about.toml",
    "consent.toml",
];

/// The committed files of the practice.
fn practice_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/local/practice")
}
