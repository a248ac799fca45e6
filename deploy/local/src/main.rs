//! Starts the one-machine program. Everything else is in the library, so that tests can use it.
use std::process::ExitCode;

fn main() -> ExitCode {
    match sukoon::main() {
        Ok(code) => code,
        Err(error) => {
            machine::output::problem(&error);
            ExitCode::FAILURE
        }
    }
}
