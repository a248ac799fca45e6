//! A practice that an earlier release has left behind, restored into databases of one test, judged
//! as of the moment when it was left, and its provider played by the sandbox.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail, ensure};
use checker::{ProviderReader, Report, check_practice, stores};
use kernel::Timestamp;
use payments::providers::razorpay::{Razorpay, Settings as Account};
use sandbox::Sandbox;
use secrecy::SecretString;
use sqlx::migrate::Migrator;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};
use tokio::task::JoinHandle;

const ALL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/system/kept");

/// The services with databases, with their migrations.
fn services() -> [(&'static str, &'static Migrator); 5] {
    [
        ("booking", &booking::MIGRATIONS),
        ("payments", &payments::MIGRATIONS),
        ("notifications", &notifications::MIGRATIONS),
        ("identity", &identity::MIGRATIONS),
        ("reviews", &reviews::MIGRATIONS),
    ]
}

/// The folders of all kept practices.
pub(crate) fn all() -> Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(ALL)? {
        let path = entry?.path();
        if path.is_dir() {
            folders.push(path);
        }
    }
    ensure!(!folders.is_empty(), "no practice was kept");
    folders.sort();
    Ok(folders)
}

/// A restored practice. Its databases are dropped with this value.
pub(crate) struct Practice {
    admin_url: String,
    run: String,
    databases: Vec<String>,
    folder: PathBuf,
    left_at: Timestamp,
    /// The bookings and payments that its release's faults happened to.
    faults: Vec<String>,
    provider: Option<JoinHandle<Result<()>>>,
}

impl Practice {
    /// Restores a kept practice and brings it up to date.
    pub(crate) async fn restore(kept: &Path) -> Result<Self> {
        let run = eventstore::new_uuid().simple().to_string();
        let folder = std::env::temp_dir().join(format!("checker-{run}"));
        std::fs::create_dir_all(&folder)?;
        let note = std::fs::read(kept.join("practice.json"))?;
        let note: serde_json::Value = serde_json::from_slice(&note)?;
        let left_at = note.get("taken_at").and_then(|it| it.as_str()).context("no moment")?;
        let mut practice = Self {
            admin_url: admin_url()?,
            run,
            databases: Vec::new(),
            folder,
            left_at: Timestamp::from_jiff(left_at.parse()?),
            faults: faults(&note),
            provider: None,
        };
        let restore = pg_restore(&practice.admin_url).await?;
        for (service, migrations) in services() {
            let url = practice.create(service, None).await?;
            let dump = kept.join(format!("{service}.dump"));
            run_to_end(restore.command().args(["--no-owner", "--no-acl", "-d", &url]).arg(dump))?;
            eventstore::migrate(&url, "postgres", migrations).await?;
            // It was left just after its clock was moved on, with something due and not done.
            let sql = format!(
                "update clock set offset_by = interval '0';
                 update timers set due_at = greatest(due_at, '{left_at}')"
            );
            practice.execute(service, &sql).await?;
        }
        let book = kept.join("sandbox/book.jsonl.gz");
        std::fs::copy(book, practice.folder.join("book.jsonl.gz"))?;
        run_to_end(Command::new("gzip").arg("-d").arg(practice.folder.join("book.jsonl.gz")))?;
        Ok(practice)
    }

    fn name(&self, service: &str) -> String {
        format!("checked_{service}_{}", self.run)
    }

    fn url(&self, service: &str) -> Result<String> {
        let (server, _) = self.admin_url.rsplit_once('/').context("no database in the URL")?;
        Ok(format!("{server}/{}", self.name(service)))
    }

    async fn create(&mut self, service: &str, template: Option<&str>) -> Result<String> {
        let name = self.name(service);
        let template = template.map(|it| format!(" template {it}")).unwrap_or_default();
        let mut admin = PgConnection::connect(&self.admin_url).await?;
        admin.execute(AssertSqlSafe(format!("create database {name}{template}"))).await?;
        self.databases.push(name);
        self.url(service)
    }

    /// A copy of this practice, to be spoilt.
    pub(crate) async fn copy(&self) -> Result<Self> {
        let run = eventstore::new_uuid().simple().to_string();
        let folder = std::env::temp_dir().join(format!("checker-{run}"));
        std::fs::create_dir_all(&folder)?;
        std::fs::copy(self.folder.join("book.jsonl"), folder.join("book.jsonl"))?;
        let admin_url = self.admin_url.clone();
        let databases = Vec::new();
        let (left_at, faults) = (self.left_at, self.faults.clone());
        let mut copy = Self { admin_url, run, databases, folder, left_at, faults, provider: None };
        for (service, _) in services() {
            copy.create(service, Some(&self.name(service))).await?;
        }
        Ok(copy)
    }

    /// Runs statements in a service's database as a superuser, whom no trigger stops.
    pub(crate) async fn execute(&self, service: &str, sql: &str) -> Result<()> {
        let mut superuser = PgConnection::connect(&self.url(service)?).await?;
        superuser.execute("set session_replication_role = replica").await?;
        superuser.execute(AssertSqlSafe(sql.to_owned())).await?;
        superuser.close().await?;
        Ok(())
    }

    /// What a report says beside the faults of the practice's release, and beside disputes, which
    /// the first start of this release counts.
    pub(crate) async fn unexplained(&self, report: &Report) -> Result<Vec<String>> {
        let mut payments = PgConnection::connect(&self.url("payments")?).await?;
        let sql = "select payment_id from disputes
                   union select 'bkg_' || replace(booking_id::text, '-', '') from disputes";
        let disputed: Vec<String> = sqlx::query_scalar(sql).fetch_all(&mut payments).await?;
        let said = report.to_string();
        let broken = said.lines().filter_map(|line| line.strip_prefix("  "));
        let is_known = |line: &&str| {
            self.faults.iter().chain(&disputed).any(|known| line.contains(known.as_str()))
        };
        Ok(broken.filter(|line| !is_known(line)).map(str::to_owned).collect())
    }

    /// Checks it with what is stored alone.
    pub(crate) async fn check(&self) -> Result<Report> {
        self.check_with(None).await
    }

    /// Checks it with the provider's book too, as the sandbox has it.
    pub(crate) async fn check_with_provider(&mut self) -> Result<Report> {
        runtime::http::install_crypto();
        let mut settings = sandbox::Settings::for_tests(&self.folder, None);
        settings.timing = sandbox::Timing::default();
        let sandbox = Sandbox::bind(settings.clone()).await?;
        let account = Account {
            url: format!("{}/v1", sandbox.url()),
            key_id: settings.account.key_id.clone(),
            key_secret: settings.account.key_secret.clone().into(),
            webhook_secret: String::new().into(),
            webhook_secret_previous: None,
            link_return_url: None,
            account_id: None,
        };
        self.provider = Some(tokio::spawn(sandbox.serve()));
        self.check_with(Some(ProviderReader::new(Arc::new(Razorpay::new(account)?)))).await
    }

    async fn check_with(&self, provider: Option<ProviderReader>) -> Result<Report> {
        let url = |service: &str| Ok::<_, anyhow::Error>(SecretString::from(self.url(service)?));
        let settings = stores::Settings {
            booking: url("booking")?,
            payments: url("payments")?,
            notifications: url("notifications")?,
            identity: Some(url("identity")?),
            reviews: url("reviews")?,
            as_of: Some(self.left_at),
            reminder_hours: Some(24),
        };
        let mut stores = stores::Stores::open(&settings).await?;
        check_practice(&mut stores, provider, 35).await
    }
}

impl Drop for Practice {
    fn drop(&mut self) {
        if let Some(provider) = &self.provider {
            provider.abort();
        }
        drop(std::fs::remove_dir_all(&self.folder));
        let (admin_url, databases) = (self.admin_url.clone(), self.databases.clone());
        // A thread of its own, because the test's runtime may be ending.
        let dropping = std::thread::spawn(move || -> Result<()> {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(async {
                let mut admin = PgConnection::connect(&admin_url).await?;
                for name in databases {
                    let sql = format!("drop database if exists {name} with (force)");
                    admin.execute(AssertSqlSafe(sql)).await?;
                }
                Ok(())
            })
        });
        drop(dropping.join());
    }
}

fn faults(note: &serde_json::Value) -> Vec<String> {
    let faults = note.get("faults").and_then(|it| it.as_array()).into_iter().flatten();
    let named = faults.flat_map(|fault| [fault.get("booking"), fault.get("payment")]);
    named.flatten().filter_map(|it| it.as_str().map(str::to_owned)).collect()
}

#[expect(clippy::disallowed_methods, reason = "where the tests' PostgreSQL is, is a setting")]
fn admin_url() -> Result<String> {
    std::env::var("SUKOON_TEST_POSTGRES_URL").context(
        "SUKOON_TEST_POSTGRES_URL is not set: start the tests by `make test`, which starts \
         PostgreSQL",
    )
}

/// `pg_restore` in the version that the server has.
struct PgRestore {
    program: PathBuf,
    libraries: Option<String>,
}

async fn pg_restore(admin_url: &str) -> Result<PgRestore> {
    let mut admin = PgConnection::connect(admin_url).await?;
    let programs = sqlx::query_scalar("select setting from pg_config where name = 'BINDIR'");
    let programs: String = programs.fetch_one(&mut admin).await?;
    let pid: i32 = sqlx::query_scalar("select pg_backend_pid()").fetch_one(&mut admin).await?;
    // The server's library path, when it was unpacked instead of installed.
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let environment = String::from_utf8_lossy(&environment);
    let libraries = environment.split('\0').find_map(|it| it.strip_prefix("LD_LIBRARY_PATH="));
    Ok(PgRestore {
        program: Path::new(&programs).join("pg_restore"),
        libraries: libraries.map(str::to_owned),
    })
}

impl PgRestore {
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        if let Some(libraries) = &self.libraries {
            command.env("LD_LIBRARY_PATH", libraries);
        }
        command
    }
}

fn run_to_end(command: &mut Command) -> Result<()> {
    let done = command.output()?;
    if !done.status.success() {
        bail!("{:?}: {}", command.get_program(), String::from_utf8_lossy(&done.stderr));
    }
    Ok(())
}
