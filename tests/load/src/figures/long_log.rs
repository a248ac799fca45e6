//! What RequestBooking takes with 1,000,000 events in the log, beside a log that was empty: two
//! booking services beside the practice's, on databases that differ in nothing else, are asked for
//! the same times in turn by one caller, without the gateway, whose share would hide a difference.

use std::time::Duration;

use anyhow::{Result, ensure};
use sqlx::{Connection as _, PgConnection};
use tokio::time::Instant;

use crate::catch_up::until_caught_up;
use crate::environment::{Environment, Hours};
use crate::figure::Figure;
use crate::log_database::{EMPTY, FULL, empty, full};
use crate::samples::{Samples, millis};
use crate::second_instance::SecondInstance;

/// How long both are measured together.
const LENGTH: Duration = Duration::from_secs(14);
/// How many bookings come first and are not counted.
const WARM_UP: usize = 60;
/// More requests than a measurement can use.
const REQUESTS: usize = 8000;

pub(crate) async fn measure(environment: &mut Environment) -> Result<Vec<Figure>> {
    let running = environment.at(Hours::Dense).await?;
    let urls = [full(&running.practice).await?, empty(&running.practice).await?];
    let mut before = Vec::new();
    for url in &urls {
        before.push(bookings(url).await?);
    }
    until_caught_up(&running.practice).await?;
    running.prepare(REQUESTS)?;
    let mut long = SecondInstance::start(running, FULL).await?;
    let mut short = SecondInstance::start(running, EMPTY).await?;
    let request_pool = running.request_pool()?;
    let (mut of_long, mut of_short) = (Samples::default(), Samples::default());
    let (began, mut pairs) = (Instant::now(), 0);
    while began.elapsed() < LENGTH {
        let booking = request_pool.take()?;
        for turn in 0..2 {
            let is_long = (pairs + turn) % 2 == 0;
            let second = if is_long { &mut long } else { &mut short };
            let asked = Instant::now();
            second.booker.book(&booking).await?;
            let took = asked.elapsed();
            if pairs >= WARM_UP {
                let samples = if is_long { &mut of_long } else { &mut of_short };
                samples.push(took);
            }
        }
        pairs += 1;
    }
    for (url, before) in urls.iter().zip(before) {
        // One more was asked for when the twin was started.
        let rows = bookings(url).await? - before;
        ensure!(rows == i64::try_from(pairs)? + 1, "{pairs} bookings left {rows} rows");
    }
    let reference = ("empty log", millis(of_short.p50()));
    let title = "RequestBooking with 1,000,000 events, p50";
    let figure = Figure::times(title, millis(of_long.p50()), reference, (1.1, 1.02));
    let note = format!(
        "{} calls each; p99 {:.2} ms and {:.2} ms",
        of_long.len(),
        millis(of_long.p99()),
        millis(of_short.p99())
    );
    Ok(vec![figure.noting(note)])
}

async fn bookings(url: &str) -> Result<i64> {
    let mut connection = PgConnection::connect(url).await?;
    Ok(sqlx::query_scalar("select count(*) from bookings").fetch_one(&mut connection).await?)
}
