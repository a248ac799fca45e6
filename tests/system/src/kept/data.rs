//! Saves the data folder of a stopped practice, and restores it so that `sukoon up` finds what an
//! earlier release has left.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use testkit::until;

use super::KeptPractice;
use crate::backup::run;
use crate::practice::{Practice, STORES};

/// Files and folders that are kept as they are.
const PLAIN: [&str; 3] = ["secrets", "pictures", "sandbox"];
/// The processes that would write while databases are replaced.
pub(super) const SERVICES: [&str; 7] =
    ["booking", "catalogue", "gateway", "identity", "notifications", "payments", "reviews"];

impl KeptPractice {
    /// Starts the kept practice with today's programs: its databases, secrets, third parties and
    /// pictures, with the clocks on the day on which it was kept.
    ///
    /// When it cannot be restored, or does not become ready.
    pub async fn start(&self, settings: &[(&str, &str)]) -> Result<Practice> {
        let data = Practice::new_folder();
        copy(&self.folder.join("secrets"), &data.join("secrets"))?;
        // The first start makes a cluster whose roles have the kept passwords, and empty databases.
        let mut empty = Practice::spawn_in(data.clone(), settings, Stdio::inherit())?;
        empty.wait_until_ready().await?;
        for service in SERVICES {
            empty.signal(service, "STOP")?;
        }
        self.restore_databases(&empty).await?;
        empty.kill_all().await?;
        for transient in ["sandbox", "pictures", "nats"] {
            drop(fs::remove_dir_all(data.join(transient)));
        }
        // This file says that the first start is ready.
        fs::remove_file(data.join("run.json"))?;
        for folder in PLAIN {
            copy(&self.folder.join(folder), &data.join(folder))?;
        }
        unpack(&data.join("sandbox/book.jsonl.gz"))?;
        let mut practice = Practice::spawn_in(data, settings, Stdio::inherit())?;
        practice.wait_until_ready().await?;
        for ack in self.list("acks") {
            practice.record_ack(super::from_json(ack)?);
        }
        let repeats = self.part("repeats").as_u64().context("no count of repeated mails")?;
        practice.recorder.allow_mail_repeats(usize::try_from(repeats)?);
        practice.load_clock_offset().await?;
        Ok(practice)
    }

    async fn restore_databases(&self, practice: &Practice) -> Result<()> {
        let taken_at = self.part("taken_at").as_str().context("no moment")?;
        for service in STORES {
            practice.restore(service, &self.folder.join(format!("{service}.dump"))).await?;
            let mut owner = practice.database(service).await?;
            // Services compare a token's expiry with the machine's clock, so identity's clock must
            // not be behind it.
            let least = if service == "identity" { "0" } else { "-100 years" };
            sqlx::query(
                "update clock set offset_by =
                     greatest($1::timestamptz - clock_timestamp(), $2::interval)",
            )
            .bind(taken_at)
            .bind(least)
            .execute(&mut owner)
            .await?;
        }
        self.keep_grace(practice).await
    }

    /// A member's time without a second factor is compared with the machine's clock, too, so what
    /// was left of it is left again.
    async fn keep_grace(&self, practice: &Practice) -> Result<()> {
        let Some(machine_at) = self.part("machine_at").as_str() else { return Ok(()) };
        let mut booking = practice.database("booking").await?;
        sqlx::query(
            "update staff_members
             set second_factor_by = second_factor_by + (clock_timestamp() - $1::timestamptz)",
        )
        .bind(machine_at)
        .execute(&mut booking)
        .await?;
        Ok(())
    }
}

/// Saves the data of a practice whose services are stopped into a folder.
pub(super) fn save(practice: &Practice, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    for service in STORES {
        practice.dump(service, &folder.join(format!("{service}.dump")))?;
    }
    for plain in PLAIN {
        copy(&practice.data().join(plain), &folder.join(plain))?;
    }
    // Each start writes the settings of its processes anew.
    drop(fs::remove_dir_all(folder.join("secrets/settings")));
    run(Command::new("gzip").args(["-9", "-n"]).arg(folder.join("sandbox/book.jsonl")))
}

/// Copies a folder with permissions for the owner only, as secrets require.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    fs::set_permissions(to, fs::Permissions::from_mode(0o700))?;
    let entries = fs::read_dir(from).with_context(|| from.display().to_string())?;
    for entry in entries {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target)?;
            fs::set_permissions(&target, fs::Permissions::from_mode(0o600))?;
        }
    }
    Ok(())
}

fn unpack(file: &Path) -> Result<()> {
    run(Command::new("gzip").arg("-d").arg(file))
}

impl Practice {
    /// Kills everything at once, so that the services don't notice the replaced databases. The
    /// folder stays.
    async fn kill_all(mut self) -> Result<()> {
        let record = self.record()?;
        let parts = record["parts"].as_object().context("no parts")?;
        let pids: Vec<u64> =
            parts.values().filter_map(|part| part["process"]["pid"].as_u64()).collect();
        let services = SERVICES.iter().map(|part| self.pid(part)).collect::<Result<Vec<_>>>()?;
        self.kill_supervisor()?;
        for pid in services {
            // A process that has ended already is fine.
            drop(Command::new("kill").arg("-KILL").arg(pid.to_string()).status());
        }
        ensure!(!pids.is_empty(), "nothing ran");
        until("everything has ended", async || {
            Ok((!pids.iter().any(|pid| is_running(*pid))).then_some(()))
        })
        .await
    }
}

/// Whether a process runs and is no zombie.
fn is_running(pid: u64) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    status.lines().any(|line| line.starts_with("State:") && !line.contains('Z'))
}
