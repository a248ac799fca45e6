//! What booking wants to become of a booking's money is remembered, and done with the money that is
//! there or comes later: after a restore of this database, booking may speak of money that has to
//! be learnt of again first.

use eventstore::Tx;
use kernel::Id;
use kernel::id::Refund as RefundKind;

use super::Error;
use crate::domain::collection::{Collection, Command};
use crate::domain::fact::{Amount, PaymentId};
use crate::read_model::booking_status::BookingStatus;
use crate::repository::LockedCollection;

/// What booking has said of a booking, as far as it concerns money.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BookingIntent {
    /// Where the booking stands.
    pub status: BookingStatus,
    /// The payment that could not be placed and goes back.
    pub unplaced: Option<PaymentId>,
    /// How much goes back of one that was cancelled.
    pub refund: Option<Amount>,
    /// The payment that the booking is placed with, which gets a receipt.
    pub placed: Option<PaymentId>,
}

/// Decides about the money of a booking as booking wants it, once or often. One that was confirmed
/// on the customer's word may have none, not even an order.
///
/// # Errors
/// When the database does not answer.
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

/// What a wish means for what is known of the money; `refund_id` gives the id of a refund that is
/// asked for because of what some words name.
pub fn command(
    known: &Collection,
    intent: &BookingIntent,
    refund_id: impl FnOnce(&[&str]) -> Id<RefundKind>,
) -> Option<Command> {
    match intent.status {
        BookingStatus::Completed => Some(Command::Complete),
        BookingStatus::Cancelled => {
            // It was cancelled on the promise of a refund before its money came: that is the cause.
            let whole = intent.unplaced.as_ref().map(|_| Amount::from(known.terms.amount));
            let refund = whole.or_else(|| intent.refund.clone())?;
            Some(Command::Cancel { refund, refund_id: refund_id(&["cancelled"]) })
        }
        BookingStatus::Unplaced => {
            let payment = intent.unplaced.clone().filter(|it| known.payments.contains_key(it))?;
            let refund_id = refund_id(&["unplaced", payment.as_str()]);
            Some(Command::Unplace { payment, refund_id })
        }
        BookingStatus::Unknown
        | BookingStatus::Requested
        | BookingStatus::Confirmed
        | BookingStatus::Expired
        | BookingStatus::Released => None,
    }
}
