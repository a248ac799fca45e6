//! PostgreSQL's programs and questions to a cluster, by its socket.
use super::user::command_as_owner;
use anyhow::{Context, Result, bail};
use machine::environment::Environment;
use machine::process::output_of;
use machine::tools;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// A cluster that runs, or is about to.
#[derive(Clone, Debug)]
pub(crate) struct Cluster {
    /// The folder of PostgreSQL's programs.
    pub(crate) programs: PathBuf,
    /// Its data.
    pub(crate) data: PathBuf,
    /// The folder of its socket.
    pub(crate) socket: PathBuf,
    /// Its port, which the socket's name has too.
    pub(crate) port: u16,
}

/// The folder of PostgreSQL's programs on this machine.
pub(crate) fn programs(environment: &Environment) -> Result<PathBuf> {
    let found = tools::postgres_of_the_machine(environment);
    found.context("PostgreSQL is not installed; the package `sukoon` brings it")
}

impl Cluster {
    /// Asks one question as the superuser; the answer's rows are lines.
    pub(crate) fn ask(&self, database: &str, sql: &str) -> Result<String> {
        let mut command = command_as_owner(self.programs.join("psql"), &self.data)?;
        command.args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align"]);
        command.args(["--set=ON_ERROR_STOP=1", "--username=postgres"]);
        command.arg(format!("--host={}", self.socket.display()));
        command.arg(format!("--port={}", self.port)).arg(format!("--dbname={database}"));
        command.arg(format!("--command={sql}"));
        Ok(output_of(&mut command)?.trim().to_owned())
    }

    /// Runs a script as the superuser.
    pub(crate) fn run_script(&self, database: &str, script: &str) -> Result<()> {
        self.answer(database, script).map(drop)
    }

    /// The same with what it answers; rows are lines.
    pub(crate) fn answer(&self, database: &str, script: &str) -> Result<String> {
        let mut command = command_as_owner(self.programs.join("psql"), &self.data)?;
        command.args(["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--username=postgres"]);
        command.args(["--tuples-only", "--no-align"]);
        command.arg(format!("--host={}", self.socket.display()));
        command.arg(format!("--port={}", self.port)).arg(format!("--dbname={database}"));
        // A script holds passwords, which the list of processes must not show.
        command.arg("--file=-").stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().context("psql cannot be started")?;
        if let Some(mut input) = child.stdin.take() {
            // If psql has stopped already, its error stream says why.
            drop(input.write_all(script.as_bytes()));
        }
        let done = child.wait_with_output().context("psql did not end")?;
        if !done.status.success() {
            bail!("PostgreSQL refused: {}", String::from_utf8_lossy(&done.stderr).trim());
        }
        Ok(String::from_utf8_lossy(&done.stdout).into_owned())
    }

    /// When the last thing was done that a restored cluster has read from its log; none where there
    /// was nothing to read.
    pub(crate) fn last_change(&self) -> Result<Option<String>> {
        let sql = "select to_char(pg_last_xact_replay_timestamp() at time zone 'UTC',
                                  'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')";
        let moment = self.ask("postgres", sql)?;
        Ok(Some(moment).filter(|moment| !moment.is_empty()))
    }

    /// Waits until it takes writes: a restored cluster reads its log first.
    pub(crate) async fn wait_until_writable(&self, limit: Duration) -> Result<()> {
        self.wait_while(limit, || Ok(())).await
    }

    /// The same, as long as nothing says that it cannot come to that.
    pub(crate) async fn wait_while(
        &self,
        limit: Duration,
        mut still_tries: impl FnMut() -> Result<()>,
    ) -> Result<()> {
        let deadline = Instant::now() + limit;
        loop {
            let answer = self.ask("postgres", "select not pg_is_in_recovery()");
            match answer {
                Ok(answer) if answer == "t" => return Ok(()),
                Ok(_) | Err(_) if Instant::now() < deadline => {
                    still_tries()?;
                    sleep(Duration::from_millis(100)).await;
                }
                Ok(_) => bail!("the cluster still reads its log after {limit:?}"),
                Err(error) => return Err(error.context("the cluster does not answer")),
            }
        }
    }

    /// The address of one of its databases for its superuser, by the socket.
    pub(crate) fn url(&self, database: &str) -> String {
        let socket = percent(&self.socket);
        format!("postgres://postgres@localhost:{}/{database}?host={socket}", self.port)
    }
}

/// A path in a URL's query.
fn percent(path: &Path) -> String {
    let text = path.to_string_lossy();
    let escaped = text.bytes().map(|byte| match byte {
        b'/' | b'-' | b'_' | b'.' => char::from(byte).to_string(),
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    });
    escaped.collect()
}
