//! Ten thousand booking attempts with every fault: no invariant is broken, nothing is parked, and
//! every fault and every end really occurred. Their seeds are drawn from the hash of the tree.

use std::path::Path;
use std::process::Command;

use simulation::seeds::run_seeds;
use simulation::simulator::{End, Fault, RunOptions, SAGAS, run};

/// What `make test` runs.
const ATTEMPTS: u64 = 10_000;

/// The first seed: the first digits of the committed files' hash, so that the same files give the
/// same runs, and others give other ones. Without git there is one for all.
fn first_seed() -> u64 {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tree = Command::new("git").args(["rev-parse", "HEAD^{tree}"]).current_dir(folder).output();
    let tree = tree.ok().filter(|tree| tree.status.success()).map(|tree| tree.stdout);
    let digits = tree.and_then(|tree| String::from_utf8(tree).ok()?.get(..8).map(str::to_owned));
    digits.and_then(|digits| u64::from_str_radix(&digits, 16).ok()).unwrap_or(0)
}

#[test]
fn ten_thousand_sagas_break_nothing_and_go_through_everything() {
    let seeds = ATTEMPTS.div_ceil(SAGAS as u64);
    let mut broken = Vec::new();
    let total = run_seeds(first_seed(), seeds, RunOptions::default(), |progress| {
        if let Some(outcome) = progress.failed {
            let what = format!("{:?} {:?}", outcome.violations, outcome.broken);
            broken.push(format!("make simulate RUNS=0 SEED={}: {what}", outcome.seed));
        }
    });
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(total.coverage.sagas >= ATTEMPTS);
    for fault in Fault::ALL {
        assert!(total.coverage.faults.contains_key(&fault), "{fault:?} never happened");
    }
    // Each reader of another service's feed has really been a day behind.
    for consumer in ["booking-on-payments", "payments-on-booking", "notifications-on-booking"] {
        let behind = total.coverage.behind.get(consumer).copied().unwrap_or(0);
        assert!(behind > 24 * 60 * 60, "{consumer} was {behind} s behind at most");
    }
    for end in End::ALL {
        assert!(total.coverage.ends.contains_key(&end), "{end:?} was never reached");
    }
}

#[test]
fn one_seed_is_one_trace() {
    for seed in [0, 1, 77, 4_096] {
        let (first, second) = (run(seed, RunOptions::default()), run(seed, RunOptions::default()));
        assert_eq!(first.trace_hash, second.trace_hash, "seed {seed}");
        assert_eq!(format!("{:?}", first.snapshot), format!("{:?}", second.snapshot));
        let kept = run(seed, RunOptions { keeps_lines: true, ..RunOptions::default() });
        assert_eq!(first.trace_hash, kept.trace_hash, "keeping lines changes nothing");
        assert!(kept.lines.len() > 100);
    }
    assert_ne!(run(0, RunOptions::default()).trace_hash, run(1, RunOptions::default()).trace_hash);
}
