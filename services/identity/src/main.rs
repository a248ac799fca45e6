//! The identity service: accounts, sessions and tokens.

use identity::config::{Config, MigrationConfig};

fn main() -> std::process::ExitCode {
    runtime::Program::new(identity::NAME)
        .serve(Config::read, identity::run)
        .migrate(MigrationConfig::read, identity::migrate)
        .main()
}
