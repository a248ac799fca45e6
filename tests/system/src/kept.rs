//! A practice made by an earlier release, kept as dumps, secrets, the sandbox's journal and
//! pictures. Every release has to take it over as it is, so `tests/system/kept` is only ever added
//! to.

mod acks;
mod data;
pub mod leftovers;
pub mod make;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::Value;

pub use acks::{from_json, to_json};

/// The bookings and payments to which a fault of the release that kept them happened.
#[derive(Debug, Clone, Default)]
pub struct Leftovers {
    /// Ids of bookings.
    pub bookings: Vec<String>,
    /// The provider's ids of payments.
    pub payments: Vec<String>,
}

/// A kept practice and its note `practice.json`.
#[derive(Debug, Clone)]
pub struct KeptPractice {
    folder: PathBuf,
    note: Value,
}

impl KeptPractice {
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

    /// The newest whose release left no fault in its data.
    ///
    /// # Errors
    /// When there is none, or it cannot be read.
    pub fn sound() -> Result<Self> {
        let mut newest_first = Self::all()?.into_iter().rev();
        let sound = newest_first.find(|kept| kept.list("faults").next().is_none());
        sound.context("no sound practice was kept")
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

    /// A part of the note: `taken_at`, `accounts`, `open`, `acks`, `repeats`; since 9a841881 also
    /// `machine_at`, `faults`, `phone`.
    #[must_use]
    pub fn part(&self, name: &str) -> &Value {
        self.note.get(name).unwrap_or(&Value::Null)
    }

    /// What its release left behind, named so that a later checker may say of it what is so.
    #[must_use]
    pub fn leftovers(&self) -> Leftovers {
        let texts = |name: &str| -> Vec<String> {
            let known = self.list("faults").filter_map(|fault| fault[name].as_str());
            known.map(str::to_owned).collect()
        };
        Leftovers { bookings: texts("booking"), payments: texts("payment") }
    }

    /// The members of a list in the note.
    pub fn list(&self, name: &str) -> impl Iterator<Item = &Value> {
        self.part(name).as_array().into_iter().flatten()
    }
}
