//! Pages of a revision, rendered by what the build's own pages are rendered with: a child process
//! that gets the files and nothing else of this one's environment.
use crate::account;
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What renders, in the folder that it runs in.
const SCRIPT: &str = "dist-server/prerender.js";
/// What it makes each document of.
const TEMPLATE: &str = "dist-server/template.html";
/// The oldest release of Node.js that it runs on.
const NODE_MIN: u32 = 20;

/// A program that renders pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renderer {
    node: PathBuf,
    /// Where it runs.
    folder: PathBuf,
    /// The pages as they were built.
    built: PathBuf,
    /// The user that it runs as, if this process is root's.
    user: Option<&'static str>,
}

impl Renderer {
    /// The renderer in a folder, if it is there with a release of Node.js that runs it.
    pub fn find(folder: &Path, built: &Path) -> Option<Self> {
        let is_there = [SCRIPT, TEMPLATE].iter().all(|name| folder.join(name).is_file());
        let node = PathBuf::from("node");
        let is_new_enough = || {
            let told = Command::new(&node).arg("--version").output().ok()?;
            let version = String::from_utf8(told.stdout).ok()?;
            let major: u32 = version.trim().strip_prefix('v')?.split('.').next()?.parse().ok()?;
            (major >= NODE_MIN).then_some(())
        };
        let found = is_there.then(is_new_enough).flatten();
        let (folder, built) = (folder.to_owned(), built.to_owned());
        found.map(|()| Self { node, folder, built, user: None })
    }

    /// The same, run as a user that may read no key.
    #[must_use]
    pub fn as_user(self, name: &'static str) -> Self {
        Self { user: Some(name), ..self }
    }

    /// Renders the pages of files into a new folder. Services of `gone` that they do not offer are
    /// answered as gone.
    pub(super) fn render(&self, files: &Path, to: &Path, gone: &BTreeSet<String>) -> Result<()> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut command = Command::new(&self.node);
        command.arg(SCRIPT).arg("--documents").arg(to).current_dir(&self.folder);
        command.env_clear().env("PATH", path).stdin(Stdio::null());
        command.env("PRACTICE_DIR", files).env("PAGES_BUILT", &self.built);
        command.env("GONE_SERVICES", gone.iter().cloned().collect::<Vec<_>>().join(" "));
        fs::create_dir_all(to).context("the folder of the pages cannot be created")?;
        if let Some(name) = self.user.filter(|_| account::is_root()) {
            let user = account::named(name)?;
            chown(to, Some(user.uid), Some(user.gid)).context("the pages have no owner")?;
            command.uid(user.uid).gid(user.gid);
        }
        let done = command.output().context("Node.js cannot be started")?;
        if !done.status.success() {
            fs::remove_dir_all(to).ok();
            let said = String::from_utf8_lossy(&done.stderr);
            let reason = said.lines().find(|line| line.contains("Error: ")).unwrap_or(&said);
            bail!("the pages cannot be rendered, so nothing was published: {}", reason.trim());
        }
        Ok(())
    }
}
