//! Runs many seeds on all cores.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;

use crate::simulator::{Coverage, Outcome, RunOptions, run};

/// The progress of a run over many seeds.
#[derive(Debug)]
pub struct Progress<'o> {
    /// How many seeds were run.
    pub done: u64,
    /// The run that has just ended, if anything is wrong with it.
    pub failed: Option<&'o Outcome>,
}

/// The totals of all runs.
#[derive(Debug, Default)]
pub struct Total {
    /// The coverage of all runs.
    pub coverage: Coverage,
    /// How many runs broke something.
    pub failed: u64,
}

/// Runs `count` seeds from the first on, and reports each to `report`.
pub fn run_seeds(
    first: u64,
    count: u64,
    options: RunOptions,
    mut report: impl FnMut(Progress<'_>),
) -> Total {
    let next = AtomicU64::new(0);
    let (sender, outcomes) = mpsc::channel();
    let mut total = Total::default();
    let cores = thread::available_parallelism().map_or(2, std::num::NonZero::get);
    thread::scope(|scope| {
        for _ in 0..cores {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    // An error means that the receiver is gone.
                    if at >= count || sender.send(run(first + at, options)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for (outcome, done) in outcomes.iter().zip(1..) {
            total.coverage.add(&outcome.coverage);
            let is_clean = outcome.is_clean();
            total.failed += u64::from(!is_clean);
            report(Progress { done, failed: (!is_clean).then_some(&outcome) });
        }
    });
    total
}
