//! A practice made by an earlier release, kept as dumps, secrets, the sandbox's journal and
//! pictures. Every release has to take it over as it is, so `tests/system/kept` is only ever added
//! to.

mod acks;
mod data;
pub mod make;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::Value;

pub use acks::{from_json, to_json};

/// A kept practice and its note `practice.json`.
#[derive(Debug, Clone)]
pub struct Kept {
    folder: PathBuf,
    note: Value,
}

impl Kept {
    /// Every kept practice, in the order of its commit.
    ///
    /// When the folder or a note cannot be read.
    pub fn all() -> Result<Vec<Self>> {
        let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("kept");
        let mut folders: Vec<PathBuf> = Vec::new();
        for entry in std::fs::read_dir(&all)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            }
        }
        folders.sort();
        folders.into_iter().map(Self::open).collect()
    }

    fn open(folder: PathBuf) -> Result<Self> {
        let note = std::fs::read(folder.join("practice.json"))?;
        let note = serde_json::from_slice(&note).with_context(|| folder.display().to_string())?;
        Ok(Self { folder, note })
    }

    /// Where it lies.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The commit whose programs made it.
    #[must_use]
    pub fn commit(&self) -> String {
        self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// A part of the note: `taken_at`, `accounts`, `open`, `acks`, `repeats`.
    #[must_use]
    pub fn part(&self, name: &str) -> &Value {
        self.note.get(name).unwrap_or(&Value::Null)
    }

    /// The members of a list in the note.
    pub fn list(&self, name: &str) -> impl Iterator<Item = &Value> {
        self.part(name).as_array().into_iter().flatten()
    }
}
