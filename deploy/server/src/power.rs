//! Starts and stops an installed practice: by systemd on the machine itself; on trial, where there
//! are no units, only the cluster.
use super::cluster::{self, Cluster};
use super::files::POSTGRES_PORT;
use super::layout::Layout;
use super::units;
use super::user::command_as_owner;
use anyhow::{Context, Result};
use machine::environment::Environment;
use machine::process::output_of;
use std::process::Stdio;

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
    command.arg(format!("--log={}", own.socket.join("postgres.log").display()));
    command.arg(format!("--options=-c config_file={}", configuration.display()));
    // The server keeps its parent's output open; it has a log of its own.
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    anyhow::ensure!(status.context("pg_ctl cannot be started")?.success(), "no cluster started");
    Ok(())
}

/// Starts everything.
pub(crate) fn start_services(layout: &Layout) -> Result<()> {
    if layout.is_the_machine() {
        units::systemctl(&["start", units::TARGET])?;
    }
    Ok(())
}
