//! `sukoon doctor`: looks at the machine again as `sukoon init` did, and at what runs.
use super::decisions::Decisions;
use super::layout::Layout;
use super::places;
use super::requirements;
use super::status;
use anyhow::Result;
use machine::output;
use std::process::ExitCode;

/// Prints what it finds; fails when something is wrong.
pub(crate) async fn run(layout: &Layout) -> Result<ExitCode> {
    let decisions = Decisions::kept(layout)?;
    output::step("looking at this machine");
    // The practice that runs has the ports itself.
    let machine = requirements::check(&decisions, &["ports".to_owned()]).await;
    let meetings = places::check(layout);
    if let Err(error) = &meetings {
        output::line(format_args!("! {:<9} {error:#}", places::NAME));
    }
    let state = status::run(layout).await?;
    let is_well = machine.is_ok() && meetings.is_ok();
    if !is_well {
        output::line("What has a ! above is not as the practice needs it.");
    }
    Ok(if is_well { state } else { ExitCode::FAILURE })
}
