//! The user that owns the cluster and its backups. Commands that touch them run as this user, so
//! that every file belongs to it.
use anyhow::{Context, Result};
use machine::account;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// A program that is run as the owner of a folder.
pub(crate) fn command_as_owner(program: impl AsRef<Path>, folder: &Path) -> Result<Command> {
    let mut command = Command::new(program.as_ref());
    // The owner may not be able to enter the current folder.
    command.current_dir("/").stdin(Stdio::null());
    if account::is_root() {
        use std::os::unix::fs::MetadataExt;
        let found = std::fs::metadata(folder)
            .with_context(|| format!("{} is not there", folder.display()))?;
        command.uid(found.uid()).gid(found.gid());
    }
    Ok(command)
}
