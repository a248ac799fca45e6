//! Drills of PostgreSQL: the primary killed under load with a synchronous standby, the standby
//! killed, and the old primary back as a fork.

use std::time::Duration;

use anyhow::{Context as _, Result};
use testkit::until_within;
use tokio::time::{Instant, timeout};

use super::figures::Report;
use super::fleet::Fleet;
use super::load::{Load, Rate};
use super::pair::Pair;
use super::relay::Relay;
use super::settling;
use crate::pause::wait_for;

/// The words of PostgreSQL's log when a commit was acknowledged that no standby has.
const UNREPLICATED: &str = "canceling wait for synchronous replication";
/// The words of a service's log when a feed is shorter than what was read of it.
pub(crate) const REWOUND: &str = "the source was restored from an older copy";
/// How long the standby stays away, in the drill of that.
const STANDBY_AWAY: Duration = Duration::from_secs(25);
/// Within how long everything has to be as before when the standby is back.
const HEALED_WITHIN: Duration = Duration::from_secs(60);
/// How long a write is tried on a fork that may not acknowledge one.
const FORK_TRIED: Duration = Duration::from_secs(2);

/// A practice with two database servers that is ready for load.
pub(crate) struct ReplicatedPractice {
    pub(crate) pair: Pair,
    pub(crate) fleet: Fleet,
    /// Between the standby and its primary.
    pub(crate) network: Relay,
}

impl ReplicatedPractice {
    /// Starts everything.
    pub(crate) async fn start(is_synchronous: bool) -> Result<Self> {
        let (fleet, server) = Fleet::take_over().await?;
        let network = Relay::listen(0).await?;
        let pair = Pair::start(server, is_synchronous, &network).await?;
        fleet.database_relay()?.lead_to(&[pair.primary.port]);
        fleet.start_broker()?;
        fleet.start_services().await?;
        Ok(Self { fleet, pair, network })
    }

    /// That no commit was acknowledged to a service which no standby had.
    pub(crate) fn unreplicated(&self) -> usize {
        let logs = [self.pair.primary.log(), self.pair.standby.log()];
        let text = logs.map(|log| std::fs::read_to_string(log).unwrap_or_default()).concat();
        text.matches(UNREPLICATED).count()
    }
}

/// The primary is killed under load as often as `promotions` says, each time its synchronous
/// standby takes its place and the old primary follows it.
pub(crate) async fn synchronous(rate: Rate, promotions: u32) -> Result<Report> {
    let mut practice = ReplicatedPractice::start(true).await?;
    let ReplicatedPractice { fleet, pair, network } = &mut practice;
    let load = Load::new(&fleet.practice, rate).await?;
    let pause = Duration::from_secs(u64::from(rate.seconds)) / (promotions + 1);
    let script = async {
        let mut killed = Vec::new();
        for round in 0..promotions {
            wait_for(pause).await;
            if round > 0 {
                pair.rejoin(network).await.context("the old primary follows")?;
            }
            fleet.practice.recorder.record_kill("postgres");
            killed.push(pair.fail_over(fleet.database_relay()?).await?);
        }
        anyhow::Ok(killed)
    };
    let (ran, killed) = tokio::join!(load.run(), script);
    ran?;
    let killed = killed?;
    let tally = load.tally();
    let gaps: Vec<Option<Duration>> = killed.iter().map(|at| tally.gap_since(*at)).collect();
    let verdict = settling::judge(fleet).await?;
    let longest = gaps.iter().copied().flatten().max();
    let mut report = Report::new("sync", rate, (tally, longest), verdict);
    let each: Vec<String> =
        gaps.iter().flatten().map(|it| format!("{:.1}", it.as_secs_f64())).collect();
    report.note(format!("{promotions} promotions, bookings went on after {} s", each.join(", ")));
    report.require(gaps.iter().all(Option::is_some), "bookings did not go on");
    report.require(practice.unreplicated() == 0, "commits were acknowledged that no standby had");
    let rewound = practice.fleet.count_in_logs(REWOUND);
    report.require(rewound == 0, format!("{rewound} consumers knew more than the log"));
    Ok(report)
}

/// The synchronous standby is killed: bookings wait or are refused in words, `/healthz` says so,
/// and everything goes on when it is back.
pub(crate) async fn standby_killed(rate: Rate) -> Result<Report> {
    let mut practice = ReplicatedPractice::start(true).await?;
    let ReplicatedPractice { fleet, pair, .. } = &mut practice;
    let load = Load::new(&fleet.practice, rate).await?;
    let script = async {
        wait_for(Duration::from_secs(u64::from(rate.seconds)) / 3).await;
        let killed_at = Instant::now();
        pair.standby.kill()?;
        let is_told = until_health(fleet, 503, STANDBY_AWAY).await;
        let told_after = is_told.ok().map(|()| killed_at.elapsed());
        wait_for(STANDBY_AWAY.saturating_sub(killed_at.elapsed())).await;
        let back_at = Instant::now();
        pair.standby.start().await?;
        until_health(fleet, 200, HEALED_WITHIN).await.context("healthy again")?;
        anyhow::Ok((killed_at, told_after, back_at, back_at.elapsed()))
    };
    let (ran, script) = tokio::join!(load.run(), script);
    ran?;
    let (killed_at, told_after, back_at, healthy_after) = script?;
    let tally = load.tally();
    // What was on its way to the standby when it was killed may have got there.
    let margin = Duration::from_millis(500);
    let meanwhile = tally.acknowledged_between(killed_at + margin, back_at);
    let verdict = settling::judge(fleet).await?;
    let gap = tally.gap_since(back_at);
    let mut report = Report::new("standby", rate, (tally, gap), verdict);
    report.note(format!(
        "the standby was away for {} s: {meanwhile} bookings acknowledged meanwhile, /healthz said \
         503 after {}, and 200 {:.1} s after its start",
        (back_at - killed_at).as_secs(),
        told_after.map_or_else(|| "never".to_owned(), |it| format!("{:.1} s", it.as_secs_f64())),
        healthy_after.as_secs_f64(),
    ));
    report.require(meanwhile == 0, "bookings were acknowledged that no standby had");
    report.require(told_after.is_some(), "/healthz did not say that bookings wait");
    report.require(practice.unreplicated() == 0, "commits were acknowledged that no standby had");
    Ok(report)
}

async fn until_health(fleet: &Fleet, status: u16, limit: Duration) -> Result<()> {
    let url = format!("{}/healthz", fleet.practice.url);
    until_within(limit, &format!("/healthz says {status}"), async || {
        let asked = fleet.practice.http.get(&url).send().await;
        Ok(asked.is_ok_and(|answer| answer.status() == status).then_some(()))
    })
    .await
}

/// The old primary comes back after a failover, as a fork: no service reaches it, it acknowledges
/// nothing, and it follows once it is rewound.
pub(crate) async fn fork(rate: Rate) -> Result<Report> {
    let mut practice = ReplicatedPractice::start(true).await?;
    let ReplicatedPractice { fleet, pair, network } = &mut practice;
    let load = Load::new(&fleet.practice, rate).await?;
    let script = async {
        wait_for(Duration::from_secs(u64::from(rate.seconds)) / 3).await;
        fleet.practice.recorder.record_kill("postgres");
        let killed_at = pair.fail_over(fleet.database_relay()?).await?;
        // Who started it did not know of the other one.
        pair.standby.start().await?;
        let write = pair.standby.execute("create table written_on_the_fork (id int)");
        let is_refused = timeout(FORK_TRIED, write).await.is_err();
        let local = "set synchronous_commit = local; create table forked (id int)";
        pair.standby.execute(local).await?;
        let sql = "select count(*) from pg_stat_activity where usename in
                   ('booking', 'payments', 'notifications', 'identity', 'reviews')";
        let reached = pair.standby.number(sql).await?;
        pair.standby.stop().await?;
        pair.rejoin(network).await?;
        let sql =
            "select count(*) from pg_class where relname in ('forked', 'written_on_the_fork')";
        let left = pair.standby.number(sql).await?;
        let writable = pair.standby.execute("create table forked (id int)").await.is_ok();
        anyhow::Ok((killed_at, is_refused, reached, left, writable))
    };
    let (ran, script) = tokio::join!(load.run(), script);
    ran?;
    let (killed_at, is_refused, reached, left, writable) = script?;
    let tally = load.tally();
    let gap = tally.gap_since(killed_at);
    let verdict = settling::judge(fleet).await?;
    let mut report = Report::new("fork", rate, (tally, gap), verdict);
    report.note(format!(
        "the old primary came back by itself, was reached by {reached} sessions of services, \
         acknowledged {} commit, was rewound and follows",
        if is_refused { "no" } else { "a" },
    ));
    report.require(reached == 0, "services reached the fork");
    report.require(is_refused, "the fork acknowledged a commit");
    report.require(left == 0, "what was written on the fork is still there");
    report.require(!writable, "the old primary can be written to");
    Ok(report)
}
