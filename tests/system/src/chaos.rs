//! Clients book, pay, claim and abandon continuously while random faults are injected; then all
//! faults are removed, the clocks are moved until everything has ended, and the checker reports
//! what is lost, double or unresolved.

mod clients;
mod clocks;
mod dropped_requests;
mod fault_kinds;
mod faults;
mod restore;
mod second_process;
mod settings;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::AtomicUsize;

use anyhow::Result;
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use tokio::time::Instant;

use self::clients::ClientPool;
use self::faults::FaultInjector;
use crate::failpoints::Failpoints;
use crate::practice::{Practice, RAISED_LIMITS};
use crate::saga::SagaRunner;
use crate::verdict::Verdict;

pub use self::dropped_requests::{RequestDropper, idle_transactions};
pub use self::settings::Settings;

/// The result of a run.
#[derive(Debug)]
pub struct Report {
    sagas: usize,
    faults: BTreeMap<&'static str, usize>,
    acknowledged: usize,
    lost: usize,
    double: usize,
    unresolved: usize,
    minutes: u64,
    /// A description of everything that was wrong.
    pub details: Vec<String>,
}

impl Report {
    /// Whether nothing is lost, double or unresolved.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.lost == 0 && self.double == 0 && self.unresolved == 0
    }

    /// The kinds of faults that were never injected.
    #[must_use]
    pub fn missing(&self) -> Vec<&'static str> {
        fault_kinds::names().filter(|name| !self.faults.contains_key(name)).collect()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let faults = self.faults.iter().map(|(kind, count)| format!("{kind}: {count}"));
        let faults = faults.collect::<Vec<_>>().join(", ");
        let Self { sagas, acknowledged, lost, double, unresolved, minutes, .. } = self;
        write!(
            f,
            "chaos: {sagas} sagas, faults {{{faults}}}, {acknowledged} acknowledged, {lost} lost, \
             {double} double, {unresolved} unresolved, {minutes} minutes"
        )
    }
}

/// Runs chaos against a practice of its own.
///
/// When it cannot start, or does not become idle afterwards.
pub async fn run(settings: Settings) -> Result<Report> {
    let began = Instant::now();
    let failpoints = Failpoints::new()?;
    let mut given = RAISED_LIMITS.to_vec();
    given.extend([failpoints.setting()?, ("SUKOON_RESTART_MS_MAX", "1000")]);
    let practice = Practice::start(&given).await?;
    let runner = SagaRunner::new(&practice).await?;
    let clients = ClientPool::new(&runner);
    let rng = StdRng::seed_from_u64(settings.seed);
    let mut injector = FaultInjector::new(&practice, &failpoints, &clients, rng, settings);
    let worst = AtomicUsize::new(0);
    let watching = async {
        tokio::select! {
            ended = clients.run(settings.customers, settings.seed) => ended,
            moved = clocks::advance_randomly(&practice, settings.seed) => moved,
            kept = clients.record_mails(&practice) => kept,
            watched = dropped_requests::watch(&practice, &worst) => watched,
        }
    };
    let running = async {
        let struck = injector.run().await;
        clients.stop();
        struck
    };
    let (watched, struck) = tokio::join!(watching, running);
    struck?;
    watched?;
    let mut details = injector.failures();
    let mut wrong = clients.unfinished();
    if let Err(error) = practice.run_to_completion().await {
        wrong.push(format!("it does not come to rest: {error:#}"));
    }
    let poisoned = worst.into_inner();
    if poisoned > 0 {
        wrong.push(format!("{poisoned} sessions were idle in a transaction"));
    }
    let verdict = Verdict::of(&practice, wrong).await?;
    details.extend(verdict.details);
    Ok(Report {
        sagas: clients.sagas(),
        faults: injector.counts(),
        acknowledged: verdict.acknowledged,
        lost: verdict.lost,
        double: verdict.double,
        unresolved: verdict.unresolved,
        minutes: began.elapsed().as_secs().div_ceil(60),
        details,
    })
}
