//! The drill of NATS: three servers, each stream on all of them, and each server killed once under
//! load.

use std::time::Duration;

use anyhow::{Context as _, Result};
use tokio::time::Instant;

use super::broker_cluster::{BrokerCluster, SERVERS};
use super::figures::Report;
use super::fleet::Fleet;
use super::load::{Load, Rate};
use super::settling;
use crate::pause::wait_for;
use crate::practice::STORES;

/// The setting that says on how many servers a stream is.
const REPLICAS: &str = "NATS_STREAM_REPLICAS";
/// How long a server stays away.
const AWAY: Duration = Duration::from_secs(6);

/// Each of three servers is killed under load and comes back. Streams that were made on one
/// server are moved to three by the services' next start.
pub(crate) async fn one_at_a_time(rate: Rate) -> Result<Report> {
    let (mut fleet, mut server) = Fleet::take_over().await?;
    server.start().await?;
    fleet.database_relay()?.lead_to(&[server.port]);
    let mut cluster = BrokerCluster::start(&fleet).await?;
    fleet.start_services().await?;
    cluster.until_replicated(1).await.context("streams on one server")?;
    fleet.set(REPLICAS, "3");
    for service in STORES {
        fleet.roll(service).await?;
    }
    let moved = Instant::now();
    cluster.until_replicated(3).await.context("streams on three servers")?;
    let moved = moved.elapsed();
    let load = Load::new(&fleet.practice, rate).await?;
    let pause = Duration::from_secs(u64::from(rate.seconds)) / 4;
    let script = async {
        let mut killed = Vec::new();
        for number in 0..SERVERS {
            wait_for(pause.saturating_sub(AWAY)).await;
            let led: Vec<String> = cluster
                .streams()
                .await
                .into_iter()
                .filter(|stream| stream.leader == format!("nats-{number}"))
                .map(|stream| stream.name)
                .collect();
            killed.push((Instant::now(), led.join(" and ")));
            cluster.kill(number)?;
            wait_for(AWAY).await;
            cluster.start_again(number)?;
            cluster.until_replicated(3).await.context("the server has caught up")?;
        }
        anyhow::Ok(killed)
    };
    let (ran, killed) = tokio::join!(load.run(), script);
    ran?;
    let killed = killed?;
    let tally = load.tally();
    let gap = killed.iter().filter_map(|(at, _)| tally.gap_since(*at)).max();
    let verdict = settling::judge(&fleet).await?;
    let mut report = Report::new("nats", rate, (tally, gap), verdict);
    report.note(format!(
        "streams were on three servers {:.1} s after the rollout",
        moved.as_secs_f64()
    ));
    for (number, (_, led)) in killed.iter().enumerate() {
        report.note(format!("server {number} was killed while it led {led}"));
    }
    for stream in cluster.until_replicated(3).await? {
        let source = stream.name.to_lowercase();
        let mut database = fleet.practice.database(&source).await?;
        let sql = "select coalesce(max(position), 0) from feed";
        let events: i64 = sqlx::query_scalar(sql).fetch_one(&mut database).await?;
        // What NATS has lost was read from its source: the checker finds nothing missing.
        let lost = (events - stream.messages).max(0);
        report.note(format!("{}: {events} events, of which NATS has lost {lost}", stream.name));
    }
    Ok(report)
}
