//! The notifications service: the mails of a practice.

use notifications::config::{Config, MigrationConfig};

fn main() -> std::process::ExitCode {
    runtime::Program::new(notifications::NAME)
        .serve(Config::read, notifications::run)
        .migrate(MigrationConfig::read, notifications::migrate)
        .main()
}
