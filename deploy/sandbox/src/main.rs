//! Starts the sandbox with the environment's settings and ends it on Ctrl-C or SIGTERM.

use anyhow::Result;
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;

#[tokio::main]
async fn main() -> Result<()> {
    let filter = EnvFilter::try_from_env("LOG_FILTER").unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    let mut terminated = signal(SignalKind::terminate())?;
    // Every change is in the store before it is answered, so a stop at any moment loses nothing.
    tokio::select! {
        ended = sandbox::run(sandbox::Settings::from_environment()?) => ended,
        _ = tokio::signal::ctrl_c() => Ok(()),
        _ = terminated.recv() => Ok(()),
    }
}
