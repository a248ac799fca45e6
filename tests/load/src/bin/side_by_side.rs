//! `make scale`: practices side by side on one PostgreSQL server and one NATS server, and a table
//! of what each takes.

use std::io::Write as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match load::side_by_side::run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // A write error is ignored, because the exit code remains.
            writeln!(std::io::stderr(), "side_by_side: {error:#}").ok();
            ExitCode::FAILURE
        }
    }
}
