//! What the practice offers and says about itself, from files that the practice owner edits.
//!
//! It is read-only and has no database; `README.md` says why.

pub mod config;
pub mod error;
pub mod content;
mod grpc;

use std::path::Path;
use std::sync::Arc;

use practice::FILE;
use runtime::caller::Peers;
use runtime::health::{Checks, PRACTICE};
use runtime::server::Server;
use runtime::{BoxError, Program, Revised, Shutdown, Tasks};
use tonic::service::Routes;

use config::{CheckConfig, Config, check};
use content::files::Files;

pub use content::check::{Mistake, mistakes};

/// The service's name in logs and in callers' tokens.
pub const NAME: &str = "catalogue";

/// This service as a process: its commands with their settings.
pub fn program() -> Program {
    Program::new(NAME).serve(Config::read, run).command(
        "check",
        CheckConfig::read,
        |config, _shutdown| check(config),
    )
}

/// Serves until shutdown.
///
/// # Errors
/// The practice's files are invalid, or the server cannot start or fails.
pub async fn run(config: Config, shutdown: Shutdown) -> Result<(), BoxError> {
    let peers = Peers::new(NAME, &config.peers)?;
    let revised = Revised::open(&config.practice_dir, FILE, |folder| {
        routes(folder, peers.clone()).map(Arc::new)
    })?;
    let server = Server::bind(config.listen, &shutdown).await?;
    let watched = revised.clone();
    let checks = Checks::new().concern(PRACTICE, move || std::future::ready(watched.check()));
    let serving = server.ready(checks).serve(revised.routes(|routes| Routes::clone(&routes)));
    let mut tasks = Tasks::new(&shutdown);
    tasks.spawn("server", serving);
    let following = revised.follow(shutdown.clone(), move |folder, _former| {
        std::future::ready(routes(&folder, peers.clone()).map(Arc::new))
    });
    tasks.spawn(PRACTICE, following);
    Ok(tasks.join().await?)
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
