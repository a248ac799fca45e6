//! The failpoints of a practice: which places its processes have passed, and where they are to die.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context as _, Result};

/// The folder that processes look into; it goes away with this value.
#[derive(Debug)]
pub struct Failpoints {
    folder: PathBuf,
}

impl Failpoints {
    /// A new folder.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn new() -> Result<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::SeqCst);
        let name = format!("sukoon-failpoints-{}-{count}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        for part in ["seen", "arm", "died"] {
            std::fs::create_dir_all(folder.join(part))?;
        }
        Ok(Self { folder })
    }

    /// The setting that makes a practice look here.
    ///
    /// # Errors
    /// When the folder's name is not text.
    pub fn setting(&self) -> Result<(&str, &str)> {
        Ok(("FAILPOINTS_DIR", self.folder.to_str().context("no text")?))
    }

    /// Every place that was passed.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn seen(&self) -> Result<BTreeSet<String>> {
        names(&self.folder.join("seen"))
    }

    /// Where a process is still to die.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn armed(&self) -> Result<BTreeSet<String>> {
        names(&self.folder.join("arm"))
    }

    /// Where a process has died.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn died(&self) -> Result<BTreeSet<String>> {
        names(&self.folder.join("died"))
    }

    /// Lets the next process die that passes this place.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn arm(&self, name: &str) -> Result<()> {
        Ok(std::fs::write(self.folder.join("arm").join(name), "")?)
    }

    /// Lets nobody die there any more.
    pub fn disarm_all(&self) -> Result<()> {
        for name in self.armed()? {
            // One that was claimed meanwhile is gone already.
            std::fs::remove_file(self.folder.join("arm").join(name)).ok();
        }
        Ok(())
    }
}

impl Drop for Failpoints {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

fn names(folder: &Path) -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for entry in std::fs::read_dir(folder)? {
        names.insert(entry?.file_name().to_string_lossy().into_owned());
    }
    Ok(names)
}
