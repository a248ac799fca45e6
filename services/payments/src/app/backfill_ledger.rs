//! Backfills ledger entries: for bookings whose money moved before there was a ledger, and for
//! events of a process of an older release during a rolling deploy. The entries of a booking follow
//! from its events. The progress is stored as a position of our own feed, so that a start reads
//! only what was appended since the last night.

use eventstore::{Metadata, Recorded, Store, StoreError, Tx, Unreadable};
use kernel::Id;
use kernel::id::Booking;

use crate::contract;
use crate::domain::ledger::{Books, Entry};
use crate::error::Error;
use crate::read_model::ledger::{
    backfilled_until, count_written, record_backfilled, streams_after,
};
use crate::repository::posting::post;

/// How many events are read at a time.
const BATCH_SIZE: i64 = 1_000;

/// Compares the entries that follow from each booking's events with the stored ones, and writes the
/// missing ones; called at startup and every night. Concurrent runs write each entry once. A
/// booking with an unreadable event is skipped, with an error in the log.
pub async fn backfill_ledger(store: &Store) -> Result<(), Error> {
    let mut position = backfilled_until(store.pool()).await?;
    loop {
        let (streams, end) = streams_after(store.pool(), position, BATCH_SIZE).await?;
        for stream in &streams {
            backfill_one(store, stream).await?;
        }
        if end == position {
            return Ok(());
        }
        record_backfilled(store.pool(), end).await?;
        position = end;
    }
}

async fn backfill_one(store: &Store, stream: &str) -> Result<(), Error> {
    let Some(booking_id) = contract::booking_of_stream(stream) else { return Ok(()) };
    let events = store.load(stream).await?;
    // Read after the events, which were written together with their entries.
    let entries = match entries(&events) {
        Ok(entries) => entries,
        // The other bookings are backfilled anyway.
        Err(error) => {
            tracing::error!(%booking_id, %error, "the books of a booking stay closed");
            return Ok(());
        }
    };
    let missing = entries.len() - count_written(store.pool(), &entries).await?;
    if missing > 0 {
        store
            .write(Metadata::by("payments", None), move |tx| Box::pin(backfill(tx, booking_id)))
            .await?;
        tracing::info!(%booking_id, missing, "entries of older events were posted");
    }
    Ok(())
}

/// The entries that follow from a booking's events.
fn entries(events: &[Recorded]) -> Result<Vec<Entry>, Unreadable> {
    let events =
        events.iter().map(contract::read_collection_event).collect::<Result<Vec<_>, _>>()?;
    Ok(Books::default().enter(&events))
}

/// Writes the missing entries of a booking.
///
/// # Errors
/// When the database does not answer or holds an event that cannot be read.
pub(super) async fn backfill(tx: &mut Tx, booking_id: Id<Booking>) -> Result<(), Error> {
    let stream = contract::collection_stream(booking_id);
    tx.lock(std::slice::from_ref(&stream)).await?;
    let events = tx.load(&stream).await?.events;
    let entries = entries(&events).map_err(StoreError::from)?;
    // Their disputes are events already.
    post(tx, Some(booking_id), &entries).await?;
    Ok(())
}
