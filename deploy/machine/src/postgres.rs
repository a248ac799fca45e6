//! Our own PostgreSQL cluster: created once, reachable only on loopback and with a password.
use crate::account::{self, DatabaseUser};
use crate::certificates::Certificates;
use crate::paths;
use crate::process::{Identity, output_of};
use crate::secrets;
use crate::tools::Tool;
use anyhow::{Context, Result, bail};
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The name of the superuser, the same on every machine.
pub const SUPERUSER: &str = "postgres";

/// The durability of a cluster, which depends on its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// For a practice: committed data survives a crash.
    Durable,
    /// For tests: fast, and lost when the machine stops.
    Disposable,
}

/// One cluster: its programs, its folder, its port, its password.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// PostgreSQL's programs.
    pub tool: Tool,
    /// The user that runs the server when we are root.
    pub user: Option<DatabaseUser>,
    /// The folder that holds the cluster.
    pub folder: PathBuf,
    /// The port on loopback.
    pub port: u16,
    /// The superuser's password.
    pub password: String,
    /// Whether data has to survive a crash.
    pub durability: Durability,
    /// Its certificate; without one it speaks in the clear.
    pub certificates: Option<Certificates>,
}

impl Cluster {
    /// Creates the cluster if it does not exist. An interrupted attempt leaves nothing behind.
    pub fn create(&self) -> Result<()> {
        if self.folder.join("PG_VERSION").is_file() {
            return self.check_version();
        }
        let temporary = self.folder.with_extension("new");
        if temporary.exists() {
            fs::remove_dir_all(&temporary)
                .context("an interrupted start cannot be cleared away")?;
        }
        // Writing it uses the temporary folder's name for a moment, so it comes first.
        let password_file = self.write_password()?;
        paths::create_private(&temporary)?;
        account::change_owner(&temporary, self.user.as_ref())?;
        let mut command = self.program("initdb");
        command.args(["--encoding=UTF8", "--locale=C", "--auth-local=reject"]);
        // The server checks the password against its hash. SCRAM would take a client a second in a
        // debug build, and on loopback the plain password is protected as well.
        // Tests connect thousands of times, and there even the server's check takes too long.
        let disposable = self.durability == Durability::Disposable;
        command.arg(if disposable { "--auth-host=md5" } else { "--auth-host=password" });
        command.arg(format!("--username={SUPERUSER}"));
        command.arg("--pgdata").arg(&temporary).arg("--pwfile").arg(&password_file);
        if disposable {
            command.arg("--no-sync");
        }
        let created = output_of(&mut command).context("the database could not be created");
        fs::remove_file(&password_file).context("the password file cannot be removed")?;
        created?;
        fs::rename(&temporary, &self.folder).context("the new database cannot be put in its place")
    }

    /// Writes the superuser's password into a file for the database user. The folder can be
    /// traversed, but other users cannot read the file at any moment.
    fn write_password(&self) -> Result<PathBuf> {
        let file = self.folder.with_extension("password");
        secrets::write_private(&file, self.password.as_bytes())?;
        account::change_owner(&file, self.user.as_ref())?;
        Ok(file)
    }

    fn check_version(&self) -> Result<()> {
        let created_by = fs::read_to_string(self.folder.join("PG_VERSION")).unwrap_or_default();
        let shown = output_of(self.program("postgres").arg("--version"))?;
        if !shown.contains(&format!(" {}.", created_by.trim())) {
            bail!(
                "the database in {} was made by PostgreSQL {}, but this machine has {}; install \
                 that version or set SUKOON_DATA to another folder",
                self.folder.display(),
                created_by.trim(),
                shown.trim()
            );
        }
        Ok(())
    }

    /// The program and the arguments that run the server in the foreground.
    pub fn server(&self) -> (PathBuf, Vec<String>) {
        let durability_settings: &[&str] = match self.durability {
            Durability::Durable => &["fsync=on", "synchronous_commit=on", "max_connections=300"],
            Durability::Disposable => &[
                "fsync=off",
                "synchronous_commit=off",
                "full_page_writes=off",
                "autovacuum=off",
                "max_connections=500",
            ],
        };
        let port = format!("port={}", self.port);
        let common = [
            "listen_addresses=127.0.0.1",
            port.as_str(),
            // No client uses a socket, and its path may be too long in a deep folder.
            "unix_socket_directories=",
            "shared_buffers=64MB",
            "timezone=UTC",
            "log_timezone=UTC",
        ];
        let mut arguments = vec!["-D".to_owned(), self.folder.to_string_lossy().into_owned()];
        for setting in common.iter().chain(durability_settings) {
            arguments.extend(["-c".to_owned(), (*setting).to_owned()]);
        }
        for (name, value) in log_settings() {
            arguments.extend(["-c".to_owned(), format!("{name}={value}")]);
        }
        if self.certificates.is_some() {
            for setting in ["ssl=on", "ssl_cert_file=server.pem", "ssl_key_file=server.key"] {
                arguments.extend(["-c".to_owned(), setting.to_owned()]);
            }
        }
        (self.tool.path.join("postgres"), arguments)
    }

    fn program(&self, name: &str) -> Command {
        let mut command = self.tool.command(name);
        // The database user may not be able to enter the current folder.
        command.current_dir("/").stdin(Stdio::null());
        if let Some(user) = &self.user {
            command.uid(user.uid).gid(user.gid);
        }
        command
    }

    /// Removes the pid file of a dead server when another process has its pid now: PostgreSQL would
    /// take that process for the server and refuse to start. In all other cases the file is kept,
    /// because PostgreSQL uses it to find orphaned processes.
    pub fn remove_stale_pid_file(&self) -> Result<()> {
        let pid_file = self.folder.join("postmaster.pid");
        let Some(pid) = recorded_pid(&pid_file) else {
            return Ok(());
        };
        if Identity::of(pid).is_none() || serves_folder(pid, &self.folder) {
            return Ok(());
        }
        fs::remove_file(&pid_file)
            .with_context(|| format!("{} cannot be removed", pid_file.display()))
    }

    /// The server that runs on our folder although `run.json` does not record it.
    pub fn unrecorded_server(&self) -> Option<Identity> {
        let pid = recorded_pid(&self.folder.join("postmaster.pid"))?;
        serves_folder(pid, &self.folder).then(|| Identity::of(pid)).flatten()
    }

    /// Runs an SQL script as superuser in a database.
    pub fn run_sql(&self, database: &str, script: &str) -> Result<String> {
        let mut command = self.tool.command("psql");
        command.args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align"]);
        command.args(["--set=ON_ERROR_STOP=1", "--host=127.0.0.1"]);
        command.arg(format!("--port={}", self.port)).arg(format!("--username={SUPERUSER}"));
        command.arg(format!("--dbname={database}")).arg("--file=-");
        command.env("PGPASSWORD", &self.password).env("PGCONNECT_TIMEOUT", "5");
        for name in ["PGOPTIONS", "PGSERVICE", "PGHOSTADDR", "PGSSLMODE"] {
            command.env_remove(name);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().context("psql cannot be started")?;
        if let Some(mut input) = child.stdin.take() {
            // If psql has stopped already, its error stream says why.
            drop(std::io::Write::write_all(&mut input, script.as_bytes()));
        }
        let output = child.wait_with_output().context("psql did not end")?;
        if !output.status.success() {
            bail!("PostgreSQL refused: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    /// Waits until the server answers a query.
    pub async fn wait_until_ready(&self, limit: Duration) -> Result<()> {
        let deadline = Instant::now() + limit;
        loop {
            match self.run_sql("postgres", "select 1") {
                Ok(_) => return Ok(()),
                Err(error) if Instant::now() >= deadline => return Err(error),
                Err(_) => sleep(Duration::from_millis(50)).await,
            }
        }
    }

    /// The URL of a database for a role.
    pub fn url(&self, role: &str, password: &str, database: &str) -> String {
        let address = format!("postgres://{role}:{password}@127.0.0.1:{}/{database}", self.port);
        match &self.certificates {
            Some(certificates) => format!(
                "{address}?sslmode=verify-full&sslrootcert={}",
                certificates.authority_file().display()
            ),
            None => address,
        }
    }

    /// Copies the certificate to where only the user that runs the server reads it.
    pub fn take_certificate(&self) -> Result<()> {
        let Some(certificates) = &self.certificates else { return Ok(()) };
        for ending in ["pem", "key"] {
            let content = fs::read(certificates.file("postgres", ending))
                .context("the certificate of PostgreSQL cannot be read")?;
            let path = self.folder.join(format!("server.{ending}"));
            secrets::write_private(&path, &content)?;
            account::change_owner(&path, self.user.as_ref())?;
        }
        Ok(())
    }
}

/// What keeps personal data out of PostgreSQL's log, in every home: each setting and its value.
pub fn log_settings() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = include_str!("../../postgres/log.conf").lines();
    lines.filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(" = "))
}

fn recorded_pid(pid_file: &Path) -> Option<u32> {
    fs::read_to_string(pid_file).ok()?.lines().next()?.trim().parse().ok()
}

/// Whether a process is a PostgreSQL server on this folder.
fn serves_folder(pid: u32, folder: &Path) -> bool {
    let shown = if cfg!(target_os = "linux") {
        fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default()
    } else {
        let listed = Command::new("ps").args(["-o", "args=", "-p", &pid.to_string()]).output();
        listed.map(|output| output.stdout).unwrap_or_default()
    };
    let text = String::from_utf8_lossy(&shown);
    text.contains("postgres") && text.contains(folder.to_string_lossy().as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_server_of_ones_own_logs_no_values_either() {
        let lines: Vec<_> = include_str!("../../vm/etc/postgresql.conf").lines().collect();
        let wanted: Vec<_> = log_settings().collect();
        assert!(wanted.len() >= 4, "{wanted:?}");
        for (name, value) in wanted {
            assert!(lines.contains(&format!("{name} = {value}").as_str()), "{name}");
        }
    }

    #[test]
    fn the_superusers_password_is_never_in_a_file_that_others_can_open() {
        let folder = std::env::temp_dir().join(format!("sukoon-password-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let cluster = Cluster {
            tool: Tool { path: PathBuf::new(), libraries: None },
            user: None,
            folder: folder.join("postgres"),
            port: 0,
            password: "a quiet word".to_owned(),
            durability: Durability::Disposable,
            certificates: None,
        };
        // A file of an earlier start that all users can read and another user has open.
        let left = folder.join("postgres.password");
        fs::write(&left, "").unwrap();
        let mut held = fs::File::open(&left).unwrap();
        let written = cluster.write_password().unwrap();
        assert_eq!(fs::read_to_string(&written).unwrap(), "a quiet word");
        assert_eq!(fs::metadata(&written).unwrap().permissions().mode() & 0o777, 0o600);
        let mut seen = String::new();
        held.read_to_string(&mut seen).unwrap();
        assert_eq!(seen, "", "a stranger reads the password");
        fs::remove_dir_all(folder).unwrap();
    }
}
