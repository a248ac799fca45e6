//! Memory use of the practice after its start, without requests.

use std::time::Duration;

use anyhow::Result;

use crate::environment::{Environment, Hours};
use crate::figure::{Figure, Unit};
use crate::memory::Memory;

/// How long the practice is idle before it is measured.
const QUIET: Duration = Duration::from_secs(4);

pub(crate) async fn measure(environment: &mut Environment) -> Result<Vec<Figure>> {
    let running = environment.at(Hours::Usual).await?;
    system::pause::wait_for(QUIET).await;
    let memory = Memory::of(&running.practice)?;
    let ours = Figure::absolute("memory at rest: ours", Unit::Mebibytes, memory.ours, (96.0, 64.0));
    let title = "memory at rest: with PostgreSQL and NATS";
    let all = Figure::absolute(title, Unit::Mebibytes, memory.all, (256.0, 160.0));
    Ok(vec![ours.noting(format!("PSS in MiB: {}", memory.parts)), all])
}
