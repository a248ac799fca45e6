//! How fast a read model is made again from the log: `bookings` and `slot_reservations`, emptied,
//! from the feed of 1,000,000 events, read and decoded as every reader does, and written by
//! `booking::read_model::rebuild`, so many events in a transaction. The next ones are read while
//! the last ones are written.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use booking::contract::{read_booking_event, read_day_event};
use booking::domain::booking as life;
use booking::read_model::project::DayKey;
use booking::read_model::rebuild::{self, Change};
use eventstore::{Database, Metadata, Recorded, Store, feed};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use kernel::{Id, Timestamp};
use practice::LEAD_ID;
use sqlx::{Connection as _, Executor as _, PgConnection};
use tokio::time::Instant;

use crate::environment::{Environment, Hours};
use crate::figure::{Against, Bound, Figure, Unit};
use crate::log_database::full;

/// How long it is measured; the rest of the log would only repeat it.
const LENGTH: Duration = Duration::from_secs(6);
/// Events in a transaction.
const BATCH: i64 = 4000;

pub(crate) async fn measure(environment: &mut Environment) -> Result<Vec<Figure>> {
    let running = environment.at(Hours::Dense).await?;
    let url = full(&running.practice).await?;
    let mut connection = PgConnection::connect(&url).await?;
    connection.execute("truncate bookings, slot_reservations").await?;
    let store = Store::new(Database::new(url).open()?);
    let zone = TimeZone::get("Asia/Kolkata")?;
    let (began, mut position, mut requested) = (Instant::now(), 0, 0_usize);
    let mut batch = next(&store, position, &zone).await?;
    while began.elapsed() < LENGTH && !batch.changes.is_empty() {
        position = batch.last;
        let is_request = |it: &&Change| {
            matches!(it, Change::Booking { event: life::Event::Requested { .. }, .. })
        };
        requested += batch.changes.iter().filter(is_request).count();
        // Side by side as tasks, so that reading has a core of its own.
        let (reader, zone) = (store.clone(), zone.clone());
        let reading = tokio::spawn(async move { next(&reader, position, &zone).await });
        write(&store, batch.changes).await?;
        batch = reading.await??;
    }
    let seconds = began.elapsed().as_secs_f64();
    let sql = "select least((select count(*) from bookings),
                            (select count(*) from slot_reservations))";
    let rows: i64 = sqlx::query_scalar(sql).fetch_one(&mut connection).await?;
    ensure!(rows == i64::try_from(requested)?, "{requested} bookings were made again as {rows}");
    let events = u32::try_from(position)?;
    let figure = Figure {
        title: "rebuild of a read model".to_owned(),
        unit: Unit::PerSecond,
        ours: f64::from(events) / seconds,
        reference: None,
        against: Against::Nothing,
        reach: Bound::AtLeast(50_000.0),
        stretch: Some(Bound::AtLeast(200_000.0)),
        note: format!("{events} events of booking's log, {rows} bookings made again"),
    };
    Ok(vec![figure])
}

/// A part of the log, decoded.
struct Batch {
    changes: Vec<Change>,
    last: i64,
}

async fn next(store: &Store, position: i64, zone: &TimeZone) -> Result<Batch> {
    let events = feed::read(store.pool(), position, BATCH).await?;
    let changes = events.iter().map(|event| read(event, zone)).collect::<Result<_>>()?;
    Ok(Batch { changes, last: events.last().map_or(position, |event| event.position) })
}

fn read(event: &Recorded, zone: &TimeZone) -> Result<Change> {
    if let Some(id) = event.stream_id.strip_prefix("booking-") {
        let id = Id::from_uuid(id.parse()?);
        let (event, at) = (read_booking_event(event)?, event.recorded_at);
        return Ok(Change::Booking { id, event, at });
    }
    let date = event.stream_id.strip_prefix("day-lead-").context("a stream of nobody")?;
    let date: Date = date.parse()?;
    let midnight = |date: Date| anyhow::Ok(date.to_zoned(zone.clone())?.timestamp());
    let key = DayKey {
        practitioner_id: LEAD_ID.to_owned(),
        from: Timestamp::from_jiff(midnight(date)?),
        to: Timestamp::from_jiff(midnight(date.tomorrow()?)?),
    };
    Ok(Change::Day { key, event: read_day_event(event)? })
}

async fn write(store: &Store, changes: Vec<Change>) -> Result<()> {
    let changes = Arc::new(changes);
    let written = store.write(Metadata::by("bench", None), move |tx| {
        let changes = Arc::clone(&changes);
        Box::pin(async move { rebuild::write(tx, &changes).await })
    });
    Ok(written.await?)
}
