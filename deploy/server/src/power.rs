//! Starts and stops an installed practice: by systemd on the machine itself; on trial, where there
//! are no units, only the cluster.
use super::cluster::{self, Cluster};
use super::files::POSTGRES_PORT;
use super::layout::Layout;
use super::units;
use super::user::command_as_owner;
use anyhow::{Context, Result};
use machine::environment::Environment;
use machine::process::{last_lines, output_of};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;
use tokio::time::Instant;

/// For how long a cluster on trial may be gone after its start.
const GONE_FOR: Duration = Duration::from_secs(2);

/// The practice's own cluster.
pub(crate) fn cluster(layout: &Layout) -> Result<Cluster> {
    Ok(Cluster {
        programs: cluster::programs(&Environment::of_this_process())?,
        data: layout.cluster(),
        socket: layout.socket(),
        port: POSTGRES_PORT,
    })
}

/// Stops everything, and the cluster with it, which is a part of the target.
pub(crate) fn stop_services(layout: &Layout) -> Result<()> {
    if layout.is_the_machine() {
        units::systemctl(&["stop", units::TARGET, "sukoon@*.service", "sukoon-nats.service"])?;
        units::systemctl(&["stop", "sukoon-migrate.service"])?;
    }
    Ok(())
}

/// Stops everything but the cluster, which starts again. A restore must not ask for that: its
/// cluster may be the reason for it.
pub(crate) fn stop_all_but_cluster(layout: &Layout) -> Result<()> {
    stop_services(layout)?;
    if layout.is_the_machine() {
        start_cluster(layout)?;
    }
    Ok(())
}

/// Stops the cluster.
pub(crate) fn stop_cluster(layout: &Layout) -> Result<()> {
    if layout.is_the_machine() {
        return units::systemctl(&["stop", units::POSTGRES]).map(drop);
    }
    let own = cluster(layout)?;
    if !own.data.join("postmaster.pid").exists() {
        return Ok(());
    }
    let mut command = command_as_owner(own.programs.join("pg_ctl"), &own.data)?;
    command.args(["stop", "--silent", "--mode=fast", "--wait"]);
    output_of(command.arg(format!("--pgdata={}", own.data.display()))).map(drop)
}

/// Starts the cluster; it may still have to read its log.
pub(crate) fn start_cluster(layout: &Layout) -> Result<()> {
    if layout.is_the_machine() {
        return units::systemctl(&["start", units::POSTGRES]).map(drop);
    }
    let own = cluster(layout)?;
    let configuration = layout.configuration().join("postgresql.conf");
    let mut command = command_as_owner(own.programs.join("pg_ctl"), &own.data)?;
    command.args(["start", "--silent", "--no-wait"]);
    command.arg(format!("--pgdata={}", own.data.display()));
    command.arg(format!("--log={}", log_on_trial(&own).display()));
    command.arg(format!("--options=-c config_file={}", configuration.display()));
    // The server keeps its parent's output open; it has a log of its own.
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    anyhow::ensure!(status.context("pg_ctl cannot be started")?.success(), "no cluster started");
    Ok(())
}

fn log_on_trial(cluster: &Cluster) -> PathBuf {
    cluster.socket.join("postgres.log")
}

/// Sees whether a cluster that was just started has ended instead of going on, as it does when its
/// log ends before the moment that it has to reach.
#[derive(Debug, Default)]
pub(crate) struct StartWatch {
    gone_since: Option<Instant>,
}

impl StartWatch {
    /// Looks once more.
    ///
    /// # Errors
    /// It has ended; the error has its last lines.
    pub(crate) fn require_running(&mut self, layout: &Layout) -> Result<()> {
        let (has_ended, lines) = if layout.is_the_machine() {
            let state = units::state(units::POSTGRES);
            let has_ended = units::restarts(units::POSTGRES) > 0 || state == "failed";
            (has_ended, has_ended.then(|| units::last_lines(units::POSTGRES, 8)))
        } else {
            let own = cluster(layout)?;
            let now = Instant::now();
            let is_gone = !own.data.join("postmaster.pid").exists();
            self.gone_since = is_gone.then(|| self.gone_since.unwrap_or(now));
            let has_ended = self.gone_since.is_some_and(|since| now - since >= GONE_FOR);
            (has_ended, has_ended.then(|| last_lines(&log_on_trial(&own), 8)))
        };
        anyhow::ensure!(!has_ended, "PostgreSQL has ended:\n{}", lines.unwrap_or_default());
        Ok(())
    }
}

/// Starts everything.
pub(crate) fn start_services(layout: &Layout) -> Result<()> {
    if layout.is_the_machine() {
        units::systemctl(&["start", units::TARGET])?;
    }
    Ok(())
}
