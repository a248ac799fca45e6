//! What the practice takes of memory when it has started and nobody asks for anything.

use std::time::Duration;

use anyhow::Result;

use crate::figure::{Figure, Unit};
use crate::memory::Memory;
use crate::stage::{Hours, Stage};

/// How long nobody asks before it is measured.
const QUIET: Duration = Duration::from_secs(4);

pub(crate) async fn measure(stage: &mut Stage) -> Result<Vec<Figure>> {
    let running = stage.at(Hours::Usual).await?;
    system::pause::wait_for(QUIET).await;
    let memory = Memory::of(&running.practice)?;
    let ours = Figure::alone("memory at rest: ours", Unit::Mebibytes, memory.ours, (96.0, 64.0));
    let title = "memory at rest: with PostgreSQL and NATS";
    let all = Figure::alone(title, Unit::Mebibytes, memory.all, (256.0, 160.0));
    Ok(vec![ours.noting(format!("PSS in MiB: {}", memory.parts)), all])
}
