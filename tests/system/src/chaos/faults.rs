//! The faults, and their injection.

use std::collections::BTreeMap;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use futures::future::LocalBoxFuture;
use futures::stream::{FuturesUnordered, StreamExt as _};
use rand::RngExt as _;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use serde_json::{Value, json};
use sqlx::{Executor as _, PgConnection};
use tokio::time::Instant;

use super::clients::ClientPool;
use super::dropped_requests::RequestDropper;
use super::fault_kinds::{self, FaultKind, ShuffledKinds};
use super::settings::Settings;
use super::{restore, second_process};
use crate::failpoints::Failpoints;
use crate::pause::wait_for;
use crate::practice::{KILLABLE_PARTS, Practice, STORES};

/// How many failpoints are armed until the first has struck: a short run passes few of them.
const INITIALLY_ARMED: usize = 8;
/// Every failpoint; see `tests/failpoints.rs`.
const FAILPOINTS: &str = include_str!("../../failpoints.txt");
/// Kinds of faults of the provider's HTTP API.
const HTTP_FAULTS: [&str; 5] = ["delay", "drop", "status", "refuse", "timeout_after_success"];
const PROVIDER_TARGETS: [&str; 10] = [
    "orders.create",
    "orders.fetch.list",
    "orders.fetch.payments",
    "payments.fetch.one",
    "payments.fetch.refunds",
    "refunds.create",
    "refunds.fetch",
    "refunds.process",
    "settlements",
    "meetings.create",
];
const WEBHOOK_FAULTS: [&str; 6] =
    ["delay", "drop", "status", "timeout_after_success", "duplicate", "reorder"];
const SMTP_FAULTS: [&str; 6] =
    ["delay", "drop", "status", "refuse", "timeout_after_success", "duplicate"];
/// How often the database is searched for a commit in progress.
const COMMIT_POLLS_MAX: usize = 2_000;

/// How often and how many times a fault is retried whose target is down.
const RETRY_EVERY: Duration = Duration::from_millis(500);
const RETRIES_MAX: usize = 30;
/// For how long payers pay another amount.
const OTHER_AMOUNTS_FOR: Duration = Duration::from_secs(5);
/// How long the sandbox may take to clear all faults, and to answer one request.
const CLEAR_TIMEOUT: Duration = Duration::from_secs(120);
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);

/// A fault in progress; its output says how often it struck.
type Injection<'s> = LocalBoxFuture<'s, (FaultKind, Result<usize>)>;

/// Injects faults.
pub(super) struct FaultInjector<'s, 'p> {
    practice: &'p Practice,
    failpoints: &'s Failpoints,
    clients: &'s ClientPool<'s, 'p>,
    rng: StdRng,
    settings: Settings,
    counts: BTreeMap<&'static str, usize>,
    /// The number of failed injections of each kind, and the last error.
    failed: BTreeMap<&'static str, (usize, String)>,
}

impl<'s, 'p> FaultInjector<'s, 'p> {
    pub(super) fn new(
        practice: &'p Practice,
        failpoints: &'s Failpoints,
        clients: &'s ClientPool<'s, 'p>,
        rng: StdRng,
        settings: Settings,
    ) -> Self {
        let (counts, failed) = (BTreeMap::new(), BTreeMap::new());
        Self { practice, failpoints, clients, rng, settings, counts, failed }
    }

    /// How often each kind was injected.
    pub(super) fn counts(&self) -> BTreeMap<&'static str, usize> {
        self.counts.clone()
    }

    /// Describes the injections that failed because their target was down.
    pub(super) fn failures(&self) -> Vec<String> {
        let failed = self.failed.iter();
        failed
            .map(|(kind, (times, last))| format!("{kind}: {times} came to nothing, last: {last}"))
            .collect()
    }

    /// Injects faults until the time is over, and then removes all of them.
    pub(super) async fn run(&mut self) -> Result<()> {
        let dropper = RequestDropper::new(self.practice).await?;
        let end = Instant::now() + self.settings.length;
        let mut kinds = ShuffledKinds::default();
        let mut running: FuturesUnordered<Injection<'_>> = FuturesUnordered::new();
        let mut drawn = 0;
        // Every kind is injected once, even in a short run.
        while Instant::now() < end || drawn < fault_kinds::names().count() {
            drawn += 1;
            let kind = kinds.draw(&mut self.rng);
            if kind == FaultKind::Restore {
                while let Some((kind, struck)) = running.next().await {
                    self.count(kind, struck);
                }
                let restored = self.restore().await;
                self.count(kind, restored.map(|()| 1));
                continue;
            }
            running.push(inject(kind, self.practice, &dropper, self.draw_parameters(kind)));
            let longest = u64::try_from(self.settings.pause.as_millis())?;
            let pause =
                wait_for(Duration::from_millis(self.rng.random_range(longest / 3..=longest)));
            tokio::pin!(pause);
            loop {
                tokio::select! {
                    () = &mut pause => break,
                    Some((kind, struck)) = running.next() => self.count(kind, struck),
                }
            }
        }
        while let Some((kind, struck)) = running.next().await {
            self.count(kind, struck);
        }
        let wanted = self.settings.drops;
        // Only requests without an answer are counted.
        for _attempt in 0..wanted {
            if self.counts.get(FaultKind::Drops.name()).copied().unwrap_or(0) >= wanted {
                break;
            }
            let parameters = self.draw_parameters(FaultKind::Drops);
            let (kind, struck) =
                inject(FaultKind::Drops, self.practice, &dropper, parameters).await;
            self.count(kind, struck);
        }
        self.count_failpoints()?;
        self.clear_faults().await
    }

    fn drops_per_injection(&self) -> usize {
        (self.settings.drops / 40).clamp(50, 500)
    }

    /// Counts an injection; one that failed because its target was down is not counted.
    fn count(&mut self, kind: FaultKind, struck: Result<usize>) {
        match struck {
            Ok(0) => {}
            Ok(times) => *self.counts.entry(kind.name()).or_default() += times,
            Err(error) => {
                let (times, last) = self.failed.entry(kind.name()).or_default();
                (*times, *last) = (*times + 1, format!("{error:#}"));
            }
        }
    }

    fn count_failpoints(&mut self) -> Result<()> {
        let died = self.failpoints.died()?.len();
        if died > 0 {
            self.counts.insert(FaultKind::Failpoint.name(), died);
        }
        Ok(())
    }

    /// Removes every fault.
    async fn clear_faults(&self) -> Result<()> {
        self.failpoints.disarm_all()?;
        self.practice.wait_until_healthy().await?;
        let url = format!("{}/api/faults", self.practice.sandbox);
        // One request that hangs on a busy machine must not use up the whole timeout.
        testkit::until_within(CLEAR_TIMEOUT, "faults are cleared", async || {
            let cleared = self.practice.http.delete(&url).timeout(REQUEST_TIMEOUT).send().await;
            Ok(cleared.ok().filter(|answer| answer.status().is_success()).map(|_answer| ()))
        })
        .await
    }

    async fn restore(&mut self) -> Result<()> {
        let _exclusive = self.clients.lock_exclusively().await;
        self.clear_faults().await?;
        restore::from_backup(self.practice).await
    }

    /// Draws the random parameters of an injection beforehand, so that a seed gives the same
    /// faults.
    fn draw_parameters(&mut self, kind: FaultKind) -> Value {
        let rng = &mut self.rng;
        match kind {
            FaultKind::Failpoint => {
                let names: Vec<&str> =
                    FAILPOINTS.lines().filter(|line| !line.starts_with('#')).collect();
                let struck = self.counts.contains_key(FaultKind::Failpoint.name());
                let many = if struck { 1 } else { INITIALLY_ARMED };
                for name in names.sample(rng, many) {
                    let name = name.trim_start_matches('~');
                    if name.starts_with("notifications.") {
                        self.practice.recorder.record_kill("notifications");
                    }
                    // A failpoint that is never passed stays armed; a claimed one is gone.
                    self.failpoints.arm(name).ok();
                }
                Value::Null
            }
            FaultKind::Kill => {
                let all = [&KILLABLE_PARTS[..], &["sandbox"]].concat();
                json!(all.choose(rng))
            }
            FaultKind::Zombie => {
                let part =
                    ["booking", "payments", "notifications", "identity", "reviews", "gateway"];
                let short = self.settings.length < Duration::from_secs(180);
                // Longer than a timer's lease, so that another process takes over the work.
                let seconds = if short { 26..29 } else { 30..60 };
                json!({ "part": part.choose(rng), "seconds": rng.random_range(seconds) })
            }
            FaultKind::CommitKilled | FaultKind::SecondProcess => json!(STORES.choose(rng)),
            FaultKind::Drops => {
                let count = self.drops_per_injection();
                json!({ "count": count, "seed": self.rng.random::<u32>() })
            }
            FaultKind::Provider => fault(rng, &PROVIDER_TARGETS, &HTTP_FAULTS),
            FaultKind::Webhook => fault(rng, &["webhook"], &WEBHOOK_FAULTS),
            FaultKind::Amounts => {
                let switch = ["convenience_fee_percent", "offer_percent"].choose(rng);
                json!({ (*switch.unwrap_or(&"offer_percent")): rng.random_range(1..12) })
            }
            FaultKind::Smtp => match rng.random_ratio(1, 4) {
                true => fault(rng, &["smtp_connect"], &SMTP_FAULTS[..4]),
                false => fault(rng, &["smtp"], &SMTP_FAULTS),
            },
            _ => Value::Null,
        }
    }
}

/// A fault of the sandbox.
fn fault(rng: &mut StdRng, targets: &[&str], kinds: &[&str]) -> Value {
    json!({
        "target": targets.choose(rng), "kind": kinds.choose(rng),
        "times": rng.random_range(1..4), "delay_ms": rng.random_range(200..9_000),
    })
}

fn inject<'s>(
    kind: FaultKind,
    practice: &'s Practice,
    dropper: &'s RequestDropper<'s>,
    parameters: Value,
) -> Injection<'s> {
    Box::pin(async move {
        let mut ended = inject_once(kind, practice, dropper, &parameters).await;
        // The target may be down just now and up again a moment later.
        for _try in 0..RETRIES_MAX {
            if ended.is_ok() {
                break;
            }
            wait_for(RETRY_EVERY).await;
            ended = inject_once(kind, practice, dropper, &parameters).await;
        }
        (kind, ended)
    })
}

async fn inject_once(
    kind: FaultKind,
    practice: &Practice,
    dropper: &RequestDropper<'_>,
    parameters: &Value,
) -> Result<usize> {
    let part = parameters.as_str().unwrap_or_default();
    match kind {
        // Armed already; deaths are counted at the end.
        FaultKind::Failpoint | FaultKind::Restore => return Ok(0),
        FaultKind::Kill => practice.kill(&[part])?,
        FaultKind::KillAll => practice.kill(&KILLABLE_PARTS)?,
        FaultKind::PostgresStopped => {
            practice.recorder.record_kill("postgres");
            practice.signal("postgres", "QUIT")?;
        }
        FaultKind::CommitKilled => return commit_killed(practice, part).await,
        FaultKind::NatsKilled => practice.kill(&["nats"])?,
        FaultKind::NatsWiped => {
            std::fs::remove_dir_all(practice.data().join("nats"))?;
            practice.kill(&["nats"])?;
        }
        FaultKind::Zombie => zombie(practice, parameters).await?,
        FaultKind::Drops => {
            let number = |name: &str| parameters[name].as_u64().unwrap_or_default();
            return dropper.drop_many(usize::try_from(number("count"))?, number("seed")).await;
        }
        FaultKind::Smtp | FaultKind::Provider | FaultKind::Webhook => {
            practice.sandbox_post("/api/faults", parameters).await?;
        }
        FaultKind::Amounts => other_amounts(practice, parameters).await?,
        FaultKind::SecondProcess => second_process::run_second_process(practice, part).await?,
    }
    Ok(1)
}

/// For some seconds payers pay another amount than ordered, as the account's settings allow: a fee
/// is added, or an offer subtracted.
async fn other_amounts(practice: &Practice, parameters: &Value) -> Result<()> {
    practice.sandbox_post("/api/switches", parameters).await?;
    wait_for(OTHER_AMOUNTS_FOR).await;
    practice.sandbox_post("/api/switches", &json!({})).await?;
    Ok(())
}

/// Stops a process for longer than its leases, and lets it continue where it was.
async fn zombie(practice: &Practice, parameters: &Value) -> Result<()> {
    let part = parameters["part"].as_str().unwrap_or("booking");
    practice.recorder.record_kill(part);
    let pid = practice.pid(part)?.to_string();
    Command::new("kill").args(["-STOP", &pid]).status()?;
    wait_for(Duration::from_secs(parameters["seconds"].as_u64().unwrap_or(20))).await;
    Command::new("kill").args(["-CONT", &pid]).status()?;
    Ok(())
}

/// Ends database sessions during their commit: the process does not learn the outcome.
async fn commit_killed(practice: &Practice, service: &str) -> Result<usize> {
    practice.recorder.record_kill(service);
    let mut database = practice.database(service).await?;
    // Slow commits can be found.
    database.execute("alter system set commit_siblings = 0").await?;
    database.execute("alter system set commit_delay = 50000").await?;
    database.execute("select pg_reload_conf()").await?;
    let killed = kill_commits(&mut database, service).await;
    database.execute("alter system reset commit_delay").await?;
    database.execute("alter system reset commit_siblings").await?;
    database.execute("select pg_reload_conf()").await?;
    killed
}

async fn kill_commits(database: &mut PgConnection, service: &str) -> Result<usize> {
    for _poll in 0..COMMIT_POLLS_MAX {
        let killed: i64 = sqlx::query_scalar(
            "select count(pg_terminate_backend(pid)) from pg_stat_activity
             where datname = current_database() and usename = $1 and state = 'active'
               and query ilike 'commit%'",
        )
        .bind(service)
        .fetch_one(&mut *database)
        .await?;
        if killed > 0 {
            return Ok(usize::try_from(killed)?);
        }
    }
    Ok(0)
}
