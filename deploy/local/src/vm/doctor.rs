//! `sukoon doctor`: looks at the machine again as `sukoon init` did, and at what runs.
use super::decisions::Decisions;
use super::layout::Layout;
use super::machine;
use super::status;
use crate::output;
use anyhow::Result;
use std::process::ExitCode;

/// Prints what it finds; fails when something is wrong.
pub(crate) async fn run(layout: &Layout) -> Result<ExitCode> {
    let decisions = Decisions::kept(layout)?;
    output::step("looking at this machine");
    // The practice that runs has the ports itself.
    let machine = machine::check(&decisions, &["ports".to_owned()]).await;
    if let Err(error) = &machine {
        output::problem(error);
    }
    let state = status::run(layout).await?;
    Ok(if machine.is_ok() { state } else { ExitCode::FAILURE })
}
