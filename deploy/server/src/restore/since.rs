//! The end of a restore: the money that came since the moment, which only the provider knows, and
//! what to do about it.
use crate::layout::Layout;
use crate::opening;
use crate::operations;
use crate::power;
use anyhow::Result;
use machine::healthz;
use machine::output;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long the provider's lists may take to be read.
const READ_WITHIN: Duration = Duration::from_secs(60);
const METRIC: &str = "sukoon_money_unexplained{";

/// Waits until the practice is open and the provider was asked, and prints what nothing explains.
pub(super) async fn tell(layout: &Layout) -> Result<()> {
    if layout.is_the_machine() {
        opening::wait_until_open().await?;
        output::step("asking the provider what came since");
        if !has_asked_the_provider(layout).await {
            output::line("The provider has not told everything yet.");
        }
        told(layout).await.iter().for_each(output::line);
    }
    output::line(
        "Next: `sukoon orders unexplained --all` names the money that came since and has no \
         booking. `sukoon history BOOKING` shows one; confirm it with `sukoon accept-claim` or \
         give the money back with `sukoon refund`.",
    );
    Ok(())
}

async fn has_asked_the_provider(layout: &Layout) -> bool {
    let due = "select count(*) from timers
               where kind in ('list-payments', 'poll-order') and due_at <= clock_now()
                  or kind = 'ask-sold-order'
                     and (due_at <= clock_now() or payload ->> 'placed' = 'true')";
    let deadline = Instant::now() + READ_WITHIN;
    loop {
        let answer = power::cluster(layout).and_then(|cluster| cluster.ask("payments", due));
        if answer.is_ok_and(|answer| answer == "0") {
            return true;
        }
        if Instant::now() >= deadline {
            return false;
        }
        sleep(Duration::from_millis(500)).await;
    }
}

/// A line per reason; the payments service counts them.
async fn told(layout: &Layout) -> Vec<String> {
    let settings = operations::settings_of(layout, "payments").unwrap_or_default();
    let address = settings.into_iter().find(|(name, _)| name == "METRICS_LISTEN");
    let port = address.and_then(|(_, address)| address.rsplit_once(':')?.1.parse().ok());
    let Some(port) = port else { return Vec::new() };
    let Some(answer) = healthz::get(port, "/metrics").await else { return Vec::new() };
    reasons(&answer.body)
}

fn reasons(metrics: &str) -> Vec<String> {
    let lines = metrics.lines().filter_map(|line| {
        let (labels, value) = line.strip_prefix(METRIC)?.split_once('}')?;
        let reason = labels.split_once("reason=\"")?.1.split_once('"')?.0;
        let count = value.trim().trim_end_matches(".0");
        (count != "0").then(|| format!("  {count} {reason}"))
    });
    let mut lines: Vec<String> = lines.collect();
    let title = match lines.is_empty() {
        true => "Every order and payment that the provider knows is explained so far.",
        false => "Not explained by what was restored:",
    };
    lines.insert(0, title.to_owned());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nothing_explains_is_counted_by_its_reason() {
        let metrics = "# HELP x\nsukoon_money_unexplained{reason=\"CAPTURED_NOT_PLACED\"} 2\n\
                       sukoon_money_unexplained{reason=\"NOT_SETTLED\"} 0\n";
        let told = reasons(metrics);
        assert_eq!(told, ["Not explained by what was restored:", "  2 CAPTURED_NOT_PLACED"]);
        assert!(reasons("")[0].contains("is explained so far"));
    }
}
