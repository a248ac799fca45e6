//! The practice that is measured: started as `make run` starts it, from the release programs, on a
//! data folder of its own that outlives its restarts.

use std::fs::{self, File};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use sqlx::Executor as _;
use system::practice::RAISED_LIMITS;
use system::{Practice, TokenIssuer};
use tokio::time::Instant;

use crate::http_client::{HttpClient, get};
use crate::request_pool::RequestPool;
use crate::timetable;

/// All clients share one machine, so the rate limits are raised.
const UNLIMITED: [(&str, &str); 2] = [
    ("GATEWAY_LIMIT_ADDRESS", "10000000/600000000"),
    ("GATEWAY_LIMIT_ACCOUNT", "1000000/60000000"),
];
/// How long a start may take before something is wrong with it.
const START_MAX: Duration = Duration::from_secs(60);
/// How often it is polled for readiness.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// Which hours the practice keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hours {
    /// Those that it comes with.
    Usual,
    /// A start every five minutes for a year, so that times do not run out under load.
    Dense,
}

/// A practice that runs.
pub(crate) struct RunningSystem {
    hours: Hours,
    since: Instant,
    /// The practice.
    pub(crate) practice: Practice,
    /// The issuer of its customers' tokens.
    pub(crate) issuer: TokenIssuer,
    /// Where its gateway listens.
    pub(crate) gateway: SocketAddr,
    request_pool: Arc<RequestPool>,
}

impl RunningSystem {
    /// How long its processes have been running.
    pub(crate) fn age(&self) -> Duration {
        self.since.elapsed()
    }

    /// The booking requests for the load.
    ///
    /// # Errors
    /// When the practice keeps its usual hours, whose times would soon be gone.
    pub(crate) fn request_pool(&self) -> Result<Arc<RequestPool>> {
        ensure!(self.hours == Hours::Dense, "load wants a practice with dense hours");
        Ok(Arc::clone(&self.request_pool))
    }

    /// Makes sure that `count` booking requests are ready.
    ///
    /// # Errors
    /// When times run out.
    pub(crate) fn prepare(&self, count: usize) -> Result<()> {
        self.request_pool()?.refill(&self.issuer, count)
    }

    /// Where a part of it listens.
    pub(crate) fn address(&self, part: &str, purpose: &str) -> Result<SocketAddr> {
        let record = self.practice.record()?;
        let found = |key: &str| record.get("parts")?.get(part)?.get("ports")?.get(key)?.as_u64();
        let port = found(purpose).with_context(|| format!("{part} does not listen"))?;
        Ok(local(u16::try_from(port)?))
    }
}

/// Where the practice is started and stopped.
pub(crate) struct Environment {
    data: PathBuf,
    dense: PathBuf,
    speaks_tls: bool,
    running: Option<RunningSystem>,
}

impl Environment {
    /// Makes the data folder and the databases, by a first start that isn't measured.
    pub(crate) async fn open() -> Result<Self> {
        let name = format!("sukoon-bench-{}", std::process::id());
        let data = home().join(&name);
        let dense = home().join(format!("{name}-practice"));
        timetable::write(&dense)?;
        let environment = Self { data, dense, speaks_tls: false, running: None };
        let mut first = environment.spawn(Hours::Usual)?;
        first.wait_until_ready().await?;
        // Commit times are read from PostgreSQL itself (`figures/consumers.rs`),
        // which records them from its next start on.
        let mut database = first.database("booking").await?;
        database.execute("alter system set track_commit_timestamp = on").await?;
        drop(database);
        first.stop();
        Ok(environment)
    }

    /// The practice with these hours; it is restarted unless it runs with them.
    pub(crate) async fn at(&mut self, hours: Hours) -> Result<&RunningSystem> {
        if self.running.as_ref().is_none_or(|running| running.hours != hours) {
            self.restart(hours).await?;
        }
        self.running.as_ref().context("nothing runs")
    }

    /// Restarts the practice, and returns the time from the start of `sukoon up` to the
    /// first `/healthz` that says that every part is ready.
    pub(crate) async fn restart(&mut self, hours: Hours) -> Result<Duration> {
        let before = self.running.take().map(|before| {
            before.practice.stop();
            before.request_pool.discard();
            before.request_pool
        });
        let began = Instant::now();
        let mut practice = self.spawn(hours)?;
        let gateway = address_of(&practice.url)?;
        let healthy = tokio::time::timeout(START_MAX, until_healthy(gateway));
        healthy.await.context("the practice does not get ready")?;
        let took = began.elapsed();
        practice.wait_until_ready().await?;
        let issuer = TokenIssuer::of(&practice).await?;
        // Its data stay, and so does which times are taken.
        let request_pool = match before {
            Some(request_pool) => request_pool,
            None => Arc::new(RequestPool::new(&practice).await?),
        };
        self.running =
            Some(RunningSystem { hours, since: began, practice, issuer, gateway, request_pool });
        Ok(took)
    }

    /// Whether the parts speak TLS from the next start on.
    pub(crate) const fn speak_tls(&mut self, is_on: bool) {
        self.speaks_tls = is_on;
    }

    /// The folder of the practice with dense hours.
    pub(crate) fn dense_practice(&self) -> PathBuf {
        self.dense.clone()
    }

    fn spawn(&self, hours: Hours) -> Result<Practice> {
        let log = File::create(self.log())?;
        let dense = self.dense.to_string_lossy();
        let mut settings: Vec<(&str, &str)> = RAISED_LIMITS.into_iter().chain(UNLIMITED).collect();
        if self.speaks_tls {
            settings.push(("SUKOON_TLS", "true"));
        }
        if hours == Hours::Dense {
            settings.push(("PRACTICE_DIR", &dense));
        }
        Practice::spawn_in(self.data.clone(), &settings, Stdio::from(log))
    }
}

impl Environment {
    /// The log of `sukoon`, kept apart from the figures on the terminal.
    fn log(&self) -> PathBuf {
        self.dense.with_extension("log")
    }
}

impl Drop for Environment {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            running.practice.stop();
        }
        // A folder that cannot be removed only takes disk space.
        fs::remove_dir_all(&self.data).ok();
        fs::remove_dir_all(&self.dense).ok();
        fs::remove_file(self.log()).ok();
    }
}

async fn until_healthy(gateway: SocketAddr) {
    let request = get(gateway, "/healthz", "");
    loop {
        if let Ok(mut http) = HttpClient::open(gateway).await
            && http.send(&request).await.is_ok_and(|reply| reply.status == 200)
        {
            return;
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// The socket behind a URL of this machine.
///
/// # Errors
/// When it is none.
pub(crate) fn address_of(url: &str) -> Result<SocketAddr> {
    let address = url.trim_start_matches("http://").trim_end_matches('/');
    address.parse().with_context(|| format!("{url} is no address"))
}

/// Where folders are made for the run. Not where the system keeps what may live in memory: there
/// a commit would wait for no disk.
pub(crate) fn home() -> PathBuf {
    let lasting = PathBuf::from("/var/tmp");
    if lasting.is_dir() { lasting } else { std::env::temp_dir() }
}

/// A port of this machine.
pub(crate) fn local(port: u16) -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], port))
}

/// The program of this name beside our own.
///
/// # Errors
/// When it was not built.
pub(crate) fn program(name: &str) -> Result<PathBuf> {
    let own = std::env::current_exe()?;
    let program = own.parent().map(|folder: &Path| folder.join(name));
    let program = program.filter(|program| program.is_file());
    program.with_context(|| format!("{name} is not built: start by `make bench`"))
}
