//! A practice that is installed as on a server of its own, below a folder: its cluster runs, its
//! services do not. Backups, restores and moves are tried on it.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::kept::KeptPractice;
use crate::practice::program;

const ANSWERS: &str = r#"
domain = "book.example.org"
operator = "operator@example.org"
[owner]
email = "asha@example.org"
first_name = "Asha"
[mail]
url = "smtps://user:word@smtp.example.org"
sender = "Asha Rao <hello@example.org>"
[payments]
key_id = "rzp_test_1"
key_secret = "secret"
webhook_secret = "0123456789abcdef0123456789abcdef"
[meetings]
url = "https://meet.example.org"
token = "token"
"#;
const WITHOUT: &str = "memory,disk,ports,dns,mail,payments";
const SERVICES: [&str; 5] = ["booking", "payments", "notifications", "identity", "reviews"];

/// An installed practice below a folder, where only its cluster runs.
#[derive(Debug)]
pub struct InstalledPractice {
    /// The folder.
    pub root: PathBuf,
    path: String,
}

impl InstalledPractice {
    /// Sets an empty practice up.
    pub fn init() -> Result<Self> {
        let name = format!("sukoon-installed-{}", eventstore::new_uuid().simple());
        let root = std::env::temp_dir().join(name);
        fs::create_dir_all(root.join("run"))?;
        fs::set_permissions(&root, fs::Permissions::from_mode(0o755))?;
        let answers = root.join("answers.toml");
        fs::write(&answers, ANSWERS)?;
        let installed = Self { root, path: tools()? };
        let answers = answers.to_str().context("no path")?.to_owned();
        installed.sukoon(&["init", &answers, "--without", WITHOUT])?;
        installed.bring_practice()?;
        Ok(installed)
    }

    /// The practice's own files, as the package brings them: a copy, as a restore writes there.
    fn bring_practice(&self) -> Result<()> {
        let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/local/practice");
        let own = self.root.join("etc/sukoon/practice");
        if !own.exists() {
            let mut copy = Command::new("cp");
            copy.args(["-R".as_ref(), shipped.as_os_str(), own.as_os_str()]);
            succeeded(&copy.output()?)?;
        }
        Ok(())
    }

    /// A command of `sukoon`.
    ///
    /// # Errors
    /// When the program is not built.
    pub fn command(&self, words: &[&str]) -> Result<Command> {
        let mut command = Command::new(program("sukoon")?);
        command.args(words).env("SUKOON_ROOT", &self.root).env("PATH", &self.path);
        command.stdin(Stdio::null());
        Ok(command)
    }

    /// Runs a command of `sukoon` that has to end well.
    pub fn sukoon(&self, words: &[&str]) -> Result<String> {
        succeeded(&self.command(words)?.output()?).with_context(|| format!("sukoon {words:?}"))
    }

    /// Ends the cluster at once, as a power cut would.
    pub fn stop(&self) -> Result<()> {
        let data = self.root.join("var/lib/sukoon/postgres");
        let owner = fs::metadata(&data)?.uid();
        let mut stop = Command::new("setpriv");
        stop.args([format!("--reuid={owner}"), "--clear-groups".to_owned()]);
        stop.arg(postgres_programs()?.join("pg_ctl")).current_dir("/");
        stop.args(["stop", "-s", "-m", "immediate", "-D"]).arg(&data);
        succeeded(&stop.output()?).map(drop)
    }

    fn socket(&self) -> PathBuf {
        self.root.join("run/sukoon-postgres")
    }

    /// One of PostgreSQL's programs as the cluster's superuser.
    fn postgres(&self, name: &str) -> Result<Command> {
        let data = self.root.join("var/lib/sukoon/postgres");
        let mut command = Command::new("setpriv");
        let owner = fs::metadata(&data)?.uid();
        command.args([format!("--reuid={owner}"), "--clear-groups".to_owned()]);
        command.arg(postgres_programs()?.join(name)).current_dir("/");
        command.arg("--username=postgres").arg("--port=7432");
        command.arg(format!("--host={}", self.socket().display()));
        Ok(command)
    }

    /// Asks the superuser's question; the answer's rows are lines.
    pub fn sql(&self, database: &str, sql: &str) -> Result<String> {
        let mut command = self.postgres("psql")?;
        command.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", database, "-c", sql]);
        Ok(succeeded(&command.output()?)?.trim().to_owned())
    }

    /// Puts what a release has left behind into the databases, and brings it up to date.
    pub fn fill(&self, kept: &KeptPractice) -> Result<()> {
        for service in SERVICES {
            let mut restore = self.postgres("pg_restore")?;
            restore.args(["--clean", "--if-exists", "-d", service]);
            restore.stdin(fs::File::open(kept.folder().join(format!("{service}.dump")))?);
            succeeded(&restore.output()?)?;
            let mut migrate = Command::new(program("services")?);
            migrate.args([service, "migrate"]).env_clear().env("LOG_FILTER", "error");
            migrate.envs(self.settings("migrate")?);
            succeeded(&migrate.output()?)?;
            // `sukoon init` gives it for tables that the owner makes; these came otherwise.
            let reads = "grant select on all tables in schema public to";
            self.sql(service, &format!("{reads} {service}_reader"))?;
        }
        self.set_clocks(kept)?;
        let pictures = self.root.join("var/lib/sukoon/reviews/pictures/reviews");
        fs::create_dir_all(&pictures)?;
        for entry in fs::read_dir(kept.folder().join("pictures/reviews"))? {
            let entry = entry?;
            fs::copy(entry.path(), pictures.join(entry.file_name()))?;
        }
        Ok(())
    }

    /// Puts all clocks on the moment at which the practice was kept.
    pub fn set_clocks(&self, kept: &KeptPractice) -> Result<()> {
        let taken_at = kept.part("taken_at").as_str().context("no moment")?;
        for service in SERVICES {
            // It was left just after its clock was moved on, with something due and not done.
            let clock = format!(
                "update clock set offset_by = timestamptz '{taken_at}' - clock_timestamp();
                 update timers set due_at = greatest(due_at, '{taken_at}')"
            );
            self.sql(service, &clock)?;
        }
        Ok(())
    }

    fn settings(&self, name: &str) -> Result<Vec<(String, String)>> {
        let text = fs::read_to_string(self.root.join(format!("etc/sukoon/env/{name}.env")))?;
        let pairs = text.lines().filter_map(|line| line.split_once('='));
        Ok(pairs.map(|(name, value)| (name.into(), value.trim_matches('\'').into())).collect())
    }

    /// What the last drill has found.
    ///
    /// # Errors
    /// When there was none.
    pub fn drill_result(&self) -> Result<Value> {
        let file = self.root.join("var/lib/sukoon/operations/drill.json");
        Ok(serde_json::from_slice(&fs::read(file)?)?)
    }

    /// The provider is not asked: there is none here.
    ///
    /// # Errors
    /// When its settings cannot be changed.
    pub fn forget_the_provider(&self) -> Result<()> {
        let file = self.root.join("etc/sukoon/env/check.env");
        let text = fs::read_to_string(&file)?;
        let kept = text.lines().filter(|line| !line.starts_with("PAYMENTS_KEY_ID"));
        fs::write(&file, kept.collect::<Vec<_>>().join("\n"))?;
        Ok(())
    }
}

impl Drop for InstalledPractice {
    fn drop(&mut self) {
        drop(self.stop());
        drop(fs::remove_dir_all(&self.root));
    }
}

/// The output of a program that has to end well.
///
/// # Errors
/// When it has not; the error has its output.
pub fn succeeded(done: &Output) -> Result<String> {
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    if !done.status.success() {
        bail!("{}\n{said}\n{}", done.status, String::from_utf8_lossy(&done.stderr));
    }
    Ok(said)
}

fn postgres_programs() -> Result<PathBuf> {
    let found = succeeded(&Command::new(program("sukoon")?).args(["paths", "postgres"]).output()?)?;
    Ok(PathBuf::from(found.trim()))
}

/// PATH with pgBackRest and age, where `sukoon prepare --backups` has put them.
#[expect(clippy::disallowed_methods, reason = "where programs are is not a setting of ours")]
fn tools() -> Result<String> {
    let mut folders = Vec::new();
    for tool in ["pgbackrest", "age"] {
        let found = Command::new(program("sukoon")?).args(["paths", tool]).output()?;
        let found = PathBuf::from(succeeded(&found)?.trim());
        folders.extend(found.parent().map(Path::to_owned));
    }
    let own = std::env::var("PATH").unwrap_or_default();
    folders.extend(std::env::split_paths(&own));
    Ok(std::env::join_paths(folders)?.into_string().unwrap_or_default())
}
