//! What the practice offers and says about itself, from files that the practice owner edits.
//!
//! It is read-only and has no database; `README.md` says why.

pub mod config;
pub mod error;
pub mod content;
mod grpc;

use std::path::Path;

use runtime::caller::Peers;
use runtime::server::Server;
use runtime::{BoxError, Program, Shutdown};
use tonic::service::Routes;

use config::{CheckConfig, Config, check};
use content::files::Files;

pub use content::check::{Mistake, mistakes};

/// The service's name in logs and in callers' tokens.
pub const NAME: &str = "catalogue";

/// This service as a process: its commands with their settings.
pub fn program() -> Program {
    Program::new(NAME)
        .serve(Config::read, run)
        .command("check", CheckConfig::read, |config, _shutdown| check(config))
}

/// Serves until shutdown.
///
/// # Errors
/// The practice's files are invalid, or the server cannot start or fails.
pub async fn run(config: Config, shutdown: Shutdown) -> Result<(), BoxError> {
    let peers = Peers::new(NAME, &config.peers)?;
    let routes = routes(&config.practice_dir, peers)?;
    let server = Server::bind(config.listen, &shutdown).await?;
    Ok(server.serve(routes).await?)
}

/// Loads the practice's files and builds the two gRPC services.
///
/// # Errors
/// All mistakes of all files.
pub fn routes(practice_dir: &Path, peers: Peers) -> Result<Routes, BoxError> {
    let files = Files::read(practice_dir)?;
    tracing::info!(services = files.content.services.len(), "the practice's files were read");
    Ok(grpc::routes(files, peers))
}
