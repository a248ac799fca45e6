//! What the practice offers and says about itself, from files that a practice owner edits.
//!
//! It never writes anything and has no database; `README.md` says why.

pub mod config;
pub mod content;
mod grpc;

use std::path::Path;

use runtime::caller::Peers;
use runtime::practice::guide::{self, Guide};
use runtime::practice::{self, Practice};
use runtime::server::Server;
use runtime::{BoxError, Program, Shutdown, status};
use tonic::service::Routes;

use config::Config;
use content::Content;

/// The service's name in logs and in callers' tokens.
pub const NAME: &str = "catalogue";

/// This service as a process: its commands with their settings.
pub fn program() -> Program {
    Program::new(NAME).serve(Config::read, run)
}

/// Serves until the shutdown signal is given.
///
/// # Errors
/// The practice's files need a correction, or the server cannot start or broke.
pub async fn run(config: Config, shutdown: Shutdown) -> Result<(), BoxError> {
    let peers = Peers::new(NAME, &config.peers)?;
    let routes = routes(&config.practice_dir, peers)?;
    let server = Server::bind(config.listen, &shutdown).await?;
    Ok(server.serve(routes).await?)
}

/// Reads the practice's files and prepares the two gRPC services that answer from them.
///
/// # Errors
/// Every mistake in any of the files.
pub fn routes(practice_dir: &Path, peers: Peers) -> Result<Routes, BoxError> {
    let Files { practice, content, guide } = Files::read(practice_dir)?;
    tracing::info!(services = content.services.len(), "the practice's files were read");
    Ok(grpc::routes(&practice, &guide, content, peers))
}

/// What all of the practice's files say.
struct Files {
    practice: Practice,
    content: Content,
    guide: Guide,
}

impl Files {
    /// Reads all files, so that mistakes in one do not hide those in the others.
    fn read(folder: &Path) -> Result<Self, BoxError> {
        match (practice::load(folder), Content::load(folder), guide::load(folder)) {
            (Ok(practice), Ok(content), Ok(guide)) => Ok(Self { practice, content, guide }),
            (practice, content, guide) => {
                let errors = [
                    practice.err().map(|error| status::chain(&error)),
                    content.err().map(|error| error.to_string()),
                    guide.err().map(|error| status::chain(&error)),
                ];
                Err(errors.into_iter().flatten().collect::<Vec<_>>().join("\n").into())
            }
        }
    }
}
