//! Money was verified: the booking is confirmed, placed again after its hold had ended, or left
//! unplaced, so that payments gives the money back. Money for what was confirmed on the customer's
//! word belongs to that booking.

use eventstore::Tx;
use kernel::Id;
use kernel::id::Booking;

use super::placement::{carry_out, place};
use super::{Desk, Error, Rejection, refuse};
use crate::domain::booking::{Command, Event, PaymentId};
use crate::read_model::learn;
use crate::store::OpenBooking;

/// Runs inside the transaction that takes the payment's event in, which tells how many minor units
/// were captured.
///
/// # Errors
/// When the database does not answer. `BookingNotFound` when the money is for no booking: the event
/// is parked then, which alerts, because somebody has to find out whose money it is.
pub async fn confirm_booking(
    tx: &mut Tx,
    desk: &Desk,
    id: Id<Booking>,
    (payment, minor): (PaymentId, Option<i64>),
) -> Result<(), Error> {
    let Some(mut open) = OpenBooking::load(tx, &desk.rules, id).await? else {
        return Err(refuse(Rejection::BookingNotFound));
    };
    let place = place(tx, &desk.rules, &open).await?;
    let price = open.state.facts().map(|facts| facts.price.minor);
    let (now, id_of_payment) = (open.now, payment.clone());
    let events = open.apply(tx, Command::VerifyPayment { payment, place, now }).await?;
    if events.iter().any(|event| matches!(event, Event::Unplaced { .. })) {
        tracing::warn!(booking_id = %id, "paid, but not placed");
    }
    carry_out(tx, &mut open, id, &events).await?;
    if let Some(minor) = minor.filter(|minor| price.is_some_and(|price| *minor < price)) {
        learn::paid_less(tx, id, &id_of_payment, minor).await?;
    }
    Ok(())
}
