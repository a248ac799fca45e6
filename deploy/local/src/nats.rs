//! Our own nats-server: the fast path between services. Its data may be deleted at any time.
use crate::paths;
use crate::tools::Tool;
use anyhow::{Context, Result};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};

/// One nats-server: its program, its folder, its port, its password.
#[derive(Clone, Debug)]
pub(crate) struct Broker {
    /// The nats-server program.
    pub(crate) tool: Tool,
    /// The folder of its configuration and its streams.
    pub(crate) folder: PathBuf,
    /// The port on loopback.
    pub(crate) port: u16,
    /// The password of the user `sukoon`; tests have none.
    pub(crate) password: Option<String>,
    /// How many bytes its streams may set aside, as its configuration writes it.
    pub(crate) file_store: &'static str,
}

/// The space of a practice: 64 MiB for each of its few streams.
pub(crate) const PRACTICE_FILE_STORE: &str = "1GB";
/// The space of the tests: each test has streams of its own, of a MiB each, until the server ends.
pub(crate) const TESTS_FILE_STORE: &str = "64GB";

impl Broker {
    /// Writes the configuration. It uses only options that the oldest supported server (2.9) knows.
    pub(crate) fn configure(&self) -> Result<()> {
        paths::create_private(&self.folder)?;
        let file = self.settings();
        let mut text = format!(
            "# Written anew by sukoon at every start.\n\
             host: \"127.0.0.1\"\nport: {}\nserver_name: \"sukoon\"\n\
             jetstream {{\n  store_dir: {}\n  max_memory_store: 64MB\n  max_file_store: {}\n}}\n",
            self.port,
            quote(&self.folder.join("streams")),
            self.file_store,
        );
        if let Some(password) = &self.password {
            let user = format!("authorization {{ user: \"sukoon\", password: \"{password}\" }}\n");
            text.push_str(&user);
        }
        fs::write(&file, text).with_context(|| format!("{} cannot be written", file.display()))?;
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600))
            .with_context(|| format!("{} cannot be closed to others", file.display()))
    }

    fn settings(&self) -> PathBuf {
        self.folder.join("nats.conf")
    }

    /// The program and the arguments that run the server in the foreground.
    pub(crate) fn server(&self) -> (PathBuf, Vec<String>) {
        let settings = self.settings().to_string_lossy().into_owned();
        (self.tool.path.clone(), vec!["--config".to_owned(), settings])
    }

    /// The URL for services.
    pub(crate) fn url(&self) -> String {
        match &self.password {
            Some(password) => format!("nats://sukoon:{password}@127.0.0.1:{}", self.port),
            None => format!("nats://127.0.0.1:{}", self.port),
        }
    }

    /// Waits until the server sends its greeting.
    pub(crate) async fn wait_until_ready(&self, limit: Duration) -> Result<()> {
        let deadline = Instant::now() + limit;
        while !self.has_greeted().await {
            if Instant::now() >= deadline {
                anyhow::bail!("nats-server does not answer at port {}", self.port);
            }
            sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    }

    async fn has_greeted(&self) -> bool {
        let greeting = async {
            let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await?;
            let mut first = [0; 4];
            stream.read_exact(&mut first).await?;
            std::io::Result::Ok(first)
        };
        let received = timeout(Duration::from_secs(1), greeting).await;
        received.is_ok_and(|greeting| greeting.is_ok_and(|first| &first == b"INFO"))
    }
}

fn quote(path: &Path) -> String {
    let text = path.to_string_lossy();
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
