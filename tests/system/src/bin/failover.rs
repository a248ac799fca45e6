//! `failover [DRILL…]`: lets stores and processes fail under load as they do in a cluster, and
//! prints one table. `make failover DRILL=sync` runs one, and `make chaos` all of them.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::Result;
use system::failover::{DRILLS, Rate, Report, run, table};

/// The load of every drill.
const RATE: Rate = Rate { per_second: 50, seconds: 45, paid_of: 10 };

#[tokio::main]
async fn main() -> ExitCode {
    // A person who ends it ends everything that it has started.
    let drills = tokio::select! {
        drills = drills() => drills,
        _interrupted = tokio::signal::ctrl_c() => return ExitCode::from(130),
    };
    match drills {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            writeln!(std::io::stderr(), "failover: {error:#}").ok();
            ExitCode::from(2)
        }
    }
}

async fn drills() -> Result<bool> {
    let mut out = std::io::stdout();
    let mut wanted: Vec<String> = std::env::args().skip(1).collect();
    if wanted.is_empty() {
        wanted = DRILLS.map(str::to_owned).to_vec();
    }
    let mut reports = Vec::new();
    for drill in &wanted {
        writeln!(out, "failover: {drill}")?;
        reports.push(run(drill, RATE).await?);
    }
    write!(out, "{}", table(&reports))?;
    Ok(reports.iter().all(Report::is_passed))
}
