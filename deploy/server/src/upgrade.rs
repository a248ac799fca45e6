//! `sukoon upgrade FILE` and `sukoon rollback`: another version of the package. A backup is made
//! first, and the version before comes back by itself when the practice does not open.
use super::backup::{self, Extent};
use super::files::INNER_PORT;
use super::layout::Layout;
use super::operations;
use super::restore::{self, RestoreOptions};
use super::units;
use anyhow::{Context, Result, bail};
use machine::output;
use machine::paths;
use machine::process::output_of;
use machine::report::Report;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The package's name.
const PACKAGE: &str = "sukoon";
/// The name under which an upgrade is noted.
const RESULT: &str = "upgrade";
/// How long a new version may take until the practice is open. Its migrations have ended when the
/// package is installed.
const OPEN_WITHIN: Duration = Duration::from_secs(3 * 60);
/// For how long the practice has to stay open until a new version is believed.
const OPEN_FOR: Duration = Duration::from_secs(15);

/// Upgrades to the package in a file.
pub(crate) async fn run(layout: &Layout, file: &Path) -> Result<ExitCode> {
    if !file.is_file() {
        bail!("{} is no file; `make deb` builds the package", file.display());
    }
    let before = installed_version()?;
    output::step(format_args!("keeping version {before}"));
    let kept = repack(layout)?;
    backup::take(layout, Extent::Changed)?;
    let noted = json!({ "version": before, "package": kept, "at": moment().to_string() });
    operations::keep(layout, RESULT, &noted)?;
    output::step("installing");
    let installed = install(file);
    let open = match installed {
        Ok(()) => wait_until_open().await,
        Err(error) => Err(error),
    };
    match open {
        Ok(()) => {
            output::line(format_args!("Version {} is open.", installed_version()?));
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            output::problem(&error.context("the new version does not open"));
            output::step(format_args!("going back to version {before}"));
            install(&kept)?;
            wait_until_open().await.context("the version before does not open either")?;
            output::line(format_args!("Version {before} is open again; nothing was lost."));
            Ok(ExitCode::FAILURE)
        }
    }
}

/// Goes back to the version before the last upgrade: programs only, because every version runs on
/// the tables of the next one; or, if asked, with the data as it was then.
pub(crate) async fn back(layout: &Layout, with_data: bool) -> Result<ExitCode> {
    let noted = operations::kept(layout, RESULT).context("no upgrade was made from here")?;
    let text = |name: &str| noted.get(name).and_then(Value::as_str).map(str::to_owned);
    let (package, at) = (text("package").map(PathBuf::from), text("at"));
    let (Some(package), Some(at)) = (package.filter(|it| it.is_file()), at) else {
        bail!("the package of the version before is no longer there");
    };
    install(&package)?;
    if with_data {
        return restore::run(layout, &RestoreOptions::read(&["--to", &at])?).await;
    }
    wait_until_open().await?;
    output::line(format_args!("Version {} is open.", installed_version()?));
    Ok(ExitCode::SUCCESS)
}

#[expect(clippy::disallowed_methods, reason = "an upgrade is a matter of this machine")]
fn moment() -> jiff::Timestamp {
    jiff::Timestamp::now()
}

fn installed_version() -> Result<String> {
    let version = output_of(Command::new("dpkg-query").args(["-W", "-f=${Version}", PACKAGE]));
    version.context("the package is not installed")
}

fn install(package: &Path) -> Result<()> {
    let mut dpkg = Command::new("dpkg");
    dpkg.env("DEBIAN_FRONTEND", "noninteractive").arg("--install").arg(package);
    output_of(&mut dpkg).map(drop)
}

/// Waits until the gateway says that all is ready, and goes on saying so.
async fn wait_until_open() -> Result<()> {
    let deadline = Instant::now() + OPEN_WITHIN;
    let mut since = None;
    loop {
        let is_open = Report::ask(INNER_PORT).await.is_some_and(|report| report.is_open());
        let now = Instant::now();
        since = if is_open { since.or(Some(now)) } else { None };
        if since.is_some_and(|since| now.duration_since(since) >= OPEN_FOR) {
            return Ok(());
        }
        if now >= deadline || units::state("sukoon-migrate.service") == "failed" {
            bail!("the practice is not open; `sukoon status` and `sukoon logs` say why");
        }
        sleep(Duration::from_millis(500)).await;
    }
}

/// Makes a package of what is installed, so that it can be installed again.
fn repack(layout: &Layout) -> Result<PathBuf> {
    let folder = layout.operations().join("packages");
    paths::create_private(&folder)?;
    let staging = folder.join("staging");
    if staging.exists() {
        fs::remove_dir_all(&staging).context("an interrupted upgrade cannot be cleared away")?;
    }
    fs::create_dir_all(staging.join("DEBIAN")).context("no room for the version before")?;
    let status = output_of(Command::new("dpkg-query").args(["-s", PACKAGE]))?;
    fs::write(staging.join("DEBIAN/control"), control(&status)).context("no control file")?;
    for script in ["postinst", "prerm", "postrm"] {
        let from = Path::new("/var/lib/dpkg/info").join(format!("{PACKAGE}.{script}"));
        if from.is_file() {
            fs::copy(&from, staging.join("DEBIAN").join(script))
                .with_context(|| format!("{} cannot be kept", from.display()))?;
        }
    }
    let files = output_of(Command::new("dpkg-query").args(["-L", PACKAGE]))?;
    for path in files.lines().map(Path::new) {
        stage(path, &staging)?;
    }
    let package = folder.join("before.deb");
    let mut build = Command::new("dpkg-deb");
    // A quick and larger package: it stays on this server.
    build.args(["-Zgzip", "-z1"]);
    output_of(build.args(["--root-owner-group", "--build"]).arg(&staging).arg(&package))?;
    fs::remove_dir_all(&staging).context("the copy of the version before cannot be removed")?;
    Ok(package)
}

/// Copies an installed file. A folder above it may be a link, as `/lib` is one to `/usr/lib`: in
/// the package it is a folder, as it was before. Folders of the package come with their files.
fn stage(path: &Path, staging: &Path) -> Result<()> {
    let Ok(kind) = fs::symlink_metadata(path) else { return Ok(()) };
    // `/lib` itself is a folder in the package's list.
    if kind.is_dir() || path.is_dir() {
        return Ok(());
    }
    let inside =
        path.strip_prefix("/").with_context(|| format!("{} is no path", path.display()))?;
    let copy = staging.join(inside);
    let folder = copy.parent().context("a file without a folder")?;
    fs::create_dir_all(folder).context("no room for the version before")?;
    output_of(Command::new("cp").arg("--archive").arg(path).arg(&copy)).map(drop)
}

/// The control file of a package by what dpkg knows of it.
fn control(status: &str) -> String {
    let lines = status.lines().filter(|line| !line.starts_with("Status:"));
    let mut text = lines.collect::<Vec<_>>().join("\n");
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_below_a_linked_folder_are_kept_as_files() {
        let root = std::env::temp_dir().join(format!("sukoon-repack-{}", std::process::id()));
        let (staging, folder, link) =
            (root.join("staging"), root.join("usr/lib"), root.join("lib"));
        fs::create_dir_all(folder.join("systemd")).unwrap();
        std::os::unix::fs::symlink("usr/lib", &link).unwrap();
        for name in ["one", "systemd/two"] {
            fs::write(folder.join(name), name).unwrap();
        }
        for name in ["", "one", "systemd", "systemd/two", "gone"] {
            stage(&link.join(name), &staging).unwrap();
        }
        let inside = staging.join(link.strip_prefix("/").unwrap());
        assert!(fs::symlink_metadata(&inside).unwrap().is_dir());
        assert_eq!(fs::read_to_string(inside.join("systemd/two")).unwrap(), "systemd/two");
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn what_dpkg_knows_becomes_a_control_file() {
        let known =
            "Package: sukoon\nStatus: install ok installed\nVersion: 1\nDescription: a\n b\n";
        assert_eq!(control(known), "Package: sukoon\nVersion: 1\nDescription: a\n b\n");
    }
}
