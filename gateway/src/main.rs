//! Starts the gateway.

use std::process::ExitCode;

use runtime::Program;

fn main() -> ExitCode {
    Program::new("gateway").serve(gateway::Config::read, gateway::run).main()
}
