//! Whether the practice is open, as the gateway reports on its inner listener. What a person has to
//! look at is told and keeps no practice shut: a calendar or a provider may be away for days.
use crate::options::Options;
use anyhow::{Result, bail};
use machine::process::last_lines;
use machine::report::Report;
use machine::run_state::RunState;
use std::path::Path;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// A process that was restarted this often before it was ready will not become ready.
const RESTARTS_BEFORE_READY_MAX: u32 = 6;
/// Waits until every part that was started is ready.
///
/// # Errors
/// When one is restarted too often, or is not ready in time: with the last lines of its log.
pub(crate) async fn wait_until_ready(options: &Options, run_state: &RunState) -> Result<()> {
    let deadline = Instant::now() + Duration::from_secs(options.ready_seconds);
    loop {
        let parts = run_state.parts();
        let inner = parts.get("gateway").and_then(|gateway| gateway.ports.get("inner"));
        let report = Report::ask(*inner.unwrap_or(&options.port)).await;
        if let Some(report) = report.as_ref().filter(|report| report.is_open()) {
            report.print_concerns();
            return Ok(());
        }
        let most_restarted = parts.iter().max_by_key(|(_, part)| part.restarts);
        let most_restarted = most_restarted.filter(|(_, part)| part.restarts > 0);
        let worst = most_restarted.map_or(0, |(_, part)| part.restarts);
        if worst >= RESTARTS_BEFORE_READY_MAX || Instant::now() >= deadline {
            let named = report.and_then(|report| report.unready);
            let name = most_restarted.map(|(name, _)| name.clone()).or(named);
            let name = name.unwrap_or_else(|| "gateway".to_owned());
            let log = parts.get(&name).map(|part| part.log.clone()).unwrap_or_default();
            bail!("{}", not_ready(&name, &log));
        }
        sleep(Duration::from_millis(100)).await;
    }
}

/// Names a process that is not ready, with the last lines of its log.
pub(crate) fn not_ready(name: &str, log: &Path) -> String {
    format!("{name} is not ready; its log {} ends with:\n{}", log.display(), last_lines(log, 12))
}
