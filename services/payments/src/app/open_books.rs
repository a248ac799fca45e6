//! Opens the books of bookings whose money moved before there was a ledger: their entries follow
//! from their events, so they are written as if they had always been.

use eventstore::{Metadata, Store, Tx};
use kernel::Id;
use kernel::id::Booking;

use super::Error;
use crate::contract;
use crate::ledger::Books;
use crate::ledger::post::post;
use crate::read_model::ledger::without_entries;

/// How many bookings are looked for at a time.
const MANY: i64 = 100;

/// Posts what is not posted; called at the start. Two that do so at once post it once.
///
/// # Errors
/// When the database does not answer or holds an event that cannot be read.
pub async fn open_books(store: &Store) -> Result<(), Error> {
    loop {
        let bookings = without_entries(store.pool(), MANY).await?;
        if bookings.is_empty() {
            return Ok(());
        }
        let mut posted = 0;
        for booking_id in bookings {
            posted += store
                .write(Metadata::by("payments", None), move |tx| Box::pin(open(tx, booking_id)))
                .await?;
        }
        tracing::info!(posted, "entries of older events were posted");
        if posted == 0 {
            // Money of no amount has no entry, and must not be looked for again and again.
            return Ok(());
        }
    }
}

async fn open(tx: &mut Tx, booking_id: Id<Booking>) -> Result<usize, Error> {
    let stream = contract::collection_stream(booking_id);
    tx.lock(std::slice::from_ref(&stream)).await?;
    let stored = tx.load(&stream).await?.events;
    let events = stored
        .iter()
        .map(contract::read_collection_event)
        .collect::<Result<Vec<_>, _>>()
        .map_err(Error::unavailable)?;
    let entries = Books::default().enter(&events);
    post(tx, Some(booking_id), &entries).await?;
    Ok(entries.len())
}
