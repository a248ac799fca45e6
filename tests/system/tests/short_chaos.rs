//! The short form of `make chaos`: every kind of fault is injected at least once in a minute. More
//! than a thousand dropped requests leave no connection in a transaction. Once they are proved,
//! `make test` plays a part of each.

use std::time::Duration;

use anyhow::Result;
use system::Practice;
use system::chaos::{RequestDropper, Settings, idle_transactions, run};
use system::practice::RAISED_LIMITS;
use system::saga::{Plan, SagaRunner};
use testkit::proof::is_whole;
use testkit::until;

/// A fixed seed, so that each run has the same faults.
const SEED: u64 = 20_261_121;
/// How many requests are dropped in the whole proof.
const DROPS: usize = 1_200;
/// What this run plays whole or in part.
const PROOF: &str = "short_chaos";

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_in_a_minute_of_chaos() -> Result<()> {
    let is_whole = is_whole(PROOF);
    let settings = Settings {
        length: Duration::from_secs(if is_whole { 50 } else { 10 }),
        seed: SEED,
        customers: 6,
        drops: if is_whole { 200 } else { 20 },
        pause: Duration::from_millis(3_500),
    };
    let report = run(settings).await?;
    println!("{report}");
    let details = report.details.join("\n  ");
    assert!(report.is_clean(), "{report}\n  {details}");
    if !is_whole {
        return Ok(());
    }
    // In so short a run there may be no commit to kill.
    let missing = report.missing();
    assert!(missing.iter().all(|kind| *kind == "commit killed"), "never: {missing:?}\n  {details}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn dropped_requests_leave_no_idle_transaction() -> Result<()> {
    let practice = Practice::start(&RAISED_LIMITS).await?;
    let dropper = RequestDropper::new(&practice).await?;
    let runner = SagaRunner::new(&practice).await?;
    let wanted = if is_whole(PROOF) { DROPS } else { DROPS / 10 };
    let at_once = wanted.min(400);
    let mut dropped = 0;
    let (mut round, mut worst) = (0, 0);
    while dropped < wanted {
        let (gone, played) =
            tokio::join!(dropper.drop_many(at_once, round), runner.run_all(&[Plan::Answered; 3]));
        played?;
        dropped += gone?;
        round += 1;
        worst = worst.max(idle_transactions(&practice).await?);
    }
    println!("{dropped} requests were dropped");
    // After ten seconds every leaked transaction counts.
    until("eleven seconds are over", async || {
        worst = worst.max(idle_transactions(&practice).await?);
        let mut database = practice.database("booking").await?;
        let over: bool = sqlx::query_scalar(
            "select clock_timestamp() - max(state_change) > interval '11 seconds'
             from pg_stat_activity
             where usename in ('booking', 'payments') and state like 'idle in transaction%'
             having count(*) > 0
             union all select true limit 1",
        )
        .fetch_one(&mut database)
        .await?;
        Ok(over.then_some(()))
    })
    .await?;
    assert_eq!(worst, 0, "sessions were left idle in a transaction");
    practice.check().await
}
