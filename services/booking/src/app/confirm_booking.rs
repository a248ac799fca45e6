//! A payment was verified: the booking is confirmed, reinstated after its hold had expired, or left
//! unplaced, so that payments refunds it. A payment for a booking that was confirmed on a claim is
//! assigned to that booking.

use eventstore::Tx;
use kernel::Id;
use kernel::id::Booking;

use super::App;
use super::placement::check_placement;
use crate::domain::booking::{Command, Event, PaymentId};
use crate::error::{Error, Rejection, refuse};
use crate::read_model::external_facts;
use crate::repository::LockedBooking;

/// Runs inside the transaction that handles the payment's event. `minor` is the captured amount in
/// minor units.
///
/// # Errors
/// When the database does not answer. `BookingNotFound` when no booking matches the payment: the
/// event is parked, which raises an alert, because staff must find out who paid.
pub async fn confirm_booking(
    tx: &mut Tx,
    app: &App,
    id: Id<Booking>,
    (payment, minor): (PaymentId, Option<i64>),
) -> Result<(), Error> {
    let Some(mut locked) =
        LockedBooking::load_since(tx, &app.rules, &app.day_snapshots, id).await?
    else {
        return Err(refuse(Rejection::BookingNotFound));
    };
    let placement = check_placement(tx, &app.practitioners, &locked).await?;
    let price = locked.state.facts().map(|facts| facts.price.minor);
    let (now, id_of_payment) = (locked.now, payment.clone());
    let events = locked.apply(tx, Command::VerifyPayment { payment, placement, now }).await?;
    if events.iter().any(|event| matches!(event, Event::Unplaced { .. })) {
        tracing::warn!(booking_id = %id, "paid, but not placed");
    }
    if let Some(minor) = minor.filter(|minor| price.is_some_and(|price| *minor < price)) {
        external_facts::paid_less(tx, id, &id_of_payment, minor).await?;
    }
    Ok(())
}
