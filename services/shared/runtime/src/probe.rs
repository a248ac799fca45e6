//! A probe: a process regularly tries what its callers need, and reports the results.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

use crate::error::BoxError;
use crate::metrics::catalogue::{PROBE_AGE, PROBE_DURATION, PROBE_FAILURES};
use crate::metrics::{self, Label, Reading};
use crate::settings::Reader;
use crate::shutdown::Shutdown;
use crate::status;

/// How long one step may take; then it has failed.
const STEP_TIMEOUT: Duration = Duration::from_secs(10);

/// How often a process probes itself; `PROBE_SECONDS`, off when it is absent or 0.
#[must_use]
pub fn read_period(reader: &mut Reader<'_>) -> Option<Duration> {
    let seconds = reader.parse_or("PROBE_SECONDS", 0_u64);
    (seconds > 0).then(|| Duration::from_secs(seconds))
}

/// The results of a probe's steps.
#[derive(Debug, Clone)]
pub struct Probe {
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    /// How often in succession each step has failed.
    failures: BTreeMap<&'static str, i64>,
    /// When the steps were last done, or the probe began.
    done_at: Instant,
}

impl Default for Probe {
    fn default() -> Self {
        Self::new()
    }
}

impl Probe {
    /// A probe without results yet. Its gauges are a source of this process's metrics.
    #[must_use]
    pub fn new() -> Self {
        let state = State { failures: BTreeMap::new(), done_at: Instant::now() };
        let probe = Self { state: Arc::new(Mutex::new(state)) };
        let measured = probe.clone();
        metrics::add_source("probe", Duration::ZERO, move || {
            std::future::ready(Ok(measured.readings()))
        });
        probe
    }

    /// Runs one step, records how long it took and whether it succeeded, and returns the latter.
    pub async fn step<E: Into<BoxError>>(
        &self,
        kind: &'static str,
        work: impl Future<Output = Result<(), E>>,
    ) -> bool {
        let began = Instant::now();
        let failure = match timeout(STEP_TIMEOUT, work).await {
            Ok(Ok(())) => None,
            Ok(Err(error)) => {
                let error: BoxError = error.into();
                Some(status::chain(error.as_ref()))
            }
            Err(_elapsed) => Some("it took too long".to_owned()),
        };
        let is_done = failure.is_none();
        let outcome = if is_done { "done" } else { "failed" };
        let labels = [Label::Kind.of(kind), Label::Outcome.of(outcome)];
        PROBE_DURATION.record(began.elapsed(), &labels);
        let mut state = self.state();
        let failures = state.failures.entry(kind).or_default();
        *failures = if is_done { 0 } else { failures.saturating_add(1) };
        if let Some(error) = failure {
            tracing::warn!(step = kind, error, failures = *failures, "the probe failed");
        }
        is_done
    }

    /// What is told now.
    #[must_use]
    pub fn readings(&self) -> Vec<Reading> {
        let state = self.state();
        let age = i64::try_from(state.done_at.elapsed().as_secs()).unwrap_or(i64::MAX);
        let mut readings = vec![Reading::plain(&PROBE_AGE, age)];
        let failures = state.failures.iter();
        readings.extend(failures.map(|(kind, failures)| {
            Reading::new(&PROBE_FAILURES, *failures, [Label::Kind.of(*kind)])
        }));
        readings
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere cannot leave it half-written.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs the steps every `period` until the shutdown signal is given.
pub async fn run<F>(period: Duration, shutdown: Shutdown, steps: impl Fn(Probe) -> F + Send)
where
    F: Future<Output = ()> + Send,
{
    let probe = Probe::new();
    let mut period = interval(period);
    period.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let stop = shutdown.wait();
    tokio::pin!(stop);
    loop {
        tokio::select! {
            () = &mut stop => return,
            _ = period.tick() => {}
        }
        tokio::select! {
            () = &mut stop => return,
            () = steps(probe.clone()) => {}
        }
        probe.state().done_at = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::{Probe, read_period, run};
    use crate::Shutdown;
    use crate::error::BoxError;
    use crate::settings::Reader;
    use std::time::Duration;

    /// The name and value of each gauge.
    fn told(probe: &Probe) -> Vec<(String, i64)> {
        let readings = probe.readings();
        let named = readings.iter().map(super::Reading::told);
        named.map(|(name, labels, value)| (format!("{name} {}", labels.join(" ")), value)).collect()
    }

    #[tokio::test]
    async fn failures_in_succession_are_counted_until_a_step_succeeds() {
        let probe = Probe::new();
        for _ in 0..2 {
            assert!(!probe.step("hold", async { Err::<(), BoxError>("gone".into()) }).await);
        }
        assert!(probe.step("order", async { Ok::<(), BoxError>(()) }).await);
        let failures = |told: Vec<(String, i64)>| told.into_iter().skip(1).collect::<Vec<_>>();
        let hold = |count| ("sukoon.probe.failures hold".to_owned(), count);
        let order = ("sukoon.probe.failures order".to_owned(), 0);
        assert_eq!(failures(told(&probe)), [hold(2), order.clone()]);
        probe.step("hold", async { Ok::<(), BoxError>(()) }).await;
        assert_eq!(failures(told(&probe)), [hold(0), order]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_step_that_hangs_has_failed_and_age_grows_until_the_steps_are_done() {
        let probe = Probe::new();
        assert!(!probe.step("order", std::future::pending::<Result<(), BoxError>>()).await);
        let told = told(&probe);
        assert_eq!(told[0], ("sukoon.probe.age ".to_owned(), 10));
        assert_eq!(told[1], ("sukoon.probe.failures order".to_owned(), 1));
    }

    #[tokio::test(start_paused = true)]
    async fn it_tries_in_its_period_until_the_process_stops() {
        let (shutdown, stop) = (Shutdown::new(), Shutdown::new());
        let given = shutdown.clone();
        let tried = std::sync::atomic::AtomicU32::new(0);
        let begin = tokio::time::Instant::now();
        run(Duration::from_secs(60), shutdown, |_probe| {
            if tried.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 2 {
                given.trigger();
            }
            std::future::ready(())
        })
        .await;
        assert_eq!(begin.elapsed(), Duration::from_secs(120));
        assert!(!stop.is_triggered());
    }

    #[test]
    fn it_is_off_unless_a_setting_says_how_often() {
        let period = |value: &'static str| {
            let source: &[(&str, &str)] = &[("PROBE_SECONDS", value)];
            read_period(&mut Reader::new(&source))
        };
        assert_eq!((period(""), period("0")), (None, None));
        assert_eq!(period("60"), Some(Duration::from_secs(60)));
    }
}
