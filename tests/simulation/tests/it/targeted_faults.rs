//! Injects a fault at every opportunity of a run, one per run, instead of at random ones.

use simulation::simulator::{Fault, RunOptions, TargetedFault, run};

/// What can happen at every step of our services, or on every way between them.
const FAULTS: [Fault; 12] = [
    Fault::CrashBeforeCommit,
    Fault::CrashAfterCommit,
    Fault::CrashAfterEffect,
    Fault::CommitRefused,
    Fault::UnknownCommit,
    Fault::Zombie,
    Fault::RelayDied,
    Fault::MessageLost,
    Fault::MessageRepeated,
    Fault::WebhookLost,
    Fault::MailTakenThenCrash,
    Fault::MailAnswerLost,
];
/// How many bookings there are in each of these runs.
const SAGAS: Option<usize> = Some(3);

/// Injects a fault at one opportunity; returns how many opportunities the run has.
fn inject(seed: u64, fault: Fault, at: u64) -> u64 {
    let targeted_fault = Some(TargetedFault::new(fault, at));
    let outcome = run(seed, RunOptions { targeted_fault, sagas: SAGAS, ..RunOptions::default() });
    let what = format!("{:?} {:?}", outcome.violations, outcome.broken);
    assert!(outcome.is_clean(), "seed {seed}, {fault:?} number {at}: {what}");
    outcome.opportunities
}

/// Injects a fault at all opportunities of the runs, one at a time.
fn inject_everywhere(seeds: std::ops::Range<u64>) {
    let mut injected = 0;
    for fault in FAULTS {
        let mut of_fault = 0;
        for seed in seeds.clone() {
            let opportunities = inject(seed, fault, 0);
            for at in 1..=opportunities {
                inject(seed, fault, at);
            }
            of_fault += opportunities;
        }
        assert!(of_fault > 0, "{fault:?} has no place in these runs");
        injected += of_fault;
    }
    assert!(injected > 1_000, "only {injected} strikes");
}

#[test]
fn every_step_survives_every_fault() {
    inject_everywhere(0..2);
}

#[test]
fn every_step_of_third_parties_survives_every_fault() {
    inject_everywhere(2..4);
}
