//! What RequestBooking takes with 1,000,000 events in the log, beside a log that was empty: two
//! booking services beside the practice's, on databases that differ in nothing else, are asked for
//! the same times in turn by one caller, without the gateway, whose share would hide a difference.

use std::time::Duration;

use anyhow::{Result, ensure};
use sqlx::{Connection as _, PgConnection};
use tokio::time::Instant;

use crate::figure::Figure;
use crate::log_database::{EMPTY, FULL, empty, full};
use crate::samples::{Samples, millis};
use crate::settled::settled;
use crate::stage::{Hours, Stage};
use crate::twin::Twin;

/// How long both are measured together.
const LENGTH: Duration = Duration::from_secs(14);
/// How many bookings come first and are not counted.
const WARM_UP: usize = 60;
/// More than can be asked for meanwhile.
const WISHES: usize = 8000;

pub(crate) async fn measure(stage: &mut Stage) -> Result<Vec<Figure>> {
    let running = stage.at(Hours::Dense).await?;
    let urls = [full(&running.practice).await?, empty(&running.practice).await?];
    let mut before = Vec::new();
    for url in &urls {
        before.push(bookings(url).await?);
    }
    settled(&running.practice).await?;
    running.prepare(WISHES)?;
    let mut long = Twin::start(running, FULL).await?;
    let mut short = Twin::start(running, EMPTY).await?;
    let wishes = running.wishes()?;
    let (mut of_long, mut of_short) = (Samples::default(), Samples::default());
    let (began, mut pairs) = (Instant::now(), 0);
    while began.elapsed() < LENGTH {
        let wish = wishes.take()?;
        for turn in 0..2 {
            let is_long = (pairs + turn) % 2 == 0;
            let twin = if is_long { &mut long } else { &mut short };
            let asked = Instant::now();
            twin.booker.book(&wish).await?;
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
    let beside = ("empty log", millis(of_short.p50()));
    let title = "RequestBooking with 1,000,000 events, p50";
    let figure = Figure::times(title, millis(of_long.p50()), beside, (1.1, 1.02));
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
