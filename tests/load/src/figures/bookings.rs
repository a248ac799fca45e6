//! Bookings that are accepted in a second through the gateway, each for a time of its own: by 8 and
//! by 32 clients beside as many clients of the plain transaction, and by 200 clients beside our own
//! figure with 32. Rounds alternate, and each begins after the consumers have caught up.

use std::time::Duration;

use anyhow::Result;

use crate::callers::Booker;
use crate::catch_up::{bookings, until_caught_up};
use crate::environment::{Environment, Hours, RunningSystem};
use crate::figure::{Bound, Figure, Unit};
use crate::load_generator::{Round, closed_loop};
use crate::request_pool::check_row_count;
use crate::samples::{Samples, median, millis};
use crate::sql_baseline::SqlBaseline;

/// How many clients ask at once.
const CLIENTS: [usize; 3] = [8, 32, 200];
const ROUNDS: usize = 3;
const ROUND: Duration = Duration::from_millis(2500);
const WARM_UP: Duration = Duration::from_millis(800);
/// More than can be asked for in a round.
const REQUESTS: usize = 9000;
/// The longest allowed wait of a client, in seconds, with 200 clients.
const WAIT_SECONDS_MAX: f64 = 2.0;

/// The rates of one number of clients.
#[derive(Default)]
struct Rates {
    ours: Vec<f64>,
    baseline: Vec<f64>,
    waits: Samples,
}

pub(crate) async fn measure(environment: &mut Environment) -> Result<Vec<Figure>> {
    let running = environment.at(Hours::Dense).await?;
    let baseline = SqlBaseline::on(&running.practice).await?;
    let (before, accepted) =
        (bookings(&running.practice).await?, running.request_pool()?.accepted());
    ours(running, 8, WARM_UP).await?;
    closed_loop(&mut baseline.clients(8).await?, WARM_UP).await?;
    let mut all: [Rates; CLIENTS.len()] = Default::default();
    let mut behind = Duration::ZERO;
    for round in 0..ROUNDS {
        for (clients, rates) in CLIENTS.into_iter().zip(&mut all) {
            // 200 connections are more than the server grants beside the services' own, and their
            // figure stands beside ours with 32 anyway.
            let is_beside_plain = clients < 200;
            if is_beside_plain && round % 2 == 1 {
                rates.baseline.push(theirs(&baseline, clients).await?);
            }
            let (measured, worked_off) = ours(running, clients, ROUND).await?;
            behind = behind.max(worked_off);
            rates.ours.push(measured.per_second());
            rates.waits.absorb(measured.waits);
            if is_beside_plain && round % 2 == 0 {
                rates.baseline.push(theirs(&baseline, clients).await?);
            }
        }
    }
    baseline.check().await?;
    let rows = bookings(&running.practice).await? - before;
    check_row_count(running.request_pool()?.accepted() - accepted, rows)?;
    let note = format!("{rows} acknowledged, {rows} rows; consumers at most {behind:.1?} behind");
    Ok(figures(&all, &note))
}

/// Our clients for so long; then everything that follows from it is waited for.
async fn ours(
    running: &RunningSystem,
    clients: usize,
    length: Duration,
) -> Result<(Round, Duration)> {
    running.prepare(REQUESTS)?;
    let round = closed_loop(&mut Booker::all(running, clients).await?, length).await?;
    Ok((round, until_caught_up(&running.practice).await?))
}

async fn theirs(baseline: &SqlBaseline, clients: usize) -> Result<f64> {
    Ok(closed_loop(&mut baseline.clients(clients).await?, ROUND).await?.per_second())
}

fn figures(all: &[Rates; 3], note: &str) -> Vec<Figure> {
    let [eight, many, crowd] = all;
    let waits = |rates: &Rates| {
        let (p50, p99) = (millis(rates.waits.p50()), millis(rates.waits.p99()));
        format!("p50 {p50:.1} ms, p99 {p99:.1} ms")
    };
    let reference = |rates: &Rates| ("plain SQL", median(&rates.baseline));
    let first =
        Figure::rate("bookings, 8 clients", median(&eight.ours), reference(eight), (0.3, 0.5));
    let second =
        Figure::rate("bookings, 32 clients", median(&many.ours), reference(many), (0.3, 0.5));
    let third = Figure::rate(
        "bookings, 200 clients",
        median(&crowd.ours),
        ("ours, 32 clients", median(&many.ours)),
        (0.8, 1.0),
    );
    let longest = crowd.waits.longest().as_secs_f64();
    let fourth = Figure {
        stretch: None,
        reach: Bound::AtMost(WAIT_SECONDS_MAX),
        ..Figure::absolute(
            "longest wait of 200 clients",
            Unit::Seconds,
            longest,
            (WAIT_SECONDS_MAX, WAIT_SECONDS_MAX),
        )
    };
    vec![
        first.noting(format!("{}; {note}", waits(eight))),
        second.noting(waits(many)),
        third.noting(waits(crowd)),
        fourth,
    ]
}
