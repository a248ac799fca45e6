//! Whether the practice is open, as far as this machine can tell.
use super::files::INNER_PORT;
use super::units::{self, Standing};
use anyhow::{Result, bail};
use machine::report::Report;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long the services may take to be ready.
const READY_WITHIN: Duration = Duration::from_secs(180);
/// How often a part may be started again until it counts as one that does not start.
const RESTARTS_MAX: u32 = 2;
/// How many lines of its log are shown.
const LINES: u8 = 8;

/// Waits until the practice answers that it is open.
///
/// # Errors
/// It is not open in time, or a part does not start; then the error has its last lines.
pub(crate) async fn wait_until_open() -> Result<()> {
    let deadline = Instant::now() + READY_WITHIN;
    let before = units::standings();
    loop {
        let report = Report::ask(INNER_PORT).await;
        if let Some(report) = report.filter(Report::is_open) {
            report.print_concerns();
            return Ok(());
        }
        if let Some(unit) = fails(&before, &units::standings()) {
            let part = units::short(&unit);
            bail!(
                "{part} does not start:\n{}\nIt is tried again by itself once the cause is gone, \
                 or now by `systemctl restart {unit}`",
                units::last_lines(&unit, LINES)
            );
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

/// A unit that has failed, or was started again too often since `before`.
fn fails(before: &[Standing], now: &[Standing]) -> Option<String> {
    let earlier = |unit: &str| before.iter().find(|it| it.unit == unit).map_or(0, |it| it.restarts);
    let fails = |it: &&Standing| {
        // A start by a command counts anew.
        let since = it.restarts.checked_sub(earlier(&it.unit)).unwrap_or(it.restarts);
        it.state == "failed" || since > RESTARTS_MAX
    };
    now.iter().find(fails).map(|it| it.unit.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_failed_or_starts_again_and_again_is_found() {
        let one = |state: &str, restarts| {
            vec![Standing { unit: "sukoon@booking.service".into(), state: state.into(), restarts }]
        };
        assert_eq!(fails(&one("active", 7), &one("activating", 9)), None);
        let found = Some("sukoon@booking.service".to_owned());
        assert_eq!(fails(&one("active", 7), &one("activating", 10)), found);
        assert_eq!(fails(&one("active", 7), &one("activating", 3)), found);
        assert_eq!(fails(&[], &one("failed", 0)), found);
    }
}
