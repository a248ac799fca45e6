//! Starts the one-machine program: everything is in the library, so that tests can reach it.
use std::process::ExitCode;

fn main() -> ExitCode {
    match sukoon::main() {
        Ok(code) => code,
        Err(error) => {
            sukoon::output::problem(&error);
            ExitCode::FAILURE
        }
    }
}
