//! `keep_practice FOLDER`: makes a practice with the programs beside this one and saves it for the
//! upgrade test. Run it at the commit of a release; see `tests/system/kept/README.md`.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    let Some(folder) = std::env::args().nth(1).map(PathBuf::from) else {
        writeln!(std::io::stderr(), "usage: keep_practice FOLDER").ok();
        return ExitCode::from(2);
    };
    match system::kept::make::make(&folder).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            writeln!(std::io::stderr(), "keep_practice: {error:#}").ok();
            ExitCode::FAILURE
        }
    }
}
