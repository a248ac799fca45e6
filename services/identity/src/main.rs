//! The identity service: accounts, sessions and tokens.

use identity::config::{AccountConfig, Config, MigrationConfig};

fn main() -> std::process::ExitCode {
    runtime::Program::new(identity::NAME)
        .serve(Config::read, identity::run)
        .migrate(MigrationConfig::read, identity::migrate)
        .command("account", AccountConfig::read, |config, _stop| identity::account::run(config))
        .main()
}
