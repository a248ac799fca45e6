//! What booking intends for a booking's money, and the command that follows from it.

use kernel::Id;
use kernel::id::Refund as RefundKind;

use super::booking_status::BookingStatus;
use super::collection::{Collection, Command};
use super::fact::{Amount, PaymentId};

/// What booking has reported about a booking, as far as it concerns money.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BookingIntent {
    /// The booking's status.
    pub status: BookingStatus,
    /// The payment that could not be placed and is refunded.
    pub unplaced: Option<PaymentId>,
    /// How much is refunded of a cancelled booking.
    pub refund: Option<Amount>,
    /// The payment that the booking is placed with, which gets a receipt.
    pub placed: Option<PaymentId>,
}

/// The command that follows from an intent and the known money. `refund_id` derives the id of a
/// refund from the strings that name its cause.
pub fn command(
    known: &Collection,
    intent: &BookingIntent,
    refund_id: impl FnOnce(&[&str]) -> Id<RefundKind>,
) -> Option<Command> {
    match intent.status {
        BookingStatus::Completed => Some(Command::Complete),
        BookingStatus::Cancelled => {
            // It was cancelled with a promised refund before its money arrived: the cause is the
            // cancellation.
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
