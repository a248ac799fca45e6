//! The catalogue's settings.

mod check;

pub use check::{CheckConfig, check};

use std::net::SocketAddr;
use std::path::PathBuf;

use runtime::Reader;
use runtime::caller::PeerSettings;

/// The catalogue's settings.
#[derive(Debug, Clone)]
pub struct Config {
    /// The gRPC listen address; `CATALOGUE_LISTEN`.
    pub listen: SocketAddr,
    /// The folder with the practice's files; `PRACTICE_DIR`.
    pub practice_dir: PathBuf,
    /// Verification of service tokens.
    pub peers: PeerSettings,
}

impl Config {
    /// Reads them.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            listen: reader.address("CATALOGUE_LISTEN"),
            practice_dir: reader.path("PRACTICE_DIR"),
            peers: PeerSettings::read(reader),
        }
    }
}
