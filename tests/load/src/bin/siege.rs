//! `make siege`: honest clients book while hostile ones attack, and one table says what came of it.

use std::io::Write as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match load::siege::run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // A write error is ignored, because the exit code remains.
            writeln!(std::io::stderr(), "siege: {error:#}").ok();
            ExitCode::FAILURE
        }
    }
}
