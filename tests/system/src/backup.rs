//! Logical backups of a practice's databases, with PostgreSQL's own programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};

use crate::practice::Practice;

impl Practice {
    /// Writes a service's database to a file.
    pub fn dump(&self, service: &str, file: &Path) -> Result<()> {
        let record = self.record()?;
        let url = record["databases"][service]["admin_url"].as_str().context("no database")?;
        run(self.tool("pg_dump")?.args(["-Fc", "-Z", "9", "-d", url, "-f"]).arg(file))
    }

    /// Drops a service's database and restores it from a file. This closes all connections to it;
    /// the caller stops the processes that would write.
    ///
    /// When it cannot be dropped or restored.
    pub async fn restore(&self, service: &str, file: &Path) -> Result<()> {
        let record = self.record()?;
        let admin = record["postgres_admin_url"].as_str().context("no superuser")?;
        let mut superuser = PgConnection::connect(admin).await?;
        let drop = format!("drop database {service} with (force)");
        superuser.execute(AssertSqlSafe(drop)).await?;
        run(self.tool("pg_restore")?.args(["--create", "-d", admin]).arg(file))
    }

    /// One of PostgreSQL's programs, in the version that the practice runs.
    fn tool(&self, name: &str) -> Result<Command> {
        let process = PathBuf::from(format!("/proc/{}", self.pid("postgres")?));
        let server = fs::read_link(process.join("exe"))?;
        let programs = server.parent().context("the server lies nowhere")?;
        let mut command = Command::new(programs.join(name));
        command.stdin(Stdio::null());
        // The server's library path, when it was unpacked instead of installed.
        let environment = String::from_utf8(fs::read(process.join("environ"))?)?;
        let libraries = environment.split('\0').find_map(|it| it.strip_prefix("LD_LIBRARY_PATH="));
        if let Some(libraries) = libraries {
            command.env("LD_LIBRARY_PATH", libraries);
        }
        Ok(command)
    }
}

/// Runs a program to its end.
///
/// When it fails; the error has its output.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let done = command.output()?;
    if !done.status.success() {
        bail!("{:?}: {}", command.get_program(), String::from_utf8_lossy(&done.stderr));
    }
    Ok(())
}
