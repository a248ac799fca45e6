//! `sukoon watch`: alarms on a terminal, without Prometheus.
mod rules;
mod series;
mod targets;

use crate::environment::Environment;
use crate::output;
use crate::paths::Paths;
use anyhow::{Result, bail};
use std::process::ExitCode;

/// Prints which alerts hold now; the exit code is 1 if there is one.
pub(crate) async fn run(
    environment: &Environment,
    paths: &Paths,
    arguments: &[&str],
) -> Result<ExitCode> {
    if arguments != ["--once"] {
        bail!("usage: sukoon watch --once");
    }
    let samples = targets::read(&targets::find(environment, &paths.data)?).await;
    let mut is_quiet = true;
    for rule in rules::all().iter().filter(|rule| rule.lasting.is_zero()) {
        for sample in samples.iter().filter(|sample| rule.holds(sample)) {
            is_quiet = false;
            let (urgency, sentence) = (&rule.severity, rule.sentence(sample));
            output::line(format_args!("{urgency} {}: {sentence} → {}", rule.name, rule.runbook));
        }
    }
    Ok(if is_quiet { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
