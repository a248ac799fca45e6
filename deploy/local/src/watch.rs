//! `sukoon watch`: what the processes tell, on a terminal.
mod series;
mod targets;

use crate::environment::Environment;
use crate::output;
use crate::paths::Paths;
use anyhow::{Result, bail};
use std::process::ExitCode;

/// Prints the figures of all processes.
pub(crate) async fn run(
    environment: &Environment,
    paths: &Paths,
    arguments: &[&str],
) -> Result<ExitCode> {
    if arguments != ["--once"] {
        bail!("usage: sukoon watch --once");
    }
    for sample in targets::read(&targets::find(environment, &paths.data)?).await {
        output::line(format_args!("{} {:?} {}", sample.name, sample.labels, sample.value));
    }
    Ok(ExitCode::SUCCESS)
}
