//! How fast a read model is made again from the log: `bookings` and `slot_reservations`, emptied,
//! from the feed of 1,000,000 events, read and decoded as every reader does, by the functions that
//! write them with each append (`booking::read_model::project`), so many events in a transaction.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use booking::contract::{read_booking_event, read_day_event};
use booking::domain::{booking as life, day};
use booking::read_model::project::{self, DayKey};
use eventstore::{Database, Metadata, Recorded, Store, StoreError, Tx, feed};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use runtime::practice::PRACTITIONER_ID;
use sqlx::{Connection as _, Executor as _, PgConnection};
use tokio::time::Instant;

use crate::figure::{Against, Bound, Figure, Unit};
use crate::log_database::full;
use crate::stage::{Hours, Stage};

/// How long it is measured; the rest of the log would only repeat it.
const LENGTH: Duration = Duration::from_secs(6);
/// Events in a transaction.
const BATCH: i64 = 1000;

/// What an event changes.
enum Change {
    Booking(Id<Booking>, life::Event, Timestamp),
    Day(DayKey, day::Event),
}

pub(crate) async fn measure(stage: &mut Stage) -> Result<Vec<Figure>> {
    let running = stage.at(Hours::Dense).await?;
    let url = full(&running.practice).await?;
    let mut connection = PgConnection::connect(&url).await?;
    connection.execute("truncate bookings, slot_reservations").await?;
    let store = Store::new(Database::new(url).open()?);
    let zone = TimeZone::get("Asia/Kolkata")?;
    let (began, mut position, mut requested) = (Instant::now(), 0, 0_usize);
    while began.elapsed() < LENGTH {
        let events = feed::read(store.pool(), position, BATCH).await?;
        let Some(last) = events.last() else { break };
        position = last.position;
        let mut changes = Vec::with_capacity(events.len());
        for event in &events {
            changes.push(read(event, &zone)?);
        }
        let is_request = |it: &&Recorded| it.event_type == "booking.v1.BookingRequested";
        requested += events.iter().filter(is_request).count();
        write(&store, changes).await?;
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
        beside: None,
        against: Against::Nothing,
        reach: Bound::AtLeast(50_000.0),
        stretch: Some(Bound::AtLeast(200_000.0)),
        note: format!("{events} events of booking's log, {rows} bookings made again"),
    };
    Ok(vec![figure])
}

fn read(event: &Recorded, zone: &TimeZone) -> Result<Change> {
    if let Some(id) = event.stream_id.strip_prefix("booking-") {
        let id = Id::from_uuid(id.parse()?);
        return Ok(Change::Booking(id, read_booking_event(event)?, event.recorded_at));
    }
    let date = event.stream_id.strip_prefix("day-lead-").context("a stream of nobody")?;
    let date: Date = date.parse()?;
    let midnight = |date: Date| anyhow::Ok(date.to_zoned(zone.clone())?.timestamp());
    let key = DayKey {
        practitioner_id: PRACTITIONER_ID.to_owned(),
        from: Timestamp::from_jiff(midnight(date)?),
        to: Timestamp::from_jiff(midnight(date.tomorrow()?)?),
    };
    Ok(Change::Day(key, read_day_event(event)?))
}

async fn write(store: &Store, changes: Vec<Change>) -> Result<()> {
    let changes = Arc::new(changes);
    let written = store.write(Metadata::by("bench", None), move |tx| {
        let changes = Arc::clone(&changes);
        Box::pin(async move { apply(tx, &changes).await })
    });
    Ok(written.await?)
}

async fn apply(tx: &mut Tx, changes: &[Change]) -> Result<(), StoreError> {
    for change in changes {
        match change {
            Change::Booking(id, event, at) => project::booking(tx, *id, event, *at).await?,
            Change::Day(key, event) => project::day(tx, key, event).await?,
        }
    }
    Ok(())
}
