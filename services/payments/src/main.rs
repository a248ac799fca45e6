//! The payments service: everything about money.

use payments::config::{Config, MigrationConfig};

fn main() -> std::process::ExitCode {
    runtime::Program::new("payments")
        .serve(Config::read, payments::run)
        .migrate(MigrationConfig::read, payments::migrate)
        .main()
}
