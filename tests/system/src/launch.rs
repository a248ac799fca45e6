//! How a running process was started, read from the system, so that another can be started alike;
//! and such a process, which ends with the value that stands for it.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result};
use testkit::until_within;

/// A program with its arguments, its whole environment and its user.
#[derive(Debug, Clone)]
pub(crate) struct Launch {
    program: PathBuf,
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
    user: (u32, u32),
}

impl Launch {
    /// How the process with this id was started.
    ///
    /// # Errors
    /// When it does not run, or is another user's.
    pub(crate) fn of(pid: u64) -> Result<Self> {
        let process = PathBuf::from(format!("/proc/{pid}"));
        let line = String::from_utf8(fs::read(process.join("cmdline"))?)?;
        let environment = String::from_utf8(fs::read(process.join("environ"))?)?;
        let settings = environment.split('\0').filter_map(|setting| setting.split_once('='));
        let owner = fs::metadata(&process)?;
        Ok(Self {
            program: fs::read_link(process.join("exe"))?,
            arguments: line.split_terminator('\0').skip(1).map(str::to_owned).collect(),
            environment: settings.map(|(name, value)| (name.into(), value.into())).collect(),
            user: (owner.uid(), owner.gid()),
        })
    }

    /// The same with this setting.
    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.environment.retain(|(known, _)| known != name);
        self.environment.push((name.to_owned(), value.into()));
        self
    }

    /// The same with other arguments.
    pub(crate) fn with_arguments(self, arguments: Vec<String>) -> Self {
        Self { arguments, ..self }
    }

    /// The same with the program of this name in another folder.
    pub(crate) fn of_folder(self, folder: &Path) -> Self {
        let program = self.program.file_name().map(|name| folder.join(name));
        Self { program: program.unwrap_or_default(), ..self }
    }

    /// The value of a setting.
    pub(crate) fn setting(&self, name: &str) -> Option<&str> {
        let found = self.environment.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The arguments.
    pub(crate) fn arguments(&self) -> &[String] {
        &self.arguments
    }

    /// The ids of the user and the group that run it.
    pub(crate) fn user(&self) -> (u32, u32) {
        self.user
    }

    /// Another program from the same folder, with the same user and environment.
    pub(crate) fn beside(&self, name: &str) -> Command {
        self.prepared(&self.program.with_file_name(name))
    }

    /// The command.
    pub(crate) fn command(&self) -> Command {
        let mut command = self.prepared(&self.program);
        command.args(&self.arguments);
        command
    }

    fn prepared(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        let settings = self.environment.iter().map(|(name, value)| (name, value));
        command.env_clear().envs(settings).current_dir("/").stdin(Stdio::null());
        if fs::metadata("/proc/self").is_ok_and(|own| own.uid() != self.user.0) {
            command.uid(self.user.0).gid(self.user.1);
        }
        command
    }

    /// Starts it; what it says goes to the end of `log`.
    pub(crate) fn spawn(&self, log: &Path) -> Result<Process> {
        let output = File::options().create(true).append(true).open(log)?;
        let mut command = self.command();
        command.stdout(output.try_clone()?).stderr(output);
        let child =
            command.spawn().with_context(|| format!("{} starts", self.program.display()))?;
        Ok(Process(child))
    }
}

/// A process that is killed when this value is dropped.
pub(crate) struct Process(Child);

impl Process {
    /// Its id.
    pub(crate) fn id(&self) -> u32 {
        self.0.id()
    }

    /// Sends it a signal such as `TERM`.
    ///
    /// # Errors
    /// When it is not there.
    pub(crate) fn signal(&self, signal: &str) -> Result<()> {
        let pid = self.0.id().to_string();
        let sent = Command::new("kill").args([&format!("-{signal}"), &pid]).status()?;
        anyhow::ensure!(sent.success(), "process {pid} was not there for {signal}");
        Ok(())
    }

    /// How it ended; none while it runs.
    ///
    /// # Errors
    /// When the system does not say.
    pub(crate) fn ended(&mut self) -> Result<Option<ExitStatus>> {
        Ok(self.0.try_wait()?)
    }

    /// Waits until it has ended.
    ///
    /// # Errors
    /// When it takes longer than `limit`.
    pub(crate) async fn wait(&mut self, limit: Duration) -> Result<ExitStatus> {
        until_within(limit, "a process ends", async || self.ended()).await
    }

    /// Kills it and what it has started, all at once, as when its machine fails.
    pub(crate) fn kill(mut self) -> Result<()> {
        let pid = self.0.id();
        let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
        self.0.kill()?;
        for child in children.unwrap_or_default().split_whitespace() {
            // It may have ended with its parent.
            Command::new("kill").args(["-KILL", child]).stderr(Stdio::null()).status()?;
        }
        self.0.wait()?;
        Ok(())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}
