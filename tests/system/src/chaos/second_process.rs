//! Runs a second process of a service beside the first: two relays, two sets of consumers and
//! timers.

use std::time::Duration;

use anyhow::{Result, ensure};

use crate::launch::Launch;
use crate::pause::wait_for;
use crate::practice::{Practice, free_port};

/// How long both run.
const DURATION: Duration = Duration::from_secs(10);

/// Starts a service's program a second time, with the settings of the first and ports of its own,
/// and kills it.
pub(super) async fn run_second_process(practice: &Practice, service: &str) -> Result<()> {
    practice.recorder.record_kill(service);
    let mut launch = Launch::of(practice.pid(service)?)?;
    let upper = service.to_uppercase();
    for name in [&format!("{upper}_LISTEN"), &format!("{upper}_HTTP_LISTEN"), "METRICS_LISTEN"] {
        launch = launch.with(name, format!("127.0.0.1:{}", free_port()?));
    }
    let mut second = launch.spawn(&practice.data().join(format!("logs/{service}-second.log")))?;
    wait_for(DURATION).await;
    let ended = second.ended()?;
    ensure!(ended.is_none(), "the second process of {service} ended by itself: {ended:?}");
    Ok(())
}
