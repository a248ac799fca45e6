//! Money was verified: the booking is confirmed, placed again after its hold had ended, or left
//! unplaced, so that payments gives the money back. Money for what was confirmed on the customer's
//! word belongs to that booking.

use eventstore::Tx;
use kernel::Id;
use kernel::id::Booking;

use super::placement::{apply_effects, check_placement};
use super::{App, Error, Rejection, refuse};
use crate::domain::booking::{Command, Event, PaymentId};
use crate::read_model::external_facts;
use crate::repository::LockedBooking;

/// Runs inside the transaction that takes the payment's event in, which tells how many minor units
/// were captured.
///
/// # Errors
/// When the database does not answer. `BookingNotFound` when the money is for no booking: the event
/// is parked then, which alerts, because somebody has to find out whose money it is.
pub async fn confirm_booking(
    tx: &mut Tx,
    app: &App,
    id: Id<Booking>,
    (payment, minor): (PaymentId, Option<i64>),
) -> Result<(), Error> {
    let Some(mut locked) = LockedBooking::load(tx, &app.rules, id).await? else {
        return Err(refuse(Rejection::BookingNotFound));
    };
    let placement = check_placement(tx, &app.rules, &locked).await?;
    let price = locked.state.facts().map(|facts| facts.price.minor);
    let (now, id_of_payment) = (locked.now, payment.clone());
    let events = locked.apply(tx, Command::VerifyPayment { payment, placement, now }).await?;
    if events.iter().any(|event| matches!(event, Event::Unplaced { .. })) {
        tracing::warn!(booking_id = %id, "paid, but not placed");
    }
    apply_effects(tx, &mut locked, id, &events).await?;
    if let Some(minor) = minor.filter(|minor| price.is_some_and(|price| *minor < price)) {
        external_facts::paid_less(tx, id, &id_of_payment, minor).await?;
    }
    Ok(())
}
