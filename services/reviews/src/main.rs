//! The reviews service: what visitors write about their sessions, and who may take it away.

use reviews::config::{Config, MigrationConfig};

fn main() -> std::process::ExitCode {
    runtime::Program::new("reviews")
        .serve(Config::read, reviews::run)
        .migrate(MigrationConfig::read, reviews::migrate)
        .main()
}
