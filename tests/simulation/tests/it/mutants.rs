//! Each check can fail: a mistake that the code could have is made on purpose, and the checker
//! reports the invariant that it breaks.

use std::collections::BTreeSet;

use checker::Invariant;
use simulation::simulator::{Mutant, RunOptions, run};

/// How many runs a mistake may take to be seen. Most need a few; polling that ends too early needs
/// late money that no webhook reports, in a run without the nightly list.
const SEEDS: u64 = 600;
/// How many runs a mistake that breaks nothing is given.
const HARMLESS_SEEDS: u64 = 60;

/// The invariants that a mistake breaks in the runs up to the first one that breaks `wanted`.
fn broken_by(mutant: Mutant, wanted: Invariant) -> BTreeSet<Invariant> {
    let mut seen = BTreeSet::new();
    for seed in 0..SEEDS {
        let outcome = run(seed, RunOptions { mutant: Some(mutant), ..RunOptions::default() });
        seen.extend(outcome.violations.iter().map(|violation| violation.invariant));
        if seen.contains(&wanted) {
            break;
        }
    }
    seen
}

#[test]
fn every_mutant_breaks_its_invariant() {
    let mut unseen = Vec::new();
    for (mutant, invariant) in Mutant::ALL {
        let seen = broken_by(mutant, invariant);
        if !seen.contains(&invariant) {
            unseen.push(format!("{mutant:?} breaks {seen:?}, and not {invariant:?}"));
        }
    }
    assert!(unseen.is_empty(), "{}", unseen.join("\n"));
}

/// What the simulator sees by itself, because it leaves nothing behind that is wrong.
#[test]
fn every_mutant_without_a_trace_is_seen_while_it_runs() {
    for (mutant, says) in Mutant::SEEN {
        let is_seen = (0..SEEDS).any(|seed| {
            let options = RunOptions { mutant: Some(mutant), ..RunOptions::default() };
            run(seed, options).broken.iter().any(|broken| broken.contains(says))
        });
        assert!(is_seen, "{mutant:?} is never seen: {says}");
    }
}

#[test]
fn every_invariant_has_a_mutant() {
    for invariant in Invariant::ALL {
        assert!(Mutant::ALL.iter().any(|(_, breaks)| *breaks == invariant), "{invariant:?}");
    }
}

fn assert_harmless(mutant: Mutant) {
    for seed in 0..HARMLESS_SEEDS {
        let outcome = run(seed, RunOptions { mutant: Some(mutant), ..RunOptions::default() });
        assert!(outcome.is_clean(), "seed {seed}: {:?} {:?}", outcome.violations, outcome.broken);
    }
}

/// Deciders know their earlier decisions, so that even a lost inbox causes no second effect.
#[test]
fn consuming_events_again_changes_nothing() {
    assert_harmless(Mutant::ForgetInbox);
}

/// Polling finds every payment and refund that webhooks report, and the nightly list every dispute,
/// only later.
#[test]
fn money_without_a_webhook_is_found() {
    assert_harmless(Mutant::IgnoreWebhooks);
}
