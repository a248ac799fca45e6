//! `make bench`: measures a practice that runs on this machine, and prints one table.

use std::io::Write as _;
use std::process::ExitCode;

use load::Settings;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let measured = Settings::read(&arguments).and_then(|settings| load::run(&settings));
    match measured {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // A write error is ignored, because the exit code remains.
            writeln!(std::io::stderr(), "bench: {error:#}").ok();
            ExitCode::FAILURE
        }
    }
}
