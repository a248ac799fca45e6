//! Expires a hold: its time is free again.

use eventstore::Tx;
use kernel::Id;
use kernel::id::Booking;

use super::App;
use crate::domain::booking::Command;
use crate::error::Error;
use crate::repository::LockedBooking;
use crate::timers::kinds::HOLD_END;

/// Runs inside the transaction that ends the timer. If the hold was extended in between, its timer
/// was moved and stays.
pub async fn expire_booking(tx: &mut Tx, app: &App, id: Id<Booking>) -> Result<(), Error> {
    let subject = id.to_string();
    let Some(mut locked) =
        LockedBooking::load_since(tx, &app.rules, &app.day_snapshots, id).await?
    else {
        return Ok(tx.end_timer(HOLD_END, &subject).await?);
    };
    let now = locked.now;
    if !locked.apply(tx, Command::Expire { now }).await?.is_empty() {
        tracing::info!(booking_id = %id, "the hold has ended");
    }
    if locked.state.held_until().is_none() {
        tx.end_timer(HOLD_END, &subject).await?;
    }
    Ok(())
}
