//! The booking service: free times, holds and bookings.

use booking::config::{Config, GrantConfig, MigrationConfig};

fn main() -> std::process::ExitCode {
    runtime::Program::new("booking")
        .serve(Config::read, booking::run)
        .migrate(MigrationConfig::read, booking::migrate)
        .command("grant", GrantConfig::read, |config, _shutdown| booking::grant(config))
        .main()
}
