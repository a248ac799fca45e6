//! The booking service: free times, holds and bookings.

use booking::config::{Config, MigrationConfig};

fn main() -> std::process::ExitCode {
    runtime::Program::new("booking")
        .serve(Config::read, booking::run)
        .migrate(MigrationConfig::read, booking::migrate)
        .main()
}
