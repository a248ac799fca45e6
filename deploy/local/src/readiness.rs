//! Whether the practice is open, as the gateway reports on its inner listener. What a person has to
//! look at is told and keeps no practice shut: a calendar or a provider may be away for days.
use crate::healthz;
use crate::options::Options;
use crate::output;
use crate::process::last_lines;
use crate::run_state::RunState;
use anyhow::{Result, bail};
use std::path::Path;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// A process that was restarted this often before it was ready will not become ready.
const RESTARTS_BEFORE_READY_MAX: u32 = 6;
/// What the gateway says of a part that works, and has a problem that a person has to look at.
const CONCERN: &str = "a person has to look at it";

/// What the gateway says of the parts.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Report {
    /// The first process that is not ready. One that reports its HTTP port or a concern apart has
    /// several entries.
    unready: Option<String>,
    /// The entries that a person has to look at.
    concerns: Vec<String>,
}

impl Report {
    /// Asks the gateway's inner listener; none when it does not answer.
    pub(crate) async fn ask(port: u16) -> Option<Self> {
        Self::parse(&healthz::get(port, "/healthz").await?.body)
    }

    fn parse(report: &str) -> Option<Self> {
        let report: serde_json::Value = serde_json::from_str(report).ok()?;
        let (mut unready, mut concerns) = (None, Vec::new());
        for (name, state) in report.get("parts")?.as_object()? {
            match state.as_str() {
                Some("ready") => {}
                Some(CONCERN) => concerns.push(name.clone()),
                Some(_) | None => {
                    let process = name.split('_').next().unwrap_or(name);
                    unready.get_or_insert_with(|| process.to_owned());
                }
            }
        }
        Some(Self { unready, concerns })
    }

    /// Whether every part works.
    pub(crate) fn is_open(&self) -> bool {
        self.unready.is_none()
    }

    /// Prints what a person has to look at.
    pub(crate) fn print_concerns(&self) {
        for entry in &self.concerns {
            output::step(format_args!("{entry}: {CONCERN}; docs/RUNBOOKS.md says what to do"));
        }
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_that_is_not_ready_is_named_and_a_concern_keeps_nothing_shut() {
        let parts = |text: &str| Report::parse(&format!(r#"{{"ready":false,"parts":{{{text}}}}}"#));
        let named = parts(r#""booking":"ready","payments_http":"not ready""#).unwrap();
        assert_eq!(named, Report { unready: Some("payments".to_owned()), concerns: vec![] });
        assert!(!named.is_open());
        let concern =
            parts(r#""booking":"ready","booking_calendars":"a person has to look at it""#);
        let concern = concern.unwrap();
        assert!(concern.is_open());
        assert_eq!(concern.concerns, ["booking_calendars"]);
        assert_eq!(Report::parse("not JSON"), None);
    }
}
