//! The notifications service: the mails of a practice.

use std::path::Path;
use std::process::ExitCode;

use notifications::config::{Config, MigrationConfig};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [command, folder] = arguments.as_slice()
        && command == "render"
    {
        return notifications::render::command(Path::new(folder));
    }
    runtime::Program::new(notifications::NAME)
        .serve(Config::read, notifications::run)
        .migrate(MigrationConfig::read, notifications::migrate)
        .main()
}
