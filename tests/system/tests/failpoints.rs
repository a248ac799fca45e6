//! A process is killed before and after every durable step of every service. A file lists all
//! steps, so a new step has to be added to it. Once it is proved, `make test` kills at each tenth.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::json;
use system::accounts::account_lifecycle;
use system::forms::{fail_a_mail, submit_forms};
use system::practice::RAISED_LIMITS;
use system::practice_folder::PracticeFolder;
use system::reviews::review_lifecycle;
use system::saga::{Plan, SagaRunner};
use system::{Failpoints, Practice, calendars};
use testkit::proof::cases;

/// Every failpoint, one per line. Those that begin with `~` are passed only when two things
/// coincide; they are armed and need not be hit.
const LISTED: &str = include_str!("../failpoints.txt");
/// How many rounds may be run until every failpoint was passed.
const ROUNDS_MAX: usize = 8;

#[tokio::test(flavor = "multi_thread")]
async fn every_durable_step_survives_a_kill() -> Result<()> {
    // Each failpoint costs a restart, and a call may meet those of one service one after another.
    testkit::wait::be_patient(Duration::from_secs(900));
    let failpoints = Failpoints::new()?;
    let mut settings = RAISED_LIMITS.to_vec();
    let folder = PracticeFolder::with(calendars::CALENDAR)?;
    let path = folder.path();
    settings.extend([failpoints.setting()?, ("SUKOON_RESTART_MS_MAX", "50")]);
    settings.extend([("PRACTICE_DIR", path.as_str()), ("BOOKING_SCHEDULING_URL", "sandbox")]);
    let practice = Practice::start(&settings).await?;
    let (always, sometimes) = listed();
    round(&practice).await.context("without a kill")?;
    practice.run_to_completion().await.context("without a kill")?;
    practice.check().await.context("without a kill")?;
    let seen = failpoints.seen()?;
    let new: Vec<_> = seen.iter().filter(|it| !always.contains(*it)).collect();
    let new: Vec<_> = new.into_iter().filter(|it| !sometimes.contains(*it)).collect();
    assert!(new.is_empty(), "durable steps that tests/system/failpoints.txt lacks: {new:#?}");
    let gone: Vec<_> = always.difference(&seen).collect();
    assert!(gone.is_empty(), "no process passes these any more: {gone:#?}");
    for name in cases("failpoints", always.iter().chain(&sometimes)) {
        failpoints.arm(name)?;
    }
    let always: BTreeSet<_> = failpoints.armed()?.intersection(&always).cloned().collect();
    tokio::select! {
        killed = until_all_have_died(&practice, &failpoints, &always) => killed?,
        ended = failpoints.end_leases_of_dead_processes(&practice) => ended?,
    }
    failpoints.disarm_all()?;
    let died = failpoints.died()?;
    let alive: Vec<_> = always.difference(&died).collect();
    assert!(alive.is_empty(), "nobody died at {alive:#?}");
    println!("killed at {} places", died.len());
    practice.check().await
}

async fn until_all_have_died(
    practice: &Practice,
    failpoints: &Failpoints,
    always: &BTreeSet<String>,
) -> Result<()> {
    for count in 1..=ROUNDS_MAX {
        round(practice).await.with_context(|| format!("round {count}"))?;
        practice.run_to_completion().await.with_context(|| format!("after round {count}"))?;
        let (armed, died) = (failpoints.armed()?, failpoints.died()?);
        let left: Vec<_> = armed.intersection(always).collect();
        let mut out = std::io::stdout();
        writeln!(out, "round {count}: killed at {} places; left: {left:?}", died.len())?;
        if left.is_empty() {
            break;
        }
    }
    Ok(())
}

/// Every plan of a booking, an account's lifecycle, a review, the forms and the calendars,
/// concurrently.
async fn round(practice: &Practice) -> Result<()> {
    // A refused mail is retried; one is refused permanently.
    let refused = json!({ "target": "smtp", "kind": "refuse", "times": 1 });
    practice.sandbox_post("/api/faults", &refused).await?;
    // A refund that fails at the provider is renewed.
    let failed = json!({ "target": "refunds.process", "kind": "refuse", "times": 1 });
    practice.sandbox_post("/api/faults", &failed).await?;
    let runner = SagaRunner::new(practice).await?;
    let bookings = runner.run_all(&Plan::ALL);
    let others = futures::future::try_join3(
        submit_forms(practice),
        fail_a_mail(practice),
        calendars::read_and_give(practice),
    );
    let (played, visited, reviewed, written) =
        tokio::join!(bookings, account_lifecycle(practice), review_lifecycle(practice), others);
    played?;
    visited?;
    reviewed?;
    written.map(|_all| ())
}

fn listed() -> (BTreeSet<String>, BTreeSet<String>) {
    let lines = LISTED.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines = lines.filter(|line| !line.starts_with('#'));
    let (sometimes, always): (Vec<_>, Vec<_>) = lines.partition(|line| line.starts_with('~'));
    let sometimes = sometimes.into_iter().map(|line| line.trim_start_matches('~').to_owned());
    (always.into_iter().map(str::to_owned).collect(), sometimes.collect())
}
