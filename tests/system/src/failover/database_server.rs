//! A PostgreSQL server of a drill: made from the cluster that a practice has left, or as a standby
//! of another, and killed, promoted, rewound.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};
use testkit::until_within;

use crate::backup::run;
use crate::launch::{Launch, Process};
use crate::practice::free_port;

/// How long a start, a stop, a promotion or a catch-up may take.
const PATIENCE: Duration = Duration::from_secs(90);

/// A server with its folder; it is killed when this value is dropped.
pub(crate) struct DatabaseServer {
    /// Its name, which is that of its replication slot, too.
    pub(crate) name: &'static str,
    /// Where it listens.
    pub(crate) port: u16,
    launch: Launch,
    folder: PathBuf,
    log: PathBuf,
    password: String,
    settings: Vec<String>,
    process: Option<Process>,
}

impl DatabaseServer {
    /// The server of a stopped practice's cluster, at a port of its own; it isn't started yet.
    ///
    /// # Errors
    /// When `launch` names no folder, or no port is free.
    pub(crate) fn of(launch: &Launch, password: &str, logs: &Path) -> Result<Self> {
        let mut words = launch.arguments().iter();
        let folder = words.find(|word| *word == "-D").and_then(|_| words.next());
        Ok(Self {
            name: "first",
            port: free_port()?,
            launch: launch.clone(),
            folder: PathBuf::from(folder.context("the server has no folder")?),
            log: logs.join("postgres-first.log"),
            password: password.to_owned(),
            settings: Vec::new(),
            process: None,
        })
    }

    /// A server of its own with a copy of the stopped server's cluster.
    pub(crate) fn copy(&self, name: &'static str) -> Result<Self> {
        let folder = self.folder.with_file_name(format!("postgres-{name}"));
        run(Command::new("cp").arg("-a").arg(&self.folder).arg(&folder))?;
        Ok(self.sibling(name, folder, free_port()?))
    }

    /// Another server with the same user, programs and password.
    fn sibling(&self, name: &'static str, folder: PathBuf, port: u16) -> Self {
        Self {
            name,
            port,
            launch: self.launch.clone(),
            log: self.log.with_file_name(format!("postgres-{name}.log")),
            folder,
            password: self.password.clone(),
            settings: Vec::new(),
            process: None,
        }
    }

    /// Its folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The log of what it says.
    pub(crate) fn log(&self) -> &Path {
        &self.log
    }

    /// Gives it a setting for its next start, as `name=value`.
    pub(crate) fn set(&mut self, setting: impl Into<String>) {
        self.settings.push(setting.into());
    }

    /// Starts it, and waits until it answers.
    pub(crate) async fn start(&mut self) -> Result<()> {
        self.spawn()?;
        until_within(PATIENCE, &format!("{} answers", self.name), async || {
            if self.has_ended()? {
                // Processes of a server that was killed hold its memory for a moment more.
                let words = last_lines(&self.log);
                anyhow::ensure!(words.contains("is still in use"), "{} ended: {words}", self.name);
                self.spawn()?;
            }
            Ok(self.connect().await.ok().map(|_connection| ()))
        })
        .await
    }

    /// Starts it without waiting.
    pub(crate) fn spawn(&mut self) -> Result<()> {
        // A promoted standby keeps the log that the old primary needs after it was rewound.
        let mut arguments = vec!["-D".to_owned(), self.folder.to_string_lossy().into_owned()];
        let kept = self
            .launch
            .arguments()
            .iter()
            .filter(|word| word.contains('=') && !word.starts_with("port="));
        let own = ["wal_log_hints=on", "wal_keep_size=1GB"].map(str::to_owned);
        let own = own.into_iter().chain([format!("port={}", self.port)]).collect::<Vec<_>>();
        for setting in kept.chain(&own).chain(&self.settings) {
            arguments.extend(["-c".to_owned(), setting.clone()]);
        }
        let launch = self.launch.clone().with_arguments(arguments);
        self.process = Some(launch.spawn(&self.log)?);
        Ok(())
    }

    /// The URL of a database for the superuser.
    pub(crate) fn url(&self, database: &str) -> String {
        let Self { password, port, .. } = self;
        format!("postgres://postgres:{password}@127.0.0.1:{port}/{database}")
    }

    /// A superuser's connection to the database `postgres`.
    pub(crate) async fn connect(&self) -> Result<PgConnection> {
        Ok(PgConnection::connect(&self.url("postgres")).await?)
    }

    /// Runs a statement as superuser.
    pub(crate) async fn execute(&self, sql: &str) -> Result<()> {
        self.connect().await?.execute(AssertSqlSafe(sql.to_owned())).await?;
        Ok(())
    }

    /// The only value that a query of the superuser gives.
    pub(crate) async fn number(&self, sql: &str) -> Result<i64> {
        let mut connection = self.connect().await?;
        let sql = AssertSqlSafe(sql.to_owned());
        Ok(sqlx::query_scalar(sql).fetch_one(&mut connection).await?)
    }

    /// Makes a standby of it from a base backup. It isn't started yet, and it will ask for the
    /// log at the port `via`.
    pub(crate) async fn standby(&self, name: &'static str, via: u16) -> Result<Self> {
        self.make_slot(name).await?;
        let folder = self.folder.with_file_name(format!("postgres-{name}"));
        self.own(&folder)?;
        let mut backup = self.program("pg_basebackup");
        backup.args([
            "-h",
            "127.0.0.1",
            "-U",
            "postgres",
            "-X",
            "stream",
            "-c",
            "fast",
            "-S",
            name,
        ]);
        backup.arg("-p").arg(self.port.to_string()).arg("-D").arg(&folder);
        run(&mut backup)?;
        let mut standby = self.sibling(name, folder, free_port()?);
        standby.follow(via)?;
        Ok(standby)
    }

    /// Makes a replication slot, so that the log is kept until this standby has it.
    pub(crate) async fn make_slot(&self, name: &str) -> Result<()> {
        let known = format!("from pg_replication_slots where slot_name = '{name}'");
        self.execute(&format!("select pg_drop_replication_slot(slot_name) {known}")).await?;
        self.execute(&format!("select pg_create_physical_replication_slot('{name}', true)")).await
    }

    /// From its next start on it is a standby of the server behind the port `via`.
    ///
    /// # Errors
    /// When its folder cannot be written.
    pub(crate) fn follow(&mut self, via: u16) -> Result<()> {
        let signal = self.folder.join("standby.signal");
        fs::write(&signal, "")?;
        self.give(&signal)?;
        let (name, password) = (self.name, &self.password);
        let source = format!(
            "primary_conninfo=host=127.0.0.1 port={via} user=postgres password={password} \
             application_name={name}"
        );
        self.settings.retain(|setting| !setting.starts_with("primary_"));
        self.settings.extend([source, format!("primary_slot_name={name}")]);
        Ok(())
    }

    /// Waits until this standby streams as `async`, or as `quorum`, for which commits wait.
    ///
    /// # Errors
    /// When it does not come.
    pub(crate) async fn until_followed(&self, name: &str, state: &str) -> Result<()> {
        let sql = format!(
            "select count(*) from pg_stat_replication where application_name = '{name}'
             and state = 'streaming' and sync_state = '{state}'"
        );
        until_within(PATIENCE, &format!("{name} follows"), async || {
            Ok((self.number(&sql).await? == 1).then_some(()))
        })
        .await
    }

    /// Commits are acknowledged from now on when one standby has them on its disk, too; without
    /// any they wait.
    pub(crate) async fn wait_for_standbys(&self, is_on: bool) -> Result<()> {
        let names = if is_on { "ANY 1 (*)" } else { "" };
        self.execute(&format!("alter system set synchronous_standby_names = '{names}'")).await?;
        self.execute("select pg_reload_conf()").await
    }

    /// Makes a standby the primary.
    ///
    /// # Errors
    /// When it is not promoted.
    pub(crate) async fn promote(&self) -> Result<()> {
        self.execute("select pg_promote(true, 60)").await
    }

    /// Kills it with all of its processes, as when its machine fails.
    pub(crate) fn kill(&mut self) -> Result<()> {
        self.process.take().context("the server does not run")?.kill()
    }

    /// Whether it has ended by itself.
    ///
    /// # Errors
    /// When the system does not say.
    pub(crate) fn has_ended(&mut self) -> Result<bool> {
        let ended = self.process.as_mut().map(Process::ended).transpose()?;
        Ok(ended.flatten().is_some())
    }

    /// Stops it in order: connections are closed, and a standby has everything.
    pub(crate) async fn stop(&mut self) -> Result<()> {
        let mut process = self.process.take().context("the server does not run")?;
        process.signal("INT")?;
        process.wait(PATIENCE).await.map(drop)
    }

    /// Makes the stopped server a copy of another one again, from where they parted.
    ///
    /// # Errors
    /// When `pg_rewind` fails.
    pub(crate) async fn rewind(&self, source: &Self) -> Result<()> {
        // The other one has a new timeline, which only its next checkpoint writes down.
        source.execute("checkpoint").await?;
        let mut rewind = self.program("pg_rewind");
        rewind.arg("-D").arg(&self.folder).arg("--source-server").arg(source.url("postgres"));
        run(&mut rewind)
    }

    fn program(&self, name: &str) -> Command {
        let mut command = self.launch.beside(name);
        command.env("PGPASSWORD", &self.password);
        command
    }

    /// Makes a folder that only the server's user may enter.
    fn own(&self, folder: &Path) -> Result<()> {
        fs::create_dir_all(folder)?;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
        self.give(folder)
    }

    fn give(&self, path: &Path) -> Result<()> {
        let (user, group) = self.launch.user();
        chown(path, Some(user), Some(group)).with_context(|| format!("{}", path.display()))
    }
}

/// The end of a log.
pub(crate) fn last_lines(log: &Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines.get(lines.len().saturating_sub(12)..).unwrap_or_default().join("\n")
}
