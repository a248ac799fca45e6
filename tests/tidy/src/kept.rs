//! Data of earlier releases is only ever added to: what an event was stored as then, today's
//! programs have to read, so a change that no longer fits may not change the data instead.
use std::io;
use std::process::Command;

/// Files below `folder` that a commit has changed, moved or removed after another one had added
/// them, each with that commit.
pub fn changed(folder: &str) -> io::Result<Vec<String>> {
    let arguments = ["log", "--diff-filter=MDR", "--no-renames", "--name-only", "--format=%h"];
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let told =
        Command::new("git").current_dir(root).args(arguments).args(["--", folder]).output()?;
    if !told.status.success() {
        return Err(io::Error::other(String::from_utf8_lossy(&told.stderr).into_owned()));
    }
    let lines = String::from_utf8_lossy(&told.stdout);
    Ok(lines.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect())
}
