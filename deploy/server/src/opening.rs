//! Whether the practice is open.
use super::files::INNER_PORT;
use anyhow::{Result, bail};
use machine::report::Report;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long the services may take to be ready.
const READY_WITHIN: Duration = Duration::from_secs(180);

/// Waits until the practice answers that it is open.
pub(crate) async fn wait_until_open() -> Result<()> {
    let deadline = Instant::now() + READY_WITHIN;
    loop {
        let report = Report::ask(INNER_PORT).await;
        if let Some(report) = report.filter(Report::is_open) {
            report.print_concerns();
            return Ok(());
        }
        if Instant::now() >= deadline {
            bail!(
                "the practice is not open after {READY_WITHIN:?}; `sukoon status` and `sukoon \
                 logs` say what is wrong"
            );
        }
        sleep(Duration::from_millis(500)).await;
    }
}
