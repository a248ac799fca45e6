//! One nats-server for all practices, in which each has an account of its own: streams of one
//! cannot be seen from another, as those of another server.

use std::fmt::Write as _;
use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::Value;
use testkit::until_within;

use crate::callers::expect_ok;
use crate::environment::{RunningSystem, home, local};
use crate::http_client::{HttpClient, get};

/// The services that use NATS.
pub(super) const USERS: [&str; 5] = ["booking", "identity", "notifications", "payments", "reviews"];
/// How long it may take to listen.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The password of each user, on an address that only this machine reaches.
const PASSWORD: &str = "measured";

/// The server; it ends with this value.
pub(super) struct AccountServer {
    child: Child,
    folder: PathBuf,
    address: SocketAddr,
    monitor: SocketAddr,
}

/// What the server holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct ServerCounts {
    /// Connections of clients.
    pub(super) connections: u64,
    /// Streams of all accounts.
    pub(super) streams: u64,
    /// Durable consumers of all accounts.
    pub(super) consumers: u64,
}

/// The name of the practice with this number: of its account, and the beginning of its databases'.
pub(super) fn name_of(number: usize) -> String {
    format!("p{number:03}")
}

impl AccountServer {
    /// Starts the practice's own program with so many accounts.
    pub(super) async fn start(running: &RunningSystem, practices: usize) -> Result<Self> {
        let program = fs::read_link(format!("/proc/{}/exe", running.practice.pid("nats")?))?;
        let folder = home().join(format!("sukoon-scale-nats-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        let [first, second] = [TcpListener::bind(local(0))?, TcpListener::bind(local(0))?];
        let (address, monitor) = (first.local_addr()?, second.local_addr()?);
        drop((first, second));
        let mut text = format!(
            "host: \"127.0.0.1\"\nport: {}\nhttp: \"{monitor}\"\nserver_name: \"measured\"\n\
             jetstream {{\n  store_dir: \"{}\"\n  max_file_store: 1024GB\n}}\naccounts {{\n",
            address.port(),
            folder.join("streams").display(),
        );
        for number in 1..=practices {
            let name = name_of(number);
            writeln!(text, "  {name} {{ jetstream: enabled, users: [")?;
            for user in USERS {
                writeln!(text, "    {{ user: \"{name}_{user}\", password: \"{PASSWORD}\" }}")?;
            }
            text.push_str("  ] }\n");
        }
        text.push_str("}\n");
        let settings = folder.join("nats.conf");
        fs::write(&settings, text)?;
        let log = fs::File::create(folder.join("log"))?;
        let mut command = Command::new(program);
        command.arg("--config").arg(&settings).stdin(Stdio::null()).stdout(log.try_clone()?);
        let child = command.stderr(log).spawn().context("nats-server does not start")?;
        let server = Self { child, folder, address, monitor };
        until_within(TIMEOUT, "nats-server listens", async || Ok(server.held().await.ok())).await?;
        Ok(server)
    }

    /// The URL of a service of a practice.
    pub(super) fn url(&self, practice: &str, service: &str) -> String {
        format!("nats://{practice}_{service}:{PASSWORD}@{}", self.address)
    }

    /// Its process.
    pub(super) fn pid(&self) -> u64 {
        u64::from(self.child.id())
    }

    /// What it holds now.
    pub(super) async fn held(&self) -> Result<ServerCounts> {
        let mut http = HttpClient::open(self.monitor).await?;
        let mut ask = async |target: &str| {
            let reply = http.send(&get(self.monitor, target, "")).await?;
            anyhow::Ok(serde_json::from_slice::<Value>(expect_ok(&reply)?)?)
        };
        let (server, streams) = (ask("/varz").await?, ask("/jsz").await?);
        let number = |of: &Value, name: &str| of.get(name).and_then(Value::as_u64).unwrap_or(0);
        Ok(ServerCounts {
            connections: number(&server, "connections"),
            streams: number(&streams, "streams"),
            consumers: number(&streams, "consumers"),
        })
    }
}

impl Drop for AccountServer {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
        // A folder that cannot be removed only takes disk space.
        fs::remove_dir_all(&self.folder).ok();
    }
}
