//! The staff's commands, as a person types them in a second terminal.

use std::path::Path;

use anyhow::{Context as _, Result};
use tokio::process::Command;

use crate::Practice;

/// The output and exit code of a command.
#[derive(Debug)]
pub struct Output {
    /// The exit code; `None` when a signal ended it.
    pub code: Option<i32>,
    /// What it wrote to its output.
    pub out: String,
    /// What it wrote of errors.
    pub err: String,
}

impl Output {
    /// Its output; fails unless it did all that was asked.
    #[track_caller]
    pub fn done(self) -> String {
        assert_eq!(self.code, Some(0), "{self:?}");
        self.out
    }

    /// Fails unless the command was refused with this text.
    #[track_caller]
    pub fn refused(&self, words: &str) {
        assert_eq!(self.code, Some(1), "{self:?}");
        assert!(self.err.contains(words), "{words} is missing in {self:?}");
    }

    /// Fails unless its output has all these parts.
    #[track_caller]
    pub fn shows(&self, parts: &[&str]) {
        for part in parts {
            assert!(self.out.contains(part), "{part} is missing in {self:?}");
        }
    }
}

/// `sukoon` on the data of a practice.
pub(crate) fn command(practice: &Practice) -> Result<Command> {
    let own = std::env::current_exe()?;
    let folder = own.parent().and_then(Path::parent).context("the test lies nowhere")?;
    let mut command = Command::new(folder.join("sukoon"));
    command.env("SUKOON_DATA", practice.data()).env_remove("SUKOON_URL");
    command.stdin(std::process::Stdio::null());
    Ok(command)
}

/// Runs `sukoon` with these arguments, as the owner or another person.
pub async fn run(practice: &Practice, person: Option<(&str, &str)>, words: &str) -> Result<Output> {
    let mut command = command(practice)?;
    command.args(words.split_whitespace());
    if let Some((email, password)) = person {
        command.env("SUKOON_EMAIL", email).env("SUKOON_PASSWORD", password);
    }
    let ran = command.output().await?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(Output { code: ran.status.code(), out: text(&ran.stdout), err: text(&ran.stderr) })
}

/// Runs `sukoon` with these arguments as the owner.
pub async fn sukoon(practice: &Practice, words: &str) -> Result<Output> {
    run(practice, None, words).await
}
