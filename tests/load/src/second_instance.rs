//! A second process of a service beside the practice's, with the same program and settings but a
//! database of its own. It is isolated from publishers and consumers: NATS and the other feeds are
//! unreachable.

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result};
use runtime::health::probe;
use testkit::until_within;
use tokio::time::Instant;

use crate::callers::DirectBooker;
use crate::environment::{RunningSystem, local, program};

/// How long it may take to listen.
const TIMEOUT: Duration = Duration::from_secs(30);
/// How often it is polled for readiness.
const POLL_INTERVAL: Duration = Duration::from_millis(2);
/// An address without a listener.
const UNUSED_ADDRESS: &str = "127.0.0.1:1";

/// A process; it ends with this value.
pub(crate) struct Process {
    child: Child,
    listen: SocketAddr,
}

impl Process {
    /// Starts one of `service` on the database of this name.
    ///
    /// # Errors
    /// When the practice does not run this service, or the program cannot be started.
    pub(crate) fn start(running: &RunningSystem, service: &str, database: &str) -> Result<Self> {
        let environment = environment(running.practice.pid(service)?)?;
        let prefix = service.to_uppercase();
        let name = format!("{prefix}_DATABASE_URL");
        let found = environment.iter().find(|(known, _value)| *known == name);
        let (_name, url) = found.with_context(|| format!("no {name}"))?;
        let (server, _database) = url.rsplit_once('/').context("the URL names no database")?;
        let url = format!("{server}/{database}");
        let [listen, http] = [TcpListener::bind(local(0))?, TcpListener::bind(local(0))?];
        let (listen, http) = (listen.local_addr()?, http.local_addr()?);
        let others = ["BOOKING", "PAYMENTS", "NOTIFICATIONS"].into_iter();
        let away = others.filter(|other| *other != prefix);
        let away = away.map(|other| (format!("{other}_URL"), format!("http://{UNUSED_ADDRESS}")));
        let child = Command::new(program(service)?)
            .env_clear()
            .envs(environment)
            .envs(away)
            .env(format!("{prefix}_LISTEN"), listen.to_string())
            .env(format!("{prefix}_HTTP_LISTEN"), http.to_string())
            .env("METRICS_LISTEN", local(0).to_string())
            .env(name, url)
            .env("NATS_URL", format!("nats://{UNUSED_ADDRESS}"))
            // Unreachable feeds are intended here.
            .env("LOG_FILTER", "error")
            .stdin(Stdio::null())
            .spawn()?;
        Ok(Self { child, listen })
    }

    /// Waits until it says that it is ready.
    ///
    /// # Errors
    /// When that takes too long.
    pub(crate) async fn until_ready(&self) -> Result<()> {
        let url = format!("http://{}", self.listen);
        let began = Instant::now();
        while probe(&url).await.is_err() {
            anyhow::ensure!(began.elapsed() < TIMEOUT, "a process does not get ready");
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        Ok(())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(Command::new("kill").arg("-TERM").arg(self.child.id().to_string()).status());
        drop(self.child.wait());
    }
}

/// A running booking service.
pub(crate) struct SecondInstance {
    _process: Process,
    /// The caller that books there.
    pub(crate) booker: DirectBooker,
}

impl SecondInstance {
    /// Starts one on the database of this name, and lets it serve its first booking.
    ///
    /// # Errors
    /// When it does not get to that.
    pub(crate) async fn start(running: &RunningSystem, database: &str) -> Result<Self> {
        let process = Process::start(running, "booking", database)?;
        let mut second = Self { booker: DirectBooker::new(process.listen)?, _process: process };
        let booking = running.request_pool()?.take()?;
        until_within(TIMEOUT, "the twin books", async || {
            Ok(second.booker.book(&booking).await.ok())
        })
        .await?;
        Ok(second)
    }
}

/// The settings that a process was started with, its secrets as values instead of files.
///
/// # Errors
/// When the process has ended.
pub(crate) fn environment(pid: u64) -> Result<Vec<(String, String)>> {
    let bytes = fs::read(format!("/proc/{pid}/environ"))?;
    let text = String::from_utf8(bytes)?;
    let pairs = text.split('\0').filter_map(|pair| pair.split_once('='));
    let value = |(name, value): (&str, &str)| match name.strip_suffix("_FILE") {
        // The authorities of the machine are no secret, and too long for an environment.
        Some("SSL_CERT") | None => Ok((name.to_owned(), value.to_owned())),
        Some(name) => Ok((name.to_owned(), fs::read_to_string(value)?)),
    };
    pairs.map(value).collect()
}
