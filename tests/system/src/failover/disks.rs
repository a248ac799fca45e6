//! The drills of full disks: that of the database's tables, that of its log, and that of NATS.

use std::time::Duration;

use anyhow::{Context as _, Result};
use sqlx::{Connection as _, PgConnection};
use testkit::until_within;
use tokio::time::Instant;

use super::database_server::DatabaseServer;
use super::figures::Report;
use super::fleet::Fleet;
use super::load::{Load, Rate};
use super::settling;
use super::small_disk::{SmallDisk, relocate};
use crate::pause::wait_for;

/// How long a disk stays full.
const FULL_FOR: Duration = Duration::from_secs(12);
/// Within how long everything has to be as before when there is room again.
const HEALED_WITHIN: Duration = Duration::from_secs(60);

/// More segments of the log than a server keeps for later.
const SEGMENTS_MAX: usize = 64;

/// What is on the disk that becomes full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FullDisk {
    /// The tables of PostgreSQL.
    Tables,
    /// Its log.
    Log,
    /// The streams of NATS.
    Streams,
}

impl FullDisk {
    const fn drill(self) -> &'static str {
        match self {
            Self::Tables => "disk-tables",
            Self::Log => "disk-log",
            Self::Streams => "disk-nats",
        }
    }

    /// Puts it on a disk of its own, with room for the load.
    fn mount(self, fleet: &Fleet, server: &mut DatabaseServer) -> Result<SmallDisk> {
        let disk = fleet.practice.data().join("disk");
        let (folder, megabytes) = match self {
            Self::Tables => (server.folder().join("base"), 400),
            Self::Log => {
                server.set("max_wal_size=96MB");
                // No standby needs it.
                server.set("wal_keep_size=0");
                (server.folder().join("pg_wal"), 256)
            }
            Self::Streams => (fleet.practice.data().join("nats/streams"), 512),
        };
        let disk = SmallDisk::mount(disk, megabytes)?;
        relocate(&folder, &disk.path("moved"))?;
        Ok(disk)
    }
}

/// A disk is filled under load and has room again seconds later.
pub(crate) async fn full(which: FullDisk, rate: Rate) -> Result<Report> {
    let (fleet, mut server) = Fleet::take_over().await?;
    let disk = which.mount(&fleet, &mut server)?;
    fleet.start_on(&mut server).await?;
    let load = Load::new(&fleet.practice, rate).await?;
    let script = async {
        wait_for(Duration::from_secs(u64::from(rate.seconds)) / 3).await;
        let full_at = Instant::now();
        if which != FullDisk::Streams {
            fleet.practice.recorder.record_kill("postgres");
        }
        disk.fill()?;
        if which == FullDisk::Log {
            use_up_segments(&server).await;
        }
        let told = until_told(&fleet).await;
        wait_for(FULL_FOR.saturating_sub(full_at.elapsed())).await;
        disk.free()?;
        let free_at = Instant::now();
        // Who runs a server starts it again when it has ended.
        if server.has_ended()? {
            server.start().await.context("the server starts with room on its disk")?;
        }
        if which == FullDisk::Streams {
            fleet.restart_broker()?;
        }
        until_within(HEALED_WITHIN, "everything is as before", async || {
            let asked = fleet.practice.http.get(format!("{}/healthz", fleet.practice.url)).send();
            Ok(asked.await.is_ok_and(|answer| answer.status() == 200).then_some(()))
        })
        .await?;
        anyhow::Ok((full_at, told, free_at, free_at.elapsed()))
    };
    let (ran, script) = tokio::join!(load.run(), script);
    ran?;
    let (full_at, told, free_at, healed) = script?;
    let tally = load.tally();
    let meanwhile = tally.acknowledged_between(full_at, free_at);
    let gap = tally.gap_since(free_at);
    let verdict = settling::judge(&fleet).await?;
    let mut report = Report::new(which.drill(), rate, (tally, gap), verdict);
    report.note(format!(
        "full for {} s: {meanwhile} bookings acknowledged meanwhile, /healthz {}, 200 {:.1} s \
         after there was room",
        (free_at - full_at).as_secs(),
        told.map_or_else(
            || "stayed 200".to_owned(),
            |it| format!("said 503 after {:.1} s", it.as_secs_f64())
        ),
        healed.as_secs_f64(),
    ));
    let may_go_on = which == FullDisk::Streams;
    report.require(may_go_on == told.is_none(), "/healthz did not say how bookings go");
    Ok(report)
}

/// Ends one segment of the log after the other, until the server finds no room for a new one: it
/// keeps some that it has used, and would go on with these.
async fn use_up_segments(server: &DatabaseServer) {
    let sql = "select pg_logical_emit_message(false, 'drill', 'full'), pg_switch_wal()";
    for _ in 0..SEGMENTS_MAX {
        let Ok(mut server) = PgConnection::connect(&server.url("postgres")).await else { return };
        if sqlx::query(sql).execute(&mut server).await.is_err() {
            return;
        }
    }
}

/// How long it takes until `/healthz` says that something does not work; none when it never does.
async fn until_told(fleet: &Fleet) -> Option<Duration> {
    let began = Instant::now();
    let told = until_within(FULL_FOR, "/healthz says 503", async || {
        let asked = fleet.practice.http.get(format!("{}/healthz", fleet.practice.url)).send();
        Ok(asked.await.is_ok_and(|answer| answer.status() == 503).then_some(()))
    });
    told.await.is_ok().then(|| began.elapsed())
}
