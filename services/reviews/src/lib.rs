//! What visitors write about their sessions, and who may take it away. The modules stand in the
//! order in which they are best read.

pub mod config;

use runtime::Shutdown;

use crate::config::{Config, MigrationConfig};

/// Serves until the shutdown signal is given.
///
/// # Errors
/// When it cannot start, or when a part of it breaks.
pub async fn run(config: Config, shutdown: Shutdown) -> anyhow::Result<()> {
    tracing::info!(listen = %config.listen, "starting");
    shutdown.wait().await;
    Ok(())
}

/// Brings the database up to date and grants the service's role its rights.
///
/// # Errors
/// When the database refuses.
pub async fn migrate(config: MigrationConfig) -> anyhow::Result<()> {
    drop(config);
    Ok(())
}
