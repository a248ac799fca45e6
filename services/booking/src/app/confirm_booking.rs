//! Money was verified: the booking is confirmed, placed again after its hold had ended, or left
//! unplaced, so that payments gives the money back.

use eventstore::Tx;
use kernel::Id;
use kernel::id::Booking;

use super::{Desk, Error, Rejection, refuse};
use crate::domain::booking::{Command, Event, Facts, Mode, PaymentId, Place};
use crate::domain::day;
use crate::read_model::query;
use crate::store::OpenBooking;
use crate::timers::{self, CREATE_MEETING, HOLD_END, SESSION_END};

/// Runs inside the transaction that takes the payment's event in.
///
/// # Errors
/// When the database does not answer. `BookingNotFound` when the money is for no booking: the event
/// is parked then, which alerts, because somebody has to find out whose money it is.
pub async fn confirm_booking(
    tx: &mut Tx,
    desk: &Desk,
    id: Id<Booking>,
    payment: PaymentId,
) -> Result<(), Error> {
    let Some(mut open) = OpenBooking::load(tx, &desk.rules, id).await? else {
        return Err(refuse(Rejection::BookingNotFound));
    };
    let facts = open.state.facts().cloned().ok_or(refuse(Rejection::BookingNotFound))?;
    let replaced = query::is_replaced(tx, &facts, open.now).await?;
    let place = Place { free: open.is_free(tx).await?, replaced };
    let now = open.now;
    for event in open.apply(tx, Command::VerifyPayment { payment, place, now }).await? {
        if let Event::Confirmed { reinstated, .. } = event {
            let book = |span| day::Command::Book { booking_id: id, span, now };
            open.apply_to_days(tx, book).await?;
            set_timers(tx, &facts, &open).await?;
            tracing::info!(booking_id = %id, reinstated, "confirmed");
        } else {
            let release = |_span| day::Command::Release { booking_id: id };
            open.apply_to_days(tx, release).await?;
            tracing::warn!(booking_id = %id, "paid, but not placed");
        }
        tx.end_timer(HOLD_END, &id.to_string()).await?;
    }
    Ok(())
}

async fn set_timers(tx: &mut Tx, facts: &Facts, open: &OpenBooking) -> Result<(), Error> {
    let subject = facts.booking_id.to_string();
    let payload = timers::payload(tx);
    if let Some(last) = facts.sessions.last() {
        tx.set_timer(SESSION_END, &subject, last.ends_at(), payload.clone()).await?;
    }
    if facts.mode == Mode::Online {
        tx.set_timer(CREATE_MEETING, &subject, open.now, payload).await?;
    }
    Ok(())
}
