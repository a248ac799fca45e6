//! A second booking service beside the practice's, with the same program and settings but a
//! database of its own. It has nobody to tell and nobody to hear from: NATS and the other feeds are
//! away, so that it meddles with nothing.

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result};
use testkit::until_within;

use crate::callers::DirectBooker;
use crate::stage::{Running, local, program};

/// How long it may take to listen.
const PATIENCE: Duration = Duration::from_secs(30);
/// Nobody listens there.
const NOBODY: &str = "127.0.0.1:1";

/// A running twin; it ends with this value.
pub(crate) struct Twin {
    child: Child,
    /// Who books there.
    pub(crate) booker: DirectBooker,
}

impl Twin {
    /// Starts one on the database of this name, and lets it serve its first booking.
    ///
    /// # Errors
    /// When it does not get to that.
    pub(crate) async fn start(running: &Running, database: &str) -> Result<Self> {
        let environment = environment(running.practice.pid("booking")?)?;
        let value = |name: &str| {
            let found = environment.iter().find(|(known, _value)| known == name);
            found.map(|(_name, value)| value.clone()).with_context(|| format!("no {name}"))
        };
        let url = value("BOOKING_DATABASE_URL")?;
        let (server, _database) = url.rsplit_once('/').context("the URL names no database")?;
        let listen: SocketAddr = TcpListener::bind(local(0))?.local_addr()?;
        let child = Command::new(program("booking")?)
            .env_clear()
            .envs(environment.clone())
            .env("BOOKING_LISTEN", listen.to_string())
            .env("BOOKING_DATABASE_URL", format!("{server}/{database}"))
            .env("NATS_URL", format!("nats://{NOBODY}"))
            .env("PAYMENTS_URL", format!("http://{NOBODY}"))
            .env("NOTIFICATIONS_URL", format!("http://{NOBODY}"))
            // That it hears from nobody is what was wished for.
            .env("LOG_FILTER", "error")
            .stdin(Stdio::null())
            .spawn()?;
        let mut twin = Self { child, booker: DirectBooker::new(listen)? };
        let wish = running.wishes()?.take()?;
        until_within(PATIENCE, "the twin books", async || Ok(twin.booker.book(&wish).await.ok()))
            .await?;
        Ok(twin)
    }
}

impl Drop for Twin {
    fn drop(&mut self) {
        drop(Command::new("kill").arg("-TERM").arg(self.child.id().to_string()).status());
        drop(self.child.wait());
    }
}

/// The settings that a process was started with.
fn environment(pid: u64) -> Result<Vec<(String, String)>> {
    let bytes = fs::read(format!("/proc/{pid}/environ"))?;
    let text = String::from_utf8(bytes)?;
    let pairs = text.split('\0').filter_map(|pair| pair.split_once('='));
    Ok(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}
