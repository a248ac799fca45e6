//! Completes a booking, or a session of a package, once the session has ended.

use eventstore::Tx;
use kernel::Id;
use kernel::id::Booking;

use super::App;
use crate::domain::booking::{Command, Timer};
use crate::error::Error;
use crate::repository::LockedBooking;
use crate::timers::kinds;

/// Runs inside the transaction that ends the timer of a session: of the one with this number in a
/// package. If the session is still to come because the clock was set back, the timer stays and
/// fires again at the session's end.
pub async fn complete_booking(
    tx: &mut Tx,
    app: &App,
    (id, number): (Id<Booking>, Option<usize>),
) -> Result<(), Error> {
    if let Some(mut locked) = LockedBooking::load(tx, &app.rules, id).await? {
        let now = locked.now;
        locked.apply(tx, Command::Complete { now }).await?;
        if locked.state.expects(number) {
            return Ok(());
        }
    }
    let (kind, subject) = kinds::key(id, Timer::SessionEnd(number));
    tx.end_timer(kind, &subject).await?;
    Ok(())
}
