//! From the commit of an event to the commit of what its consumer does about it, at 50 in a second:
//! `BookingRequested`, over relay and NATS, into the row by which payments knows the booking.
//! PostgreSQL says itself when it committed a transaction (`track_commit_timestamp`), for both on
//! one clock, so no polling is needed.

use std::collections::HashMap;

use anyhow::{Context as _, Result, ensure};
use uuid::Uuid;

use crate::callers::Booker;
use crate::catch_up::until_caught_up;
use crate::environment::{Environment, Hours};
use crate::figure::{Figure, Unit};
use crate::load_generator::open_loop;
use crate::samples::{Samples, millis};

const PER_SECOND: u32 = 50;
const EVENTS: u32 = 600;
const CLIENTS: usize = 16;

pub(crate) async fn measure(environment: &mut Environment) -> Result<Vec<Figure>> {
    let running = environment.at(Hours::Dense).await?;
    running.prepare(1000)?;
    let mut bookers = Booker::all(running, CLIENTS).await?;
    open_loop(&mut bookers, PER_SECOND, 50).await?;
    until_caught_up(&running.practice).await?;
    let mut booking = running.practice.database("booking").await?;
    let since: i64 =
        sqlx::query_scalar("select max(seq) from events").fetch_one(&mut booking).await?;
    open_loop(&mut bookers, PER_SECOND, EVENTS).await?;
    until_caught_up(&running.practice).await?;
    // Microseconds since 1970.
    let told: Vec<(String, i64)> = sqlx::query_as(
        "select stream_id, (extract(epoch from pg_xact_commit_timestamp(xmin)) * 1e6)::bigint
         from events where seq > $1 and event_type = 'booking.v1.BookingRequested'",
    )
    .bind(since)
    .fetch_all(&mut booking)
    .await?;
    let mut payments = running.practice.database("payments").await?;
    let known: HashMap<Uuid, i64> = sqlx::query_as::<_, (Uuid, i64)>(
        "select booking_id, (extract(epoch from pg_xact_commit_timestamp(xmin)) * 1e6)::bigint
         from known_bookings",
    )
    .fetch_all(&mut payments)
    .await?
    .into_iter()
    .collect();
    ensure!(told.len() == usize::try_from(EVENTS)?, "{} events were recorded", told.len());
    let mut waits = Samples::default();
    for (stream, committed) in told {
        let id: Uuid = stream.trim_start_matches("booking-").parse()?;
        let done = known.get(&id).context("payments does not know a booking")?;
        let wait = u64::try_from(done - committed).context("it was done before it was told")?;
        waits.push(std::time::Duration::from_micros(wait));
    }
    let title = |which: &str| format!("event committed → consumer done, {which}");
    let p50 = Figure::absolute(title("p50"), Unit::Millis, millis(waits.p50()), (10.0, 5.0));
    let p99 = Figure::absolute(title("p99"), Unit::Millis, millis(waits.p99()), (50.0, 20.0));
    let note = format!(
        "{} events at {PER_SECOND}/s, payments knows the booking; the longest {:.1} ms",
        waits.len(),
        millis(waits.longest())
    );
    Ok(vec![p50.noting(note), p99])
}
