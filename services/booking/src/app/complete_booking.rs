//! A session's end has passed.

use eventstore::Tx;
use kernel::Id;
use kernel::id::Booking;

use super::{Desk, Error};
use crate::domain::booking::Command;
use crate::store::OpenBooking;
use crate::timers::{CREATE_MEETING, SESSION_END};

/// Runs inside the transaction that ends the timer.
///
/// # Errors
/// When the database does not answer.
pub async fn complete_booking(tx: &mut Tx, desk: &Desk, id: Id<Booking>) -> Result<(), Error> {
    let subject = id.to_string();
    if let Some(mut open) = OpenBooking::load(tx, &desk.rules, id).await? {
        let now = open.now;
        open.apply(tx, Command::Complete { now }).await?;
        // A room for a session that is over would open for nobody.
        tx.end_timer(CREATE_MEETING, &subject).await?;
    }
    tx.end_timer(SESSION_END, &subject).await?;
    Ok(())
}
