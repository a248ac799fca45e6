//! A restore of every database from logical backups, as after a lost disk: the databases are new,
//! with other transaction numbers, and know what they knew.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};

use crate::practice::{Practice, STORES};

/// Dumps all databases at a moment in which nothing happens, drops them and restores them. The
/// services stand still meanwhile, and find their connections gone when they wake up.
pub(super) async fn from_backup(practice: &Practice) -> Result<()> {
    practice.quiet().await?;
    for service in STORES {
        practice.signal(service, "STOP")?;
    }
    let restored = restore(practice).await;
    for service in STORES {
        practice.signal(service, "CONT")?;
    }
    restored?;
    practice.healthy().await
}

async fn restore(practice: &Practice) -> Result<()> {
    let record = practice.record()?;
    let admin = record["postgres_admin_url"].as_str().context("no superuser")?;
    let process = PathBuf::from(format!("/proc/{}", practice.pid("postgres")?));
    let server = std::fs::read_link(process.join("exe"))?;
    let programs = server.parent().context("the server lies nowhere")?;
    let libraries = libraries(&process)?;
    let tool = |name: &str| {
        let mut command = Command::new(programs.join(name));
        command.stdin(Stdio::null());
        if let Some(libraries) = &libraries {
            command.env("LD_LIBRARY_PATH", libraries);
        }
        command
    };
    for service in STORES {
        let url = record["databases"][service]["admin_url"].as_str().context("no database")?;
        let file = practice.data().join(format!("{service}.dump"));
        ran(tool("pg_dump").args(["-Fc", "-d", url, "-f"]).arg(&file))?;
    }
    let mut superuser = PgConnection::connect(admin).await?;
    for service in STORES {
        let file = practice.data().join(format!("{service}.dump"));
        let drop = format!("drop database {service} with (force)");
        superuser.execute(AssertSqlSafe(drop)).await?;
        ran(tool("pg_restore").args(["--create", "-d", admin]).arg(&file))?;
    }
    Ok(())
}

/// Where the server finds its libraries, when it was unpacked instead of installed.
fn libraries(process: &Path) -> Result<Option<String>> {
    let environment = String::from_utf8(std::fs::read(process.join("environ"))?)?;
    let own = environment.split('\0').find_map(|it| it.strip_prefix("LD_LIBRARY_PATH="));
    Ok(own.map(str::to_owned))
}

fn ran(command: &mut Command) -> Result<()> {
    let done = command.output()?;
    if !done.status.success() {
        bail!("{:?}: {}", command.get_program(), String::from_utf8_lossy(&done.stderr));
    }
    Ok(())
}
