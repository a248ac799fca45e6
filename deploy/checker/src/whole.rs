//! What is judged over a whole practice and not booking by booking: logs and feeds, days, receipts'
//! numbers, sums of entries, timers. Rows are read as they come and are not kept.

use anyhow::Result;
use futures::TryStreamExt as _;
use kernel::Id;
use kernel::id::Booking;
use sqlx::Row as _;
use uuid::Uuid;

use crate::history::{HistoryEvent, read_day};
use crate::log::{Feed, Place, Streams, behind_its_end};
use crate::receipts::Numbers;
use crate::report::Report;
use crate::rows;
use crate::sessions::Rows;
use crate::stores::{Store, Stores};
use crate::times::Times;
use crate::violation::{Finding, Invariant};
use crate::{duplicates, money, projection};

/// I8: the streams and the feed of each log, and where its readers are.
pub(crate) async fn logs(stores: &mut Stores, report: &mut Report) -> Result<()> {
    let mut found = Finding::of(Invariant::I8);
    let mut checkpoints: Vec<(String, String, i64)> = Vec::new();
    for store in stores.all() {
        report.events += streams(store, &mut found).await?;
        feed(store, &mut found).await?;
        let query = sqlx::query("select consumer, source, position from checkpoints");
        let rows = store
            .rows(query, |row| Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?)))
            .await?;
        checkpoints.extend(rows);
    }
    for (consumer, source, at) in checkpoints {
        let Some(source) = stores.of(&source) else { continue };
        let query = sqlx::query("select coalesce(max(position), 0) from feed");
        let last = source.rows(query, |row| row.try_get(0)).await?.pop().unwrap_or(0);
        behind_its_end((&consumer, at), last, &mut found);
    }
    report.add(found.violations);
    Ok(())
}

async fn streams(store: &mut Store, found: &mut Finding) -> Result<usize> {
    let mut streams = Streams::of(store.name);
    let mut count = 0;
    let mut rows = sqlx::query(
        "select e.seq, f.position, e.stream_id, e.version, o.seq is not null
         from events e left join feed f using (seq) left join outbox o on o.seq = e.seq
         order by e.stream_id, e.version",
    )
    .fetch(&mut store.connection);
    while let Some(row) = rows.try_next().await? {
        count += 1;
        let stream: &str = row.try_get(2)?;
        let place = Place {
            seq: row.try_get(0)?,
            position: row.try_get(1)?,
            stream,
            version: row.try_get(3)?,
        };
        streams.add(place, row.try_get(4)?, found);
    }
    Ok(count)
}

async fn feed(store: &mut Store, found: &mut Finding) -> Result<()> {
    let mut feed = Feed::of(store.name);
    let mut rows =
        sqlx::query("select position from feed order by position").fetch(&mut store.connection);
    while let Some(row) = rows.try_next().await? {
        feed.add(row.try_get(0)?, found);
    }
    Ok(())
}

/// I2: all days; what they say of times is compared with bookings page by page.
pub(crate) async fn days(booking: &mut Store, report: &mut Report) -> Result<Times> {
    let mut found = Finding::of(Invariant::I2);
    let mut unreadable = Finding::of(Invariant::I8);
    let mut times = Times::default();
    let mut stream = String::new();
    let mut past: Vec<HistoryEvent<booking::domain::day::Event>> = Vec::new();
    let mut rows = sqlx::query(
        "select e.*, null::bigint as position from events e where stream_id like 'day-%'
         order by stream_id, version",
    )
    .fetch(&mut booking.connection);
    while let Some(row) = rows.try_next().await? {
        let event = rows::event(&row)?.event;
        if event.stream_id != stream {
            times.add_day(&stream, &past, &mut found);
            past.clear();
            stream.clone_from(&event.stream_id);
        }
        match read_day(&event) {
            Ok(event) => past.push(event),
            Err(error) => unreadable.add(error),
        }
    }
    times.add_day(&stream, &past, &mut found);
    times.sort();
    report.add(found.violations);
    report.add(unreadable.violations);
    Ok(times)
}

/// I2 and I9: rows of times, among themselves, and those that the practice has closed.
pub(crate) async fn reservations(
    booking: &mut Store,
    times: &Times,
    report: &mut Report,
) -> Result<()> {
    let mut found = Finding::of(Invariant::I2);
    let mut in_order = Rows::default();
    let mut rows = sqlx::query(
        "select * from slot_reservations where live order by practitioner_id, starts_at",
    )
    .fetch(&mut booking.connection);
    while let Some(row) = rows.try_next().await? {
        in_order.add(&rows::reservation(&row)?, &mut found);
    }
    drop(rows);
    report.add(found.violations);
    let blocks = sqlx::query("select * from slot_reservations where block_id is not null");
    let blocks = booking.rows(blocks, rows::reservation).await?;
    report.add(projection::blocks(&blocks, times));
    Ok(())
}

/// I3, I4 and I9: what payments' tables have to say by themselves.
pub(crate) async fn payments(payments: &mut Store, report: &mut Report) -> Result<()> {
    let mut entries = Finding::of(Invariant::I3);
    let query = sqlx::query(
        "select entry_id::text, amount_currency, sum(amount_minor)::bigint from ledger_lines
         group by entry_id, amount_currency having sum(amount_minor) <> 0",
    );
    let off: Vec<(String, String, i64)> =
        payments.rows(query, |row| Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?))).await?;
    for (entry, currency, sum) in off {
        money::off_by(&entry, &currency, sum, &mut entries);
    }
    report.add(entries.violations);
    closing(payments, report).await?;
    let mut found = Finding::of(Invariant::I4);
    let mut numbers = Numbers::default();
    let mut rows =
        sqlx::query("select financial_year, number from receipts order by financial_year, number")
            .fetch(&mut payments.connection);
    while let Some(row) = rows.try_next().await? {
        numbers.add((row.try_get(0)?, row.try_get(1)?), &mut found);
    }
    drop(rows);
    let query = sqlx::query(
        "select min(booking_id::text), max(booking_id::text) from collections
         where order_id is not null group by order_id having count(*) > 1",
    );
    let twins: Vec<(String, String)> =
        payments.rows(query, |row| Ok((row.try_get(0)?, row.try_get(1)?))).await?;
    for (one, other) in twins {
        if let (Some(one), Some(other)) = (booking_id(&one), booking_id(&other)) {
            duplicates::one_order(other, one, &mut found);
        }
    }
    report.add(found.violations);
    Ok(())
}

/// I3: the last closing of the ledger is the sum of all entries before it.
async fn closing(payments: &mut Store, report: &mut Report) -> Result<()> {
    let query = sqlx::query(
        "with last as (select max(up_to_seq) as up_to_seq from ledger_sums),
         closed as (
             select account, amount_currency, amount_minor::bigint as minor
             from ledger_sums join last using (up_to_seq)),
         entered as (
             select account, amount_currency, sum(amount_minor)::bigint as minor
             from ledger_entries join ledger_lines using (entry_id)
             where seq <= (select up_to_seq from last)
             group by account, amount_currency)
         select account, coalesce(closed.minor, 0), coalesce(entered.minor, 0)
         from closed full join entered using (account, amount_currency)
         where coalesce(closed.minor, 0) <> coalesce(entered.minor, 0)
         order by account",
    );
    let off: Vec<(String, i64, i64)> =
        payments.rows(query, |row| Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?))).await?;
    let mut found = Finding::of(Invariant::I3);
    for (account, closed, entered) in off {
        found.add(format!(
            "the ledger's last closing has {closed} in {account}, its entries come to {entered}"
        ));
    }
    report.add(found.violations);
    Ok(())
}

fn booking_id(text: &str) -> Option<Id<Booking>> {
    Uuid::parse_str(text).ok().map(Id::from_uuid)
}
