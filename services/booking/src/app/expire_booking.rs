//! A hold's end has come: the time is free again.

use eventstore::Tx;
use kernel::Id;
use kernel::id::Booking;

use super::placement::carry_out;
use super::{Desk, Error};
use crate::domain::booking::Command;
use crate::store::OpenBooking;
use crate::timers::HOLD_END;

/// Runs inside the transaction that ends the timer. A hold that was extended meanwhile keeps its
/// timer, which was moved with it.
///
/// # Errors
/// When the database does not answer.
pub async fn expire_booking(tx: &mut Tx, desk: &Desk, id: Id<Booking>) -> Result<(), Error> {
    let subject = id.to_string();
    let Some(mut open) = OpenBooking::load(tx, &desk.rules, id).await? else {
        return Ok(tx.end_timer(HOLD_END, &subject).await?);
    };
    let now = open.now;
    let events = open.apply(tx, Command::Expire { now }).await?;
    if !events.is_empty() {
        carry_out(tx, &mut open, id, &events).await?;
        tracing::info!(booking_id = %id, "the hold has ended");
    }
    if open.state.held_until().is_none() {
        tx.end_timer(HOLD_END, &subject).await?;
    }
    Ok(())
}
