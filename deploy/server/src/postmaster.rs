//! A cluster that was restored for a trial: started beside the practice's own, reachable by its
//! socket alone, and stopped when its value is dropped.
use super::cluster::Cluster;
use super::user::command_as_owner;
use anyhow::{Context, Result};
use machine::process::output_of;
use std::path::Path;
use std::time::Duration;

/// How long the log of changes may be read.
const READ_WITHIN: Duration = Duration::from_secs(2 * 60 * 60);

/// A running scratch cluster.
#[derive(Debug)]
pub(crate) struct Scratch {
    /// How it is reached.
    pub(crate) cluster: Cluster,
}

impl Scratch {
    /// Starts the cluster of a folder and waits until it takes writes.
    pub(crate) async fn start(cluster: Cluster) -> Result<Self> {
        // What the practice's own configuration says of ports and archives is not for a trial.
        let options = format!(
            "-c config_file={0}/scratch.conf -c hba_file={0}/scratch_hba.conf \
             -c data_directory={0} -c listen_addresses= -c port={1} \
             -c unix_socket_directories={2} -c archive_mode=off",
            cluster.data.display(),
            cluster.port,
            cluster.socket.display()
        );
        for (name, text) in [
            ("scratch.conf", SETTINGS.to_owned()),
            ("scratch_hba.conf", "local all all trust\n".to_owned()),
        ] {
            write_as_owner(&cluster.data, name, &text)?;
        }
        let mut command = command_as_owner(cluster.programs.join("pg_ctl"), &cluster.data)?;
        command.arg("start").arg("--silent").arg("--no-wait");
        command.arg(format!("--pgdata={}", cluster.data.display()));
        command.arg(format!("--log={}", cluster.data.join("scratch.log").display()));
        command.arg(format!("--options={options}"));
        // The server keeps its parent's output open; it has a log of its own.
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        let started = command.status().context("pg_ctl cannot be started")?;
        let scratch = Self { cluster };
        anyhow::ensure!(started.success(), "the restored cluster cannot be started");
        let log = scratch.cluster.data.join("scratch.log");
        let ready = scratch.cluster.wait_until_writable(READ_WITHIN).await;
        ready.with_context(|| machine::process::last_lines(&log, 8))?;
        Ok(scratch)
    }
}

/// Enough for a trial; the memory is the practice's.
const SETTINGS: &str = "\
shared_buffers = 64MB
max_connections = 20
# The trial's bounds are lower than the practice's, so it opens once all is read.
hot_standby = off
fsync = off
full_page_writes = off
wal_level = replica
max_wal_senders = 3
max_worker_processes = 4
timezone = 'UTC'
log_error_verbosity = terse
log_min_error_statement = panic
";

fn write_as_owner(folder: &Path, name: &str, text: &str) -> Result<()> {
    use std::os::unix::fs::MetadataExt;
    let path = folder.join(name);
    machine::secrets::write_private(&path, text.as_bytes())?;
    let owner = std::fs::metadata(folder).context("the restored folder is not there")?;
    std::os::unix::fs::chown(&path, Some(owner.uid()), Some(owner.gid()))
        .with_context(|| format!("{} cannot be given to its owner", path.display()))
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let stopping = || -> Result<String> {
            let Cluster { programs, data, .. } = &self.cluster;
            let mut command = command_as_owner(programs.join("pg_ctl"), data)?;
            command.args(["stop", "--silent", "--mode=immediate", "--wait"]);
            output_of(command.arg(format!("--pgdata={}", data.display())))
        };
        if let Err(error) = stopping() {
            machine::output::problem(&error.context("the scratch cluster still runs"));
        }
    }
}
