//! Opens the books of bookings whose money moved before there was a ledger, and closes the holes
//! that a process of an older release has left while a deploy rolled: the entries of a booking
//! follow from its events, so they are written as if they had always been.

use eventstore::{Metadata, Recorded, Store, StoreError, Tx, Unreadable};
use kernel::Id;
use kernel::id::Booking;

use super::Error;
use crate::contract;
use crate::ledger::post::post;
use crate::ledger::{Books, Entry};
use crate::read_model::ledger::{collected_after, written};

/// How many bookings are looked for at a time.
const MANY: i64 = 100;

/// Compares the entries that follow from each booking's events with those that are written, and
/// writes the rest; called at the start. Two that do so at once write each once. A booking of which
/// an event cannot be read is left out, with an error in the log.
///
/// # Errors
/// When the database does not answer.
pub async fn open_books(store: &Store) -> Result<(), Error> {
    let mut last = None;
    loop {
        let bookings = collected_after(store.pool(), last, MANY).await?;
        let Some(end) = bookings.last().copied() else { return Ok(()) };
        for booking_id in bookings {
            let events = store.load(&contract::collection_stream(booking_id)).await?;
            // Read after the events, which were written together with their entries.
            let entries = match entries(&events) {
                Ok(entries) => entries,
                // The books of the others are opened all the same.
                Err(error) => {
                    tracing::error!(%booking_id, %error, "the books of a booking stay closed");
                    continue;
                }
            };
            let missing = entries.len() - written(store.pool(), &entries).await?;
            if missing > 0 {
                store
                    .write(Metadata::by("payments", None), move |tx| Box::pin(open(tx, booking_id)))
                    .await?;
                tracing::info!(%booking_id, missing, "entries of older events were posted");
            }
        }
        last = Some(end);
    }
}

/// What a booking's events come to.
fn entries(events: &[Recorded]) -> Result<Vec<Entry>, Unreadable> {
    let events =
        events.iter().map(contract::read_collection_event).collect::<Result<Vec<_>, _>>()?;
    Ok(Books::default().enter(&events))
}

async fn open(tx: &mut Tx, booking_id: Id<Booking>) -> Result<(), Error> {
    let stream = contract::collection_stream(booking_id);
    tx.lock(std::slice::from_ref(&stream)).await?;
    let events = tx.load(&stream).await?.events;
    let entries = entries(&events).map_err(StoreError::from)?;
    post(tx, Some(booking_id), &entries).await?;
    Ok(())
}
