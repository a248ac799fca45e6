//! The CalDAV server for tests, Radicale: installed with pip into a folder of its own.
use crate::packages;
use anyhow::{Context, Result};
use machine::account;
use machine::output;
use machine::paths::{self, Paths};
use machine::process::output_of;
use machine::tools;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// The versions of the server and of what it needs.
const REQUIREMENTS: &str = include_str!("caldav.txt");
/// The folder's name, and that of its marker.
const NAME: &str = "radicale";

/// The server's program, if it is installed in the versions that tests want.
pub(crate) fn find(paths: &Paths) -> Option<PathBuf> {
    let marker = tools::unpacked_marker(&paths.packages, NAME);
    let installed = fs::read_to_string(marker).is_ok_and(|text| text == REQUIREMENTS);
    let program = paths.packages.join(NAME).join("bin").join(NAME);
    (installed && program.is_file()).then_some(program)
}

/// Installs the server where it is missing.
///
/// # Errors
/// When Python or the packages cannot be had.
pub(crate) fn prepare(paths: &Paths) -> Result<()> {
    if find(paths).is_some() {
        return Ok(());
    }
    let _lock = packages::lock_packages(paths)?;
    // Another process may have installed it while we waited for the lock.
    if find(paths).is_some() {
        return Ok(());
    }
    output::step("installing Radicale with pip");
    let folder = paths.packages.join(NAME);
    if folder.exists() {
        fs::remove_dir_all(&folder).context("an older Radicale cannot be removed")?;
    }
    paths::create_traversable(&paths.packages)?;
    let environment =
        || output_of(Command::new("python3").args(["-m", "venv"]).arg(&folder)).map(drop);
    if environment().is_err() && account::is_root() {
        // Debian has this part of Python as a package of its own.
        let mut apt = Command::new("apt-get");
        apt.args(["install", "-y", "-q", "--no-install-recommends", "python3-venv"]);
        output_of(apt.env("DEBIAN_FRONTEND", "noninteractive"))?;
    }
    environment().context("Python 3 with its module venv must be there (python3-venv)")?;
    let requirements = folder.join("requirements.txt");
    fs::write(&requirements, REQUIREMENTS).context("the list of packages cannot be written")?;
    let mut pip = Command::new(folder.join("bin/pip"));
    pip.args(["install", "-q", "--disable-pip-version-check", "--no-deps", "-r"]);
    output_of(pip.arg(&requirements)).context("Radicale cannot be installed")?;
    fs::write(tools::unpacked_marker(&paths.packages, NAME), REQUIREMENTS)
        .context("what was installed cannot be noted")
}
