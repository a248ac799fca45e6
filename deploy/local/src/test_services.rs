//! One PostgreSQL and one NATS for all tests of this machine. The first test run starts them, and
//! the last one stops them. Their data is disposable.
use crate::caldav;
use anyhow::{Context, Result, bail};
use machine::account;
use machine::nats::{self, Broker, TESTS_FILE_STORE};
use machine::output;
use machine::paths::{self, Paths};
use machine::ports::Reservations;
use machine::postgres::{Cluster, Durability, SUPERUSER};
use machine::process::{Identity, last_lines, open_log};
use machine::secrets;
use machine::tools::{InstalledTools, Tool};
use rustix::process::Signal;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

const READY_SECONDS: u64 = 60;

/// The URLs for tests; the other fields are needed to stop the servers.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Running {
    postgres_admin_url: String,
    nats_url: String,
    postgres: Identity,
    nats: Identity,
    /// Whether the servers keep running after the last test run, on request.
    keep: bool,
}

/// The folder of the shared servers, with two locks: `lock` for the process that starts or stops
/// them, and `holders`, a shared lock of all processes that use them.
struct TestServers {
    folder: PathBuf,
}

impl TestServers {
    fn open(paths: &Paths) -> Result<Self> {
        let folder = paths.test_data.clone();
        paths::create_traversable(&folder)?;
        Ok(Self { folder })
    }

    fn lock(&self) -> Result<File> {
        let file = File::create(self.folder.join("lock")).context("no lock can be made")?;
        file.lock().context("the test servers' lock cannot be taken")?;
        Ok(file)
    }

    fn holders(&self) -> Result<File> {
        File::create(self.folder.join("holders")).context("no list of holders can be made")
    }

    fn record(&self) -> PathBuf {
        self.folder.join("services.json")
    }

    fn recorded(&self) -> Option<Running> {
        serde_json::from_slice(&fs::read(self.record()).ok()?).ok()
    }

    fn write(&self, running: &Running) -> Result<()> {
        secrets::write_private(&self.record(), &serde_json::to_vec_pretty(running)?)
    }

    /// Returns the running servers, or starts new ones on empty folders.
    async fn ensure(&self, found: &InstalledTools) -> Result<Running> {
        if let Some(running) = self.recorded() {
            if running.postgres.is_alive() && running.nats.is_alive() {
                return Ok(running);
            }
            stop(&running).await;
        }
        self.remove_data()?;
        let missing = "PostgreSQL or nats-server is missing; run `sukoon prepare` first";
        let postgres = found.postgres.clone().context(missing)?;
        let nats = found.nats.clone().context(missing)?;
        let running = self.start(postgres, nats).await?;
        self.write(&running)?;
        Ok(running)
    }

    /// Deletes the servers' data, which may be in memory. Their logs stay until the next start.
    fn remove_data(&self) -> Result<()> {
        for name in ["postgres", "nats"] {
            let folder = self.folder.join(name);
            if folder.exists() {
                fs::remove_dir_all(&folder).context("old test data cannot be removed")?;
            }
        }
        Ok(())
    }

    /// Stops the servers and deletes everything of them but their logs.
    async fn end(&self, running: &Running) -> Result<()> {
        stop(running).await;
        self.remove_data()?;
        fs::remove_file(self.record()).context("the record of the servers cannot be removed")
    }

    async fn start(&self, postgres: Tool, nats: Tool) -> Result<Running> {
        let mut reservations = Reservations::default();
        let cluster = Cluster {
            tool: postgres,
            user: account::database_user()?,
            folder: self.folder.join("postgres"),
            port: reservations.choose()?,
            password: secrets::random_secret(),
            durability: Durability::Disposable,
            certificates: None,
        };
        paths::check_access(&self.folder, cluster.user.as_ref())?;
        cluster.create()?;
        let broker = Broker {
            tool: nats,
            folder: self.folder.join("nats"),
            port: reservations.choose()?,
            users: nats::test_users(),
            open: true,
            certificates: None,
            file_store: TESTS_FILE_STORE,
        };
        broker.configure()?;
        let (program, arguments) = cluster.server();
        let mut command =
            detached_command(&program, &arguments, &self.folder.join("postgres.log"))?;
        if let Some(libraries) = &cluster.tool.libraries {
            command.env("LD_LIBRARY_PATH", libraries);
        }
        if let Some(user) = &cluster.user {
            command.uid(user.uid).gid(user.gid);
        }
        let postgres = spawn(&mut command, "PostgreSQL")?;
        let (program, arguments) = broker.server();
        let mut command = detached_command(&program, &arguments, &self.folder.join("nats.log"))?;
        let nats = spawn(&mut command, "nats-server")?;
        let running = Running {
            postgres_admin_url: cluster.url(SUPERUSER, &cluster.password, "postgres"),
            nats_url: broker.address(),
            postgres,
            nats,
            keep: false,
        };
        let limit = Duration::from_secs(READY_SECONDS);
        let ready = async {
            cluster.wait_until_ready(limit).await.context("the tests' PostgreSQL is not ready")?;
            broker.wait_until_ready(limit).await.context("the tests' nats-server is not ready")
        };
        if let Err(error) = ready.await {
            stop(&running).await;
            let said = last_lines(&self.folder.join("postgres.log"), 10);
            return Err(error.context(said));
        }
        Ok(running)
    }
}

/// A command that outlives this process: with its own process group, without a terminal, with a
/// log.
fn detached_command(program: &Path, arguments: &[String], log: &Path) -> Result<Command> {
    let output = open_log(log)?;
    let errors = output.try_clone().context("the log cannot be shared")?;
    let mut command = Command::new(program);
    command.args(arguments).current_dir("/").process_group(0);
    command.stdin(Stdio::null()).stdout(output).stderr(errors);
    Ok(command)
}

fn spawn(command: &mut Command, name: &str) -> Result<Identity> {
    let child = command.spawn().with_context(|| format!("{name} cannot be started"))?;
    Identity::of(child.id()).with_context(|| format!("{name} ended at once"))
}

async fn stop(running: &Running) {
    // An immediate shutdown: these databases need not be written to disk.
    running.postgres.stop(Signal::QUIT, Duration::from_secs(10)).await;
    running.nats.stop(Signal::TERM, Duration::from_secs(5)).await;
}

/// Starts the servers if they do not run, keeps them running, and prints their URLs.
pub(crate) async fn start_and_keep(paths: &Paths, found: &InstalledTools) -> Result<ExitCode> {
    let servers = TestServers::open(paths)?;
    let _guard = servers.lock()?;
    let running = Running { keep: true, ..servers.ensure(found).await? };
    servers.write(&running)?;
    let shown = serde_json::json!({
        "postgres_admin_url": running.postgres_admin_url,
        "nats_url": running.nats_url,
    });
    output::line(shown);
    Ok(ExitCode::SUCCESS)
}

/// Stops servers that were kept running. While tests use them, the last test run stops them.
pub(crate) async fn stop_kept(paths: &Paths) -> Result<ExitCode> {
    let servers = TestServers::open(paths)?;
    let _guard = servers.lock()?;
    let Some(running) = servers.recorded() else {
        return Ok(ExitCode::SUCCESS);
    };
    if servers.holders()?.try_lock().is_err() {
        servers.write(&Running { keep: false, ..running })?;
        output::line("Tests are using these servers; they stop when the tests are done.");
        return Ok(ExitCode::SUCCESS);
    }
    servers.end(&running).await?;
    Ok(ExitCode::SUCCESS)
}

/// Runs a command with the servers' URLs in its environment and returns its exit code.
pub(crate) async fn run_with(
    paths: &Paths,
    found: &InstalledTools,
    words: &[String],
) -> Result<ExitCode> {
    let Some((program, arguments)) = words.split_first() else {
        bail!("name a command after --, for example: sukoon test-services -- cargo test");
    };
    let servers = TestServers::open(paths)?;
    let holders = servers.holders()?;
    let guard = servers.lock()?;
    let running = servers.ensure(found).await?;
    holders.try_lock_shared().context("the test servers are being stopped; try again")?;
    drop(guard);
    let mut command = tokio::process::Command::new(program);
    command.args(arguments);
    command.env("SUKOON_TEST_POSTGRES_URL", &running.postgres_admin_url);
    command.env("SUKOON_TEST_NATS_URL", &running.nats_url);
    if let Some(radicale) = caldav::find(paths) {
        command.env("SUKOON_TEST_RADICALE", radicale);
    }
    if let Some(browser) = &found.browser {
        command.env("CHROME_PATH", &browser.path);
    }
    let ended = wait_through_signals(command).await;
    drop(holders);
    let _guard = servers.lock()?;
    let last = servers.holders()?.try_lock().is_ok();
    let kept = servers.recorded().is_none_or(|now| now.keep);
    if last && !kept {
        servers.end(&running).await?;
    }
    let status = ended?;
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    Ok(ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)))
}

/// Ctrl-C reaches the command directly. This process has to survive it to stop the servers.
async fn wait_through_signals(
    mut command: tokio::process::Command,
) -> Result<std::process::ExitStatus> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt()).context("no signals can be caught")?;
    let mut terminate = signal(SignalKind::terminate()).context("no signals can be caught")?;
    let mut child = command.spawn().context("the command cannot be started")?;
    loop {
        tokio::select! {
            ended = child.wait() => return ended.context("the command's end was missed"),
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {
                if let Some(pid) = child.id() {
                    machine::process::send_signal(pid, Signal::TERM);
                }
            }
        }
    }
}
