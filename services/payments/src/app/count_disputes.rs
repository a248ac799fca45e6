//! Counts disputes of before they were counted as money that a payment has lost: the rows and the
//! ledger of their bookings follow from their events, and are written anew once.

use eventstore::{Metadata, Store, Tx};
use kernel::Id;
use kernel::id::Booking;

use super::backfill_ledger::backfill;
use crate::error::Error;
use crate::read_model::{project, query};
use crate::repository::LockedCollection;
use crate::timers::kinds;

/// Writes them, and wakes the refunds that do not wait for the end of a dispute any more. A booking
/// with an unreadable event is skipped, with an error in the log.
pub async fn count_disputes(store: &Store) -> Result<(), Error> {
    for booking_id in query::uncounted_disputes(store.pool()).await? {
        let counted = store
            .write(Metadata::by("payments", None), move |tx| Box::pin(count(tx, booking_id)))
            .await;
        if let Err(error) = counted {
            tracing::error!(%booking_id, %error, "a dispute is not counted");
        }
    }
    Ok(())
}

async fn count(tx: &mut Tx, booking_id: Id<Booking>) -> Result<(), Error> {
    let locked = LockedCollection::load(tx, booking_id).await?;
    let Some(known) = locked.collection() else { return Ok(()) };
    project::collection(tx, known, locked.now).await?;
    backfill(tx, booking_id).await?;
    let waiting = known.refunds.iter().filter(|(_, refund)| refund.is_unaccepted());
    for (refund_id, _) in waiting.filter(|(id, _)| !known.is_held(**id)) {
        kinds::schedule_refund(tx, *refund_id, locked.now).await?;
    }
    Ok(())
}
