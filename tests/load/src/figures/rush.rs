//! A thousand buyers of one time at once, each on a connection of its own that it opens then: how
//! long until the last of them has its answer. One gets it, all others get a rejection.

use std::net::SocketAddr;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use system::{Answer, Customer};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::callers::REQUEST;
use crate::environment::{Environment, Hours, RunningSystem};
use crate::figure::{Figure, Unit};
use crate::http_client::{HttpClient, Reply, call};
use crate::samples::{Samples, median, millis};
use crate::timetable::SERVICE;

/// How many want it.
const BUYERS: usize = 1000;
/// How often it is tried, for another time each.
const RUSHES: usize = 3;

pub(crate) async fn measure(environment: &mut Environment) -> Result<Vec<Figure>> {
    let running = environment.at(Hours::Usual).await?;
    let looking = Customer::with_issued_token(&running.practice, &running.issuer, "Looking")?;
    let free = looking.free_starts(SERVICE).await?;
    let (mut last, mut each) = (Vec::new(), Samples::default());
    for start in free.iter().rev().skip(7).step_by(7).take(RUSHES) {
        let waits = rush(running, start).await?;
        last.push(waits.longest().as_secs_f64());
        each.absorb(waits);
    }
    ensure!(last.len() == RUSHES, "too few times are free");
    let title = "1,000 buyers of one time: the last answer";
    let figure = Figure::absolute(title, Unit::Seconds, median(&last), (2.0, 1.0));
    let note = format!("one winner each time; half have theirs after {:.0} ms", millis(each.p50()));
    Ok(vec![figure.noting(note)])
}

/// Lets them all ask at once; each wait counts from the common start, with connecting.
async fn rush(running: &RunningSystem, start: &str) -> Result<Samples> {
    let mut requests = Vec::with_capacity(BUYERS);
    for number in 0..BUYERS {
        let buyer = Customer::with_issued_token(&running.practice, &running.issuer, "Buyer")?;
        let booking = buyer.request(SERVICE, start, &format!("rush-{number:06}"));
        requests.push(call(running.gateway, REQUEST, buyer.token(), &booking.to_string()));
    }
    let mut asking = JoinSet::new();
    let began = Instant::now();
    for request in requests {
        asking.spawn(ask(running.gateway, request, began));
    }
    let (mut waits, mut winners) = (Samples::default(), 0);
    while let Some(answered) = asking.join_next().await {
        let (wait, reply) = answered.context("a buyer broke down")??;
        waits.push(wait);
        winners += usize::from(won(&reply)?);
    }
    ensure!(winners == 1, "{winners} buyers were given one time");
    Ok(waits)
}

async fn ask(
    gateway: SocketAddr,
    request: Vec<u8>,
    began: Instant,
) -> Result<(std::time::Duration, Reply)> {
    let reply = HttpClient::open(gateway).await?.send(&request).await?;
    Ok((began.elapsed(), reply))
}

/// Whether the time is theirs. Anything but a yes and "it is taken" is a wrong answer.
fn won(reply: &Reply) -> Result<bool> {
    let body: Value = serde_json::from_slice(&reply.body)?;
    let answer = Answer { status: reply.status, body };
    if answer.status == 200 {
        return Ok(true);
    }
    let reason = answer.reason();
    ensure!(reason == "SLOT_TAKEN", "a buyer was told {} {reason}", answer.status);
    Ok(false)
}
