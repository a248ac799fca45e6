//! The checker's program: told where a practice is stored, it says whether that is as it must be.
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::process::Command;

/// The checker's program.
const PROGRAM: &str = "checker";
/// What the checker has to know besides the databases, when the provider is asked.
pub const OF_THE_PROVIDER: [&str; 3] =
    ["PAYMENTS_PROVIDER_URL", "PAYMENTS_KEY_ID", "PAYMENTS_KEY_SECRET"];

/// What the command was told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckOptions {
    /// Print what programs read.
    pub is_json: bool,
    /// Leave the provider alone.
    pub without_provider: bool,
}

impl CheckOptions {
    /// Reads the words after `check`; none when one of them is unknown.
    pub fn read(words: &[&str]) -> Option<Self> {
        let mut options = Self::default();
        for word in words {
            match *word {
                "--json" => options.is_json = true,
                "--without-provider" => options.without_provider = true,
                _ => return None,
            }
        }
        Some(options)
    }
}

/// Whether a practice is sound; the checker prints what it finds.
pub async fn is_sound(settings: &[(String, String)], options: CheckOptions) -> Result<bool> {
    let mut command = command(&program()?, settings, options);
    let status = command.status().await.context("the checker cannot be started")?;
    Ok(status.success())
}

/// Runs the checker and returns what it found, and its exit.
pub async fn report(settings: &[(String, String)]) -> Result<Value> {
    let options = CheckOptions { is_json: true, without_provider: false };
    let mut command = command(&program()?, settings, options);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let done = command.output().await.context("the checker cannot be started")?;
    first_value(&done.stdout).with_context(|| {
        format!("the checker could not judge: {}", String::from_utf8_lossy(&done.stderr).trim())
    })
}

/// The report, which a line of the log follows when something is broken.
fn first_value(output: &[u8]) -> Option<Value> {
    serde_json::Deserializer::from_slice(output).into_iter().next()?.ok()
}

/// The checker stands beside this program.
fn program() -> Result<PathBuf> {
    let own = std::env::current_exe().context("our own path is not known")?;
    let program = own.parent().unwrap_or(Path::new("/")).join(PROGRAM);
    if !program.is_file() {
        bail!("the program {PROGRAM} has not been built; `make build` builds it");
    }
    Ok(program)
}

fn command(program: &Path, settings: &[(String, String)], options: CheckOptions) -> Command {
    let mut command = Command::new(program);
    let told = |name: &str| !(options.without_provider && OF_THE_PROVIDER.contains(&name));
    command.envs(settings.iter().filter(|(name, _)| told(name)).cloned());
    if options.without_provider {
        for name in OF_THE_PROVIDER {
            command.env_remove(name);
        }
    }
    if options.is_json {
        command.env("CHECK_FORMAT", "json");
    }
    command.env("LOG_FORMAT", "text").env("LOG_FILTER", "error").kill_on_drop(true);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_read_with_and_without_a_line_of_the_log() {
        let sound = serde_json::json!({ "sound": false });
        for log in ["", "\n2026-11-27 ERROR checker: failed\n"] {
            assert_eq!(first_value(format!("{sound}{log}").as_bytes()), Some(sound.clone()));
        }
        assert_eq!(first_value(b"no report"), None);
    }

    #[test]
    fn an_unknown_word_is_refused() {
        let all = CheckOptions { is_json: true, without_provider: true };
        assert_eq!(CheckOptions::read(&["--json", "--without-provider"]), Some(all));
        assert_eq!(CheckOptions::read(&[]), Some(CheckOptions::default()));
        assert_eq!(CheckOptions::read(&["--repair"]), None);
    }
}
