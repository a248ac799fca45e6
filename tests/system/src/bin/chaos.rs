//! `chaos [MINUTES] [SEED]`: injects random faults into a practice on this machine and prints one
//! line that says whether anything is lost, double or unresolved. `make chaos MINUTES=20` runs it.

use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result};
use system::chaos::{Settings, run};

/// The default number of minutes.
const MINUTES: u64 = 20;
/// How many requests are dropped in a run of any length.
const DROPS: usize = 10_000;

fn settings() -> Result<Settings> {
    let mut arguments = std::env::args().skip(1);
    let minutes = match arguments.next() {
        Some(text) => text.parse().context("the first argument is the minutes")?,
        None => MINUTES,
    };
    let seed = match arguments.next() {
        Some(text) => text.parse().context("the second argument is the seed")?,
        None => rand::random(),
    };
    Ok(Settings {
        length: Duration::from_secs(minutes * 60),
        seed,
        customers: 10,
        drops: DROPS,
        pause: Duration::from_secs(6),
    })
}

#[tokio::main]
async fn main() -> ExitCode {
    match chaos().await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            writeln!(std::io::stderr(), "chaos: {error:#}").ok();
            ExitCode::from(2)
        }
    }
}

async fn chaos() -> Result<bool> {
    let settings = settings()?;
    let mut out = std::io::stdout();
    writeln!(out, "chaos: seed {}", settings.seed)?;
    let report = run(settings).await?;
    for detail in &report.details {
        writeln!(out, "  {detail}")?;
    }
    let missing = report.missing();
    if !missing.is_empty() {
        writeln!(out, "  never struck: {}", missing.join(", "))?;
    }
    writeln!(out, "{report}")?;
    Ok(report.is_clean() && missing.is_empty())
}
