//! Secrets of this data folder: made once, never printed, readable by nobody else.
use anyhow::{Context, Result};
use rand::RngCore;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// A new secret word: 32 hexadecimal digits, safe in addresses, SQL and settings files.
pub(crate) fn random_word() -> String {
    let mut bytes = [0; 16];
    rand::rng().fill_bytes(&mut bytes);
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes a file that only we may read, whole or not at all.
pub(crate) fn write_private(path: &Path, content: &[u8]) -> Result<()> {
    let shown = path.display();
    let nursery = path.with_extension("new");
    let write = || -> std::io::Result<()> {
        drop(fs::remove_file(&nursery));
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&nursery)?;
        file.write_all(content)?;
        file.sync_all()?;
        fs::rename(&nursery, path)
    };
    write().with_context(|| format!("{shown} cannot be written"))
}
