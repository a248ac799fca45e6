//! A disk that can be filled: a file system in memory of a few hundred megabytes. Mounting one
//! needs root, which only these drills do.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

/// The name of the file that fills it.
const FILLER: &str = "filler";

/// A mounted disk; it is unmounted when this value is dropped.
pub(crate) struct SmallDisk {
    folder: PathBuf,
}

impl SmallDisk {
    /// Mounts a disk of so many megabytes in a new folder.
    ///
    /// # Errors
    /// When this user may not mount.
    pub(crate) fn mount(folder: PathBuf, megabytes: u32) -> Result<Self> {
        fs::create_dir_all(&folder)?;
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={megabytes}m,mode=0755"), "sukoon-drill"]);
        let done = mount.arg(&folder).status().context("mount")?;
        ensure!(
            done.success(),
            "a small disk cannot be mounted: the drills of full disks need root"
        );
        Ok(Self { folder })
    }

    /// A folder on it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Writes until nothing more fits.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub(crate) fn fill(&self) -> Result<()> {
        let mut filler = File::create(self.folder.join(FILLER))?;
        for chunk in [vec![1; 1024 * 1024], vec![1; 4096], vec![1; 1]] {
            while filler.write_all(&chunk).is_ok() {}
        }
        Ok(())
    }

    /// Makes room again.
    ///
    /// # Errors
    /// When the file cannot be removed.
    pub(crate) fn free(&self) -> Result<()> {
        Ok(fs::remove_file(self.folder.join(FILLER))?)
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // A process may still have a file open; then it goes with that.
        drop(Command::new("umount").arg("-l").arg(&self.folder).status());
    }
}

/// Moves a folder with its owner to another place, and leaves a link behind.
pub(crate) fn relocate(folder: &Path, to: &Path) -> Result<()> {
    let copied = Command::new("cp").arg("-a").arg(folder).arg(to).status()?;
    ensure!(copied.success(), "{} cannot be copied", folder.display());
    fs::remove_dir_all(folder)?;
    Ok(std::os::unix::fs::symlink(to, folder)?)
}
