//! `upgrade_drill OLD [PER_SECOND [SECONDS]]`: goes from the programs in the folder OLD to those
//! beside this one and back, under load, and prints one table. `make upgrade-drill OLD=…` runs it.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, ensure};
use system::failover::{Rate, Report, table, upgrade};

/// The load, unless the command line says another.
const RATE: Rate = Rate { per_second: 25, seconds: 150, paid_of: 5 };

#[tokio::main]
async fn main() -> ExitCode {
    // A person who ends it ends everything that it has started.
    let drilled = tokio::select! {
        drilled = drill() => drilled,
        _interrupted = tokio::signal::ctrl_c() => return ExitCode::from(130),
    };
    match drilled {
        Ok(report) => {
            write!(std::io::stdout(), "{}", table(std::slice::from_ref(&report))).ok();
            if report.is_passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            writeln!(std::io::stderr(), "upgrade_drill: {error:#}").ok();
            ExitCode::from(2)
        }
    }
}

async fn drill() -> Result<Report> {
    let mut arguments = std::env::args().skip(1);
    let old = arguments.next().context("usage: upgrade_drill OLD [PER_SECOND [SECONDS]]")?;
    let mut rate = RATE;
    if let Some(number) = arguments.next() {
        rate.per_second = number.parse()?;
    }
    if let Some(number) = arguments.next() {
        rate.seconds = number.parse()?;
    }
    let own = std::env::current_exe()?;
    let new = own.parent().map(Path::to_path_buf).context("this program lies in no folder")?;
    let old = PathBuf::from(old).canonicalize()?;
    ensure!(old.join("sukoon").is_file(), "{} has no programs", old.display());
    upgrade(rate, &old, &new).await
}
