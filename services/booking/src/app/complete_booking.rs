//! Completes a booking once its session has ended.

use eventstore::Tx;
use kernel::Id;
use kernel::id::Booking;

use super::App;
use crate::domain::booking::{Command, State};
use crate::error::Error;
use crate::repository::LockedBooking;
use crate::timers::kinds::{CREATE_MEETING, SESSION_END};

/// Runs inside the transaction that ends the timer. If the session is still to come because the
/// clock was set back, the timer stays and fires again at the session's end.
///
/// # Errors
/// When the database does not answer.
pub async fn complete_booking(tx: &mut Tx, app: &App, id: Id<Booking>) -> Result<(), Error> {
    let subject = id.to_string();
    if let Some(mut locked) = LockedBooking::load(tx, &app.rules, id).await? {
        let now = locked.now;
        locked.apply(tx, Command::Complete { now }).await?;
        if matches!(locked.state, State::Confirmed { .. } | State::MeetingScheduled { .. }) {
            return Ok(());
        }
    }
    // A session that is over needs no meeting room.
    tx.end_timer(CREATE_MEETING, &subject).await?;
    tx.end_timer(SESSION_END, &subject).await?;
    Ok(())
}
