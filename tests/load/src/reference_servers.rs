//! The two programs that reads are measured beside: a bare axum, and nginx with our own page.

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::Result;
use testkit::until_within;

use crate::environment::{home, local, program};
use crate::http_client::HttpClient;

/// How long a small program may take to listen.
const TIMEOUT: Duration = Duration::from_secs(20);

/// A program that is measured beside ours; it ends with this value.
#[derive(Debug)]
pub(crate) struct ReferenceServer {
    child: Child,
    folder: Option<PathBuf>,
    /// Where it listens.
    pub(crate) address: SocketAddr,
}

impl ReferenceServer {
    /// Starts the bare axum.
    ///
    /// # Errors
    /// When it does not listen.
    pub(crate) async fn bare() -> Result<Self> {
        let address = free_address()?;
        let child =
            Command::new(program("bare")?).arg(address.to_string()).stdin(Stdio::null()).spawn()?;
        Self { child, folder: None, address }.listening().await
    }

    /// Starts nginx with one page, as it is and packed, so that it sends the bytes that we send.
    ///
    /// # Errors
    /// When it does not listen.
    pub(crate) async fn nginx(program: &Path, page: &[u8], packed: &[u8]) -> Result<Self> {
        let folder = home().join(format!("sukoon-bench-nginx-{}", std::process::id()));
        fs::create_dir_all(folder.join("pages"))?;
        fs::write(folder.join("pages/index.html"), page)?;
        fs::write(folder.join("pages/index.html.gz"), packed)?;
        let address = free_address()?;
        fs::write(folder.join("nginx.conf"), settings(&folder, address))?;
        let errors = folder.join("error.log");
        let child = Command::new(program)
            .arg("-p")
            .arg(&folder)
            .arg("-c")
            .arg(folder.join("nginx.conf"))
            .arg("-e")
            .arg(&errors)
            .stdin(Stdio::null())
            .spawn()?;
        Self { child, folder: Some(folder), address }.listening().await
    }

    async fn listening(self) -> Result<Self> {
        until_within(TIMEOUT, "a program listens", async || {
            Ok(HttpClient::open(self.address).await.ok().map(drop))
        })
        .await?;
        Ok(self)
    }
}

impl Drop for ReferenceServer {
    fn drop(&mut self) {
        // nginx has workers, which it ends itself when it is asked to end.
        drop(Command::new("kill").arg("-TERM").arg(self.child.id().to_string()).status());
        drop(self.child.wait());
        if let Some(folder) = &self.folder {
            fs::remove_dir_all(folder).ok();
        }
    }
}

fn free_address() -> Result<SocketAddr> {
    Ok(TcpListener::bind(local(0))?.local_addr()?)
}

/// nginx tuned for speed: a worker per core, no log, the file's
/// handle kept open, connections never closed, and pages compressed beforehand.
fn settings(folder: &Path, address: SocketAddr) -> String {
    let shown = folder.display();
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    let temporary = temporary.map(|name| format!("  {name}_temp_path {shown}/{name};\n")).concat();
    // Started by root, its workers would run as a user that may not enter the folder.
    let user = if rustix::process::getuid().is_root() { "user root;\n" } else { "" };
    format!(
        "{user}daemon off;\nworker_processes auto;\npid {shown}/nginx.pid;\n\
         events {{ worker_connections 4096; }}\n\
         http {{\n\
         {temporary}\
         \x20 access_log off;\n  sendfile on;\n  tcp_nopush on;\n  tcp_nodelay on;\n\
         \x20 keepalive_requests 1000000000;\n  keepalive_timeout 600s;\n\
         \x20 open_file_cache max=100 inactive=600s;\n  open_file_cache_valid 600s;\n\
         \x20 gzip_static on;\n  default_type text/html;\n  charset utf-8;\n\
         \x20 server {{ listen {address}; root {shown}/pages; }}\n\
         }}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nginx_keeps_to_its_own_folder() {
        let settings = settings(Path::new("/tmp/there"), local(4000));
        assert!(settings.contains("pid /tmp/there/nginx.pid;"));
        assert!(settings.contains("listen 127.0.0.1:4000; root /tmp/there/pages;"));
        assert_eq!(settings.matches("_temp_path /tmp/there/").count(), 5);
        assert_eq!(settings.matches('{').count(), settings.matches('}').count());
    }
}
