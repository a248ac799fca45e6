//! The drill of a rollout: every process is replaced by a new one under load, one after the other.

use anyhow::{Context as _, Result};
use tokio::time::Instant;

use super::figures::Report;
use super::fleet::{Fleet, ROLLED};
use super::load::{Load, Rate};
use super::settling;

/// Every service and the gateway are restarted one after the other, as a rolling update does.
pub(crate) async fn every_service(rate: Rate) -> Result<Report> {
    let (fleet, mut server) = Fleet::take_over().await?;
    fleet.start_on(&mut server).await?;
    let load = Load::new(&fleet.practice, rate).await?;
    let script = async {
        let mut took = Vec::new();
        for part in ROLLED {
            let began = Instant::now();
            fleet.roll(part).await.with_context(|| format!("rolling {part}"))?;
            took.push((part, began));
        }
        anyhow::Ok((took, Instant::now()))
    };
    let (ran, script) = tokio::join!(load.run(), script);
    ran?;
    let (began, ended) = script?;
    let tally = load.tally();
    let gaps: Vec<String> = began
        .iter()
        .filter_map(|(part, at)| Some((part, tally.gap_since(*at)?)))
        .map(|(part, gap)| format!("{part} {:.2}", gap.as_secs_f64()))
        .collect();
    let slowest = tally.slowest();
    let verdict = settling::judge(&fleet).await?;
    let first = began.first().map_or(ended, |(_, at)| *at);
    let during = tally.acknowledged_between(first, ended);
    let mut report = Report::new("rolling", rate, (tally, slowest), verdict);
    report.note(format!(
        "seven restarts in {} s, {during} bookings acknowledged meanwhile; the longest time \
         between two acknowledgements is in the table; next acknowledgement after each start, \
         in s: {}",
        (ended - first).as_secs(),
        gaps.join(", "),
    ));
    Ok(report)
}
