//! How long a booking takes at 20 in a second, a rate that the machine bears easily, beside the
//! plain transaction at the same rate, in turn. Each time counts from when the call was due.

use anyhow::Result;

use crate::callers::Booker;
use crate::catch_up::{bookings, until_caught_up};
use crate::environment::{Environment, Hours};
use crate::figure::{Against, Bound, Figure};
use crate::load_generator::open_loop;
use crate::request_pool::check_row_count;
use crate::samples::{Samples, millis};
use crate::sql_baseline::SqlBaseline;

const PER_SECOND: u32 = 20;
const ROUNDS: usize = 4;
/// How many calls a round has: 400 of each in all.
const CALLS: u32 = 100;
/// How many may be under way at once before one waits for another.
const CLIENTS: usize = 8;

pub(crate) async fn measure(environment: &mut Environment) -> Result<Vec<Figure>> {
    let running = environment.at(Hours::Dense).await?;
    let baseline = SqlBaseline::on(&running.practice).await?;
    let (before, accepted) =
        (bookings(&running.practice).await?, running.request_pool()?.accepted());
    let mut bookers = Booker::all(running, CLIENTS).await?;
    let mut clients = baseline.clients(CLIENTS).await?;
    running.prepare(1000)?;
    // Each client meets its connection's first statements here.
    open_loop(&mut bookers, PER_SECOND * 2, 40).await?;
    open_loop(&mut clients, PER_SECOND * 2, 40).await?;
    until_caught_up(&running.practice).await?;
    let (mut ours, mut theirs) = (Samples::default(), Samples::default());
    for round in 0..ROUNDS {
        for turn in 0..2 {
            if (round + turn) % 2 == 0 {
                ours.absorb(open_loop(&mut bookers, PER_SECOND, CALLS).await?);
            } else {
                theirs.absorb(open_loop(&mut clients, PER_SECOND, CALLS).await?);
            }
        }
    }
    baseline.check().await?;
    let rows = bookings(&running.practice).await? - before;
    check_row_count(running.request_pool()?.accepted() - accepted, rows)?;
    let reference = ("plain SQL", millis(theirs.p50()));
    let p50 = Figure {
        against: Against::Difference,
        reach: Bound::AtMost(3.0),
        stretch: None,
        ..Figure::times("RequestBooking at 20/s, p50", millis(ours.p50()), reference, (3.0, 3.0))
    };
    let reference = ("plain SQL", millis(theirs.p99()));
    let p99 =
        Figure::times("RequestBooking at 20/s, p99", millis(ours.p99()), reference, (3.0, 2.0));
    let longest = (millis(ours.longest()), millis(theirs.longest()));
    let note = format!(
        "{} calls each; the longest {:.1} ms and {:.1} ms",
        ours.len(),
        longest.0,
        longest.1
    );
    Ok(vec![p50.noting(note), p99])
}
