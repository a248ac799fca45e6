//! Starts the catalogue.

use std::process::ExitCode;

use catalogue::config::Config;
use runtime::Program;

fn main() -> ExitCode {
    Program::new(catalogue::NAME).serve(Config::read, catalogue::run).main()
}
