//! Our own nats-server: the fast path between services. Its data may be deleted at any time.
mod permissions;

use crate::certificates::Certificates;
use crate::paths;
use crate::secrets::{self, SecretStore};
use crate::tools::Tool;
use anyhow::Result;
pub use permissions::Permissions;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};

/// The users of a nats-server with their passwords: one for each service that uses it.
pub type Users = BTreeMap<&'static str, String>;

/// One nats-server: its program, its folder, its port, its users.
#[derive(Clone, Debug)]
pub struct Broker {
    /// The nats-server program.
    pub tool: Tool,
    /// The folder of its configuration and its streams.
    pub folder: PathBuf,
    /// The port on loopback.
    pub port: u16,
    /// Its users, each with the rights of its service.
    pub users: Users,
    /// Whether a client without credentials may do everything, as tests do.
    pub open: bool,
    /// Its certificate and its clients' authority; without them it speaks in the clear.
    pub certificates: Option<Certificates>,
    /// How many bytes its streams may set aside, as its configuration writes it.
    pub file_store: &'static str,
}

/// The space of a practice: 64 MiB for each of its few streams.
pub const PRACTICE_FILE_STORE: &str = "1GB";
/// The space of the tests: each test has streams of its own, of a MiB each, until the server ends.
pub const TESTS_FILE_STORE: &str = "64GB";

impl Broker {
    /// Writes the configuration. It uses only options that the oldest supported server (2.9) knows.
    pub fn configure(&self) -> Result<()> {
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
        if let Some(certificates) = &self.certificates {
            let files = [("cert_file", "pem"), ("key_file", "key")];
            let files = files.map(|(name, ending)| (name, certificates.file("nats", ending)));
            let own = [("ca_file", certificates.authority_file())];
            let lines =
                files.iter().chain(&own).map(|(name, path)| format!("  {name}: {}\n", quote(path)));
            text.push_str(&format!("tls {{\n{}  verify: true\n}}\n", lines.collect::<String>()));
        }
        text.push_str(&authorization(&self.users, self.open));
        secrets::write_private(&file, text.as_bytes())
    }

    fn settings(&self) -> PathBuf {
        self.folder.join("nats.conf")
    }

    /// The program and the arguments that run the server in the foreground.
    pub fn server(&self) -> (PathBuf, Vec<String>) {
        let settings = self.settings().to_string_lossy().into_owned();
        (self.tool.path.clone(), vec!["--config".to_owned(), settings])
    }

    /// The URL for a service; `None` when it does not use NATS.
    pub fn url(&self, service: &str) -> Option<String> {
        let password = self.users.get(service)?;
        let scheme = if self.certificates.is_some() { "tls" } else { "nats" };
        Some(format!("{scheme}://{service}:{password}@127.0.0.1:{}", self.port))
    }

    /// The address without credentials.
    pub fn address(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Waits until the server sends its greeting.
    pub async fn wait_until_ready(&self, limit: Duration) -> Result<()> {
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

/// The part of a configuration that names the users, each with the rights of its service: nothing
/// is allowed that is not listed. In an open one a client without credentials may do everything.
pub fn authorization(users: &Users, open: bool) -> String {
    let mut text = String::from("authorization {\n  users: [\n");
    for (user, password) in users {
        let Some(Permissions { publish, subscribe }) = Permissions::of(user) else { continue };
        let (publish, subscribe) = (list(&publish), list(&subscribe));
        text.push_str(&format!(
            "    {{ user: \"{user}\", password: \"{password}\", permissions: {{\n      \
             publish: {{ allow: [{publish}] }}\n      \
             subscribe: {{ allow: [{subscribe}] }}\n    }} }}\n"
        ));
    }
    if open {
        text.push_str("    { user: \"tests\", password: \"tests\" }\n");
    }
    text.push_str("  ]\n}\n");
    if open {
        text.push_str("no_auth_user: \"tests\"\n");
    }
    text
}

/// The users of a practice. Their passwords are made once and kept among the secrets.
pub fn users(secret_store: &mut SecretStore) -> Result<Users> {
    let made = permissions::SUBSCRIPTIONS.iter().map(|(service, _sources)| {
        Ok((*service, secret_store.get_or_create(&format!("nats-{service}"))?))
    });
    made.collect()
}

/// The users of the tests' server, whose passwords are their names.
pub fn test_users() -> Users {
    let named = |(service, _sources): &(&'static str, _)| (*service, (*service).to_owned());
    permissions::SUBSCRIPTIONS.iter().map(named).collect()
}

fn list(subjects: &[String]) -> String {
    let quoted: Vec<String> = subjects.iter().map(|subject| format!("\"{subject}\"")).collect();
    quoted.join(", ")
}

fn quote(path: &Path) -> String {
    let text = path.to_string_lossy();
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests;
