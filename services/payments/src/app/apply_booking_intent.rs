//! What booking intends for a booking's money is stored, and applied to money that is here or
//! arrives later: after a restore of this database, booking may name a payment that has to be
//! fetched again first.

use eventstore::Tx;

use crate::domain::booking_intent::{BookingIntent, command};
use crate::error::Error;
use crate::repository::LockedCollection;

/// Applies booking's intent to the booking's money; idempotent. A booking that was confirmed on the
/// client's claim may have no money, not even an order.
pub async fn apply_booking_intent(
    tx: &mut Tx,
    locked: &mut LockedCollection,
    intent: &BookingIntent,
) -> Result<(), Error> {
    let refund_id = |words: &[&str]| locked.refund_id(words);
    let command = locked.collection().and_then(|known| command(known, intent, refund_id));
    if let Some(command) = command {
        locked.apply(tx, command).await?;
    }
    Ok(())
}
