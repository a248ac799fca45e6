//! The faults, and their injection.

use std::collections::BTreeMap;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use futures::future::LocalBoxFuture;
use futures::stream::{FuturesUnordered, StreamExt as _};
use rand::Rng as _;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use serde_json::{Value, json};
use sqlx::{Executor as _, PgConnection};
use tokio::time::Instant;

use super::crowd::Crowd;
use super::deck::{self, Deck, Kind};
use super::drops::Dropper;
use super::{Settings, restore, second};
use crate::failpoints::Failpoints;
use crate::pause::wait_for;
use crate::practice::{OURS, Practice, STORES};

/// How many failpoints are armed until the first has struck: a short run passes few of them.
const ARMED_AT_FIRST: usize = 8;
/// Every failpoint; see `tests/failpoints.rs`.
const FAILPOINTS: &str = include_str!("../../failpoints.txt");
/// Kinds of faults of the provider's HTTP API.
const OVER_HTTP: [&str; 5] = ["delay", "drop", "status", "refuse", "timeout_after_success"];
const PROVIDER: [&str; 10] = [
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
const WEBHOOK: [&str; 6] =
    ["delay", "drop", "status", "timeout_after_success", "duplicate", "reorder"];
const SMTP: [&str; 6] = ["delay", "drop", "status", "refuse", "timeout_after_success", "duplicate"];
/// How often the database is searched for a commit in progress.
const LOOKS_FOR_A_COMMIT: usize = 2_000;

/// How often and how many times a fault is retried whose target is down.
const AIM_EVERY: Duration = Duration::from_millis(500);
const AIMS_MAX: usize = 30;
/// For how long payers pay another amount.
const OTHER_AMOUNTS_FOR: Duration = Duration::from_secs(5);
/// How long the sandbox may take to clear all faults, and to answer one request.
const HEALED_WITHIN: Duration = Duration::from_secs(120);
const ONE_TRY: Duration = Duration::from_secs(5);

/// A fault in progress; its output says how often it struck.
type Strike<'s> = LocalBoxFuture<'s, (Kind, Result<usize>)>;

/// Injects faults.
pub(super) struct Director<'s, 'p> {
    practice: &'p Practice,
    failpoints: &'s Failpoints,
    crowd: &'s Crowd<'s, 'p>,
    dice: StdRng,
    settings: Settings,
    counts: BTreeMap<&'static str, usize>,
    /// The number of failed injections of each kind, and the last error.
    missed: BTreeMap<&'static str, (usize, String)>,
}

impl<'s, 'p> Director<'s, 'p> {
    pub(super) fn new(
        practice: &'p Practice,
        failpoints: &'s Failpoints,
        crowd: &'s Crowd<'s, 'p>,
        dice: StdRng,
        settings: Settings,
    ) -> Self {
        let (counts, missed) = (BTreeMap::new(), BTreeMap::new());
        Self { practice, failpoints, crowd, dice, settings, counts, missed }
    }

    /// How often each kind was injected.
    pub(super) fn counts(&self) -> BTreeMap<&'static str, usize> {
        self.counts.clone()
    }

    /// Describes the injections that failed because their target was down.
    pub(super) fn missed(&self) -> Vec<String> {
        let told = self.missed.iter();
        told.map(|(kind, (times, last))| format!("{kind}: {times} came to nothing, last: {last}"))
            .collect()
    }

    /// Injects faults until the time is over, and then removes all of them.
    pub(super) async fn strike_on(&mut self) -> Result<()> {
        let dropper = Dropper::new(self.practice).await?;
        let end = Instant::now() + self.settings.length;
        let mut deck = Deck::default();
        let mut striking: FuturesUnordered<Strike<'_>> = FuturesUnordered::new();
        let mut drawn = 0;
        // Every kind is injected once, even in a short run.
        while Instant::now() < end || drawn < deck::names().count() {
            drawn += 1;
            let kind = deck.draw(&mut self.dice);
            if kind == Kind::Restore {
                while let Some((kind, struck)) = striking.next().await {
                    self.count(kind, struck);
                }
                let restored = self.restore().await;
                self.count(kind, restored.map(|()| 1));
                continue;
            }
            striking.push(strike(kind, self.practice, &dropper, self.lot(kind)));
            let longest = u64::try_from(self.settings.pause.as_millis())?;
            let pause =
                wait_for(Duration::from_millis(self.dice.random_range(longest / 3..=longest)));
            tokio::pin!(pause);
            loop {
                tokio::select! {
                    () = &mut pause => break,
                    Some((kind, struck)) = striking.next() => self.count(kind, struck),
                }
            }
        }
        while let Some((kind, struck)) = striking.next().await {
            self.count(kind, struck);
        }
        let wanted = self.settings.drops;
        // Only requests without an answer are counted.
        for _strike in 0..wanted {
            if self.counts.get(Kind::Drops.name()).copied().unwrap_or(0) >= wanted {
                break;
            }
            let lot = self.lot(Kind::Drops);
            let (kind, struck) = strike(Kind::Drops, self.practice, &dropper, lot).await;
            self.count(kind, struck);
        }
        self.count_failpoints()?;
        self.heal().await
    }

    fn drops_a_strike(&self) -> usize {
        (self.settings.drops / 40).clamp(50, 500)
    }

    /// Counts an injection; one that failed because its target was down is not counted.
    fn count(&mut self, kind: Kind, struck: Result<usize>) {
        match struck {
            Ok(0) => {}
            Ok(times) => *self.counts.entry(kind.name()).or_default() += times,
            Err(error) => {
                let (times, last) = self.missed.entry(kind.name()).or_default();
                (*times, *last) = (*times + 1, format!("{error:#}"));
            }
        }
    }

    fn count_failpoints(&mut self) -> Result<()> {
        let died = self.failpoints.died()?.len();
        if died > 0 {
            self.counts.insert(Kind::Failpoint.name(), died);
        }
        Ok(())
    }

    /// Removes every fault.
    async fn heal(&self) -> Result<()> {
        self.failpoints.disarm_all()?;
        self.practice.healthy().await?;
        let url = format!("{}/api/faults", self.practice.sandbox);
        // One request that hangs on a busy machine must not use up the whole timeout.
        testkit::until_within(HEALED_WITHIN, "faults are cleared", async || {
            let cleared = self.practice.http.delete(&url).timeout(ONE_TRY).send().await;
            Ok(cleared.ok().filter(|answer| answer.status().is_success()).map(|_answer| ()))
        })
        .await
    }

    async fn restore(&mut self) -> Result<()> {
        let _alone = self.crowd.alone().await;
        self.heal().await?;
        restore::from_backup(self.practice).await
    }

    /// Draws the random parameters of an injection beforehand, so that a seed gives the same
    /// faults.
    fn lot(&mut self, kind: Kind) -> Value {
        let dice = &mut self.dice;
        match kind {
            Kind::Failpoint => {
                let names: Vec<&str> =
                    FAILPOINTS.lines().filter(|line| !line.starts_with('#')).collect();
                let struck = self.counts.contains_key(Kind::Failpoint.name());
                let many = if struck { 1 } else { ARMED_AT_FIRST };
                for name in names.choose_multiple(dice, many) {
                    let name = name.trim_start_matches('~');
                    if name.starts_with("notifications.") {
                        self.practice.witness.part_was_killed("notifications");
                    }
                    // A failpoint that is never passed stays armed; a claimed one is gone.
                    self.failpoints.arm(name).ok();
                }
                Value::Null
            }
            Kind::Kill => {
                let all = [&OURS[..], &["sandbox"]].concat();
                json!(all.choose(dice))
            }
            Kind::Zombie => {
                let part =
                    ["booking", "payments", "notifications", "identity", "reviews", "gateway"];
                let short = self.settings.length < Duration::from_secs(180);
                // Longer than a timer's lease, so that another process takes over the work.
                let seconds = if short { 26..29 } else { 30..60 };
                json!({ "part": part.choose(dice), "seconds": dice.random_range(seconds) })
            }
            Kind::CommitKilled | Kind::SecondProcess => json!(STORES.choose(dice)),
            Kind::Drops => {
                let count = self.drops_a_strike();
                json!({ "count": count, "seed": self.dice.random::<u32>() })
            }
            Kind::Provider => fault(dice, &PROVIDER, &OVER_HTTP),
            Kind::Webhook => fault(dice, &["webhook"], &WEBHOOK),
            Kind::Amounts => {
                let switch = ["convenience_fee_percent", "offer_percent"].choose(dice);
                json!({ (*switch.unwrap_or(&"offer_percent")): dice.random_range(1..12) })
            }
            Kind::Smtp => match dice.random_ratio(1, 4) {
                true => fault(dice, &["smtp_connect"], &SMTP[..4]),
                false => fault(dice, &["smtp"], &SMTP),
            },
            _ => Value::Null,
        }
    }
}

/// A fault of the sandbox.
fn fault(dice: &mut StdRng, targets: &[&str], kinds: &[&str]) -> Value {
    json!({
        "target": targets.choose(dice), "kind": kinds.choose(dice),
        "times": dice.random_range(1..4), "delay_ms": dice.random_range(200..9_000),
    })
}

fn strike<'s>(
    kind: Kind,
    practice: &'s Practice,
    dropper: &'s Dropper<'s>,
    lot: Value,
) -> Strike<'s> {
    Box::pin(async move {
        let mut ended = struck(kind, practice, dropper, &lot).await;
        // The target may be down just now and up again a moment later.
        for _try in 0..AIMS_MAX {
            if ended.is_ok() {
                break;
            }
            wait_for(AIM_EVERY).await;
            ended = struck(kind, practice, dropper, &lot).await;
        }
        (kind, ended)
    })
}

async fn struck(
    kind: Kind,
    practice: &Practice,
    dropper: &Dropper<'_>,
    lot: &Value,
) -> Result<usize> {
    let part = lot.as_str().unwrap_or_default();
    match kind {
        // Armed already; deaths are counted at the end.
        Kind::Failpoint | Kind::Restore => return Ok(0),
        Kind::Kill => practice.kill(&[part])?,
        Kind::KillAll => practice.kill(&OURS)?,
        Kind::PostgresStopped => {
            practice.witness.part_was_killed("postgres");
            practice.signal("postgres", "QUIT")?;
        }
        Kind::CommitKilled => return commit_killed(practice, part).await,
        Kind::NatsKilled => practice.kill(&["nats"])?,
        Kind::NatsWiped => {
            std::fs::remove_dir_all(practice.data().join("nats"))?;
            practice.kill(&["nats"])?;
        }
        Kind::Zombie => zombie(practice, lot).await?,
        Kind::Drops => {
            let number = |name: &str| lot[name].as_u64().unwrap_or_default();
            return dropper.drop_many(usize::try_from(number("count"))?, number("seed")).await;
        }
        Kind::Smtp | Kind::Provider | Kind::Webhook => {
            practice.sandbox_post("/api/faults", lot).await?;
        }
        Kind::Amounts => other_amounts(practice, lot).await?,
        Kind::SecondProcess => second::run_beside(practice, part).await?,
    }
    Ok(1)
}

/// For some seconds payers pay another amount than ordered, as the account's settings allow: a fee
/// is added, or an offer subtracted.
async fn other_amounts(practice: &Practice, lot: &Value) -> Result<()> {
    practice.sandbox_post("/api/switches", lot).await?;
    wait_for(OTHER_AMOUNTS_FOR).await;
    practice.sandbox_post("/api/switches", &json!({})).await?;
    Ok(())
}

/// Stops a process for longer than its leases, and lets it continue where it was.
async fn zombie(practice: &Practice, lot: &Value) -> Result<()> {
    let part = lot["part"].as_str().unwrap_or("booking");
    practice.witness.part_was_killed(part);
    let pid = practice.pid(part)?.to_string();
    Command::new("kill").args(["-STOP", &pid]).status()?;
    wait_for(Duration::from_secs(lot["seconds"].as_u64().unwrap_or(20))).await;
    Command::new("kill").args(["-CONT", &pid]).status()?;
    Ok(())
}

/// Ends database sessions during their commit: the process does not learn the outcome.
async fn commit_killed(practice: &Practice, service: &str) -> Result<usize> {
    practice.witness.part_was_killed(service);
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
    for _look in 0..LOOKS_FOR_A_COMMIT {
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
