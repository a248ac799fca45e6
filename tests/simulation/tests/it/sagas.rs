//! Ten thousand booking attempts with every fault: no invariant is broken, nothing is parked, and
//! every fault and every end really occurred. `make test` plays the same ones each time, so that it
//! fails by a change and not by a draw, and a tenth of them once they are proved; `make prove`
//! plays others.

use simulation::seeds::run_seeds;
use simulation::simulator::{End, Fault, RunOptions, SAGAS, run};

/// What the whole proof runs.
const ATTEMPTS: u64 = 10_000;

/// The first seed: 0, or what `make prove` has drawn.
#[expect(clippy::disallowed_methods, reason = "tests have no settings but this one")]
fn first_seed() -> u64 {
    let drawn = std::env::var("SUKOON_PROVE_SEED").ok();
    drawn.and_then(|seed| seed.parse().ok()).unwrap_or(0)
}

#[test]
fn ten_thousand_sagas_break_nothing_and_go_through_everything() {
    let is_whole = testkit::proof::is_whole("sagas");
    let attempts = if is_whole { ATTEMPTS } else { ATTEMPTS / 10 };
    let seeds = attempts.div_ceil(SAGAS as u64);
    let mut broken = Vec::new();
    let total = run_seeds(first_seed(), seeds, RunOptions::default(), |progress| {
        if let Some(outcome) = progress.failed {
            let what = format!("{:?} {:?}", outcome.violations, outcome.broken);
            broken.push(format!("make simulate RUNS=0 SEED={}: {what}", outcome.seed));
        }
    });
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(total.coverage.sagas >= attempts);
    if !is_whole {
        // The rarest ends are one in thousands.
        return;
    }
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
