//! How long a service takes to start, and to stop at once, with 1,000,000 events or bookings in
//! its database, beside one that is empty: from the start of its process until it says that it is
//! ready, and from SIGTERM until its process has ended.

use std::time::Duration;

use anyhow::{Result, ensure};
use tokio::time::Instant;

use super::alarms;
use crate::environment::{Environment, Hours, RunningSystem};
use crate::figure::Figure;
use crate::log_database;
use crate::samples::{Samples, millis};
use crate::second_instance::Process;

/// How often each is started.
const STARTS: usize = 9;
/// How long a process may take to end.
const ENDS_WITHIN: Duration = Duration::from_secs(10);

pub(crate) async fn measure(environment: &mut Environment) -> Result<Vec<Figure>> {
    let running = environment.at(Hours::Dense).await?;
    log_database::full(&running.practice).await?;
    log_database::empty(&running.practice).await?;
    alarms::databases(&running.practice).await?;
    Ok(vec![
        of(running, "booking", ("1,000,000 events", log_database::FULL, log_database::EMPTY))
            .await?,
        of(running, "payments", ("1,000,000 bookings", alarms::DATABASE, alarms::EMPTY)).await?,
    ])
}

async fn of(running: &RunningSystem, service: &str, names: (&str, &str, &str)) -> Result<Figure> {
    let (behind, full, empty) = names;
    let (mut of_full, mut of_empty) = (Samples::default(), Samples::default());
    let mut longest = Duration::ZERO;
    for turn in 0..2 * STARTS {
        let is_full = turn % 2 == 0;
        let began = Instant::now();
        let process = Process::start(running, service, if is_full { full } else { empty })?;
        process.until_ready().await?;
        let samples = if is_full { &mut of_full } else { &mut of_empty };
        samples.push(began.elapsed());
        let told = Instant::now();
        drop(process);
        longest = longest.max(told.elapsed());
    }
    ensure!(longest < ENDS_WITHIN, "{service} took {longest:?} to end");
    let title = format!("start of {service} behind {behind}");
    let reference = ("empty database", millis(of_empty.p50()));
    let figure = Figure::times(title, millis(of_full.p50()), reference, (1.25, 1.1));
    let note = format!("{STARTS} starts each; the slowest end took {:.0} ms", millis(longest));
    Ok(figure.noting(note))
}
