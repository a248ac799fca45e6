//! Processes: their identity, whether they are alive, how they are stopped, and their logs.
use anyhow::{Context, Result};
use rustix::process::{Pid, Signal};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The identity of a process. A later process with the same pid has another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The process's pid.
    pub pid: u32,
    /// The start time in the system's own format, for comparison only.
    pub started: String,
}

impl Identity {
    /// The process that has this pid now.
    pub fn of(pid: u32) -> Option<Self> {
        started(pid).map(|started| Self { pid, started })
    }

    /// Whether this process still runs. A zombie does not count.
    pub fn is_alive(&self) -> bool {
        started(self.pid).is_some_and(|now| now == self.started)
    }

    /// Sends a signal, if the pid still belongs to this process.
    pub fn signal(&self, signal: Signal) {
        if self.is_alive() {
            send_signal(self.pid, signal);
        }
    }

    /// Asks the process to stop, waits, and kills it when it does not.
    pub async fn stop(&self, first: Signal, grace: Duration) {
        self.signal(first);
        if !self.exits_within(grace).await {
            self.signal(Signal::KILL);
            self.exits_within(Duration::from_secs(5)).await;
        }
    }

    async fn exits_within(&self, limit: Duration) -> bool {
        let deadline = Instant::now() + limit;
        while self.is_alive() {
            if Instant::now() >= deadline {
                return false;
            }
            sleep(Duration::from_millis(20)).await;
        }
        true
    }
}

/// Sends a signal to a process. A process that has exited is ignored.
pub fn send_signal(pid: u32, signal: Signal) {
    let number = i32::try_from(pid).ok().and_then(Pid::from_raw);
    if let Some(number) = number {
        rustix::process::kill_process(number, signal).ok();
    }
}

#[cfg(target_os = "linux")]
fn started(pid: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may contain spaces, so fields are counted after it.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace();
    let state = fields.next()?;
    let ticks = fields.nth(18)?;
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    (!matches!(state, "Z" | "X")).then(|| format!("{}:{ticks}", boot.trim()))
}

#[cfg(not(target_os = "linux"))]
fn started(pid: u32) -> Option<String> {
    let shown = Command::new("ps").args(["-o", "stat=,lstart=", "-p", &pid.to_string()]).output();
    let text = String::from_utf8(shown.ok()?.stdout).ok()?;
    let (state, started) = text.trim().split_once(char::is_whitespace)?;
    (!state.starts_with('Z')).then(|| started.trim().to_owned())
}

/// Opens a log for appending. Other users cannot read it.
pub fn open_log(path: &Path) -> Result<File> {
    OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(path)
        .with_context(|| format!("the log {} cannot be written", path.display()))
}

/// The last lines of a log, for an error message.
pub fn last_lines(path: &Path, count: usize) -> String {
    let read = || -> std::io::Result<String> {
        let mut file = File::open(path)?;
        let start = file.metadata()?.len().saturating_sub(16 * 1024);
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    let text = read().unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    let from = lines.len().saturating_sub(count);
    lines.get(from..).unwrap_or_default().join("\n")
}

/// Runs a short command and returns its output. Its error text becomes part of ours.
pub fn output_of(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("{name} cannot be started"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        anyhow::bail!("{name} failed ({}): {}", output.status, said.trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_itself_and_not_an_earlier_one() {
        let now = Identity::of(std::process::id()).unwrap();
        assert!(now.is_alive());
        let earlier = Identity { started: "before".to_owned(), ..now };
        assert!(!earlier.is_alive());
    }

    #[test]
    fn a_process_that_ended_is_not_alive_even_before_it_is_collected() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let identity = Identity::of(child.id()).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(identity.stop(Signal::TERM, Duration::from_secs(5)));
        assert!(!identity.is_alive());
        child.wait().unwrap();
    }

    #[test]
    fn only_the_last_lines_are_shown() {
        let path = std::env::temp_dir().join(format!("sukoon-lines-{}", std::process::id()));
        fs::write(&path, "a\nb\nc\n").unwrap();
        assert_eq!(last_lines(&path, 2), "b\nc");
        fs::remove_file(path).unwrap();
    }
}
