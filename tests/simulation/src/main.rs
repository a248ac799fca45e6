//! `simulate RUNS` runs so many booking attempts from seed 0 on, `simulate 0 SEED` one run of this
//! seed with every line of its trace. It ends with 1 when an invariant is broken.

use std::io::{self, Write as _};
use std::process::ExitCode;

use simulation::seeds::{Progress, run_seeds};
use simulation::simulator::{Outcome, RunOptions, SAGAS, run};

/// The default number of booking attempts.
const RUNS: u64 = 10_000;

fn main() -> ExitCode {
    let numbers: Vec<Option<u64>> =
        std::env::args().skip(1).map(|argument| argument.parse().ok()).collect();
    let written = match numbers.as_slice() {
        [] => run_many(RUNS, 0),
        [Some(0), Some(seed)] => replay(*seed),
        [Some(runs)] => run_many(*runs, 0),
        [Some(runs), Some(seed)] => run_many(*runs, *seed),
        _ => say("Usage: simulate [RUNS] [SEED]; RUNS=0 replays the run of SEED.").map(|()| false),
    };
    // When the output cannot be written, the error cannot be reported either.
    if written.unwrap_or(false) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn say(line: &str) -> io::Result<()> {
    writeln!(io::stdout().lock(), "{line}")
}

/// Replays one run and shows everything.
fn replay(seed: u64) -> io::Result<bool> {
    let outcome = run(seed, RunOptions { keeps_lines: true, ..RunOptions::default() });
    for line in &outcome.lines {
        say(line)?;
    }
    say(&format!("seed {seed}, trace {:016x}", outcome.trace_hash))?;
    if !outcome.is_clean() {
        print_events(&outcome)?;
    }
    report(&outcome)?;
    Ok(outcome.is_clean())
}

/// What the logs hold of bookings and money at the end of a run.
fn print_events(outcome: &Outcome) -> io::Result<()> {
    for (name, log) in outcome.snapshot.logs() {
        for row in log.events.iter().filter(|_| ["booking", "payments"].contains(&name)) {
            let it = &row.event;
            let (at, stream, kind) = (it.recorded_at, &it.stream_id, &it.event_type);
            say(&format!("event {at} {stream} {kind} {}", it.payload))?;
        }
    }
    Ok(())
}

fn report(outcome: &Outcome) -> io::Result<()> {
    for violation in &outcome.violations {
        say(&format!("  {violation}"))?;
    }
    for broken in &outcome.broken {
        say(&format!("  broken: {broken}"))?;
    }
    if !outcome.is_clean() {
        say(&format!("  replay: make simulate RUNS=0 SEED={}", outcome.seed))?;
    }
    Ok(())
}

/// Runs many seeds on all cores.
fn run_many(runs: u64, first_seed: u64) -> io::Result<bool> {
    let seeds = runs.div_ceil(SAGAS as u64);
    let mut reported = 0;
    let total = run_seeds(first_seed, seeds, RunOptions::default(), |progress| {
        let Progress { done, failed } = progress;
        if let Some(outcome) = failed {
            say(&format!("seed {} breaks:", outcome.seed)).ok();
            report(outcome).ok();
        }
        let percent = done.saturating_mul(20).checked_div(seeds).unwrap_or(0);
        if percent > reported {
            reported = percent;
            say(&format!("{done} of {seeds} runs")).ok();
        }
    });
    let coverage = &total.coverage;
    say(&format!(
        "sagas {}, acknowledged {}, runs that break {}, for a person {}",
        coverage.sagas, coverage.acknowledged, total.failed, coverage.human_tasks
    ))?;
    for (fault, count) in &coverage.faults {
        say(&format!("  fault {fault:?} {count}"))?;
    }
    for (end, count) in &coverage.ends {
        say(&format!("  end {end:?} {count}"))?;
    }
    Ok(total.failed == 0)
}
