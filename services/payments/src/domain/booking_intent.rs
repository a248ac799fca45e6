//! What booking intends for a booking's money, and the command that follows from it.

use kernel::Id;
use kernel::id::Refund as RefundKind;

use super::booking_status::BookingStatus;
use super::collection::{Collection, Command, Rest};
use super::fact::{Amount, PaymentId};
use super::session_ends::SessionEnds;

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
    /// How the sessions of a package have ended; none of a single session.
    pub session_ends: SessionEnds,
}

/// The command that follows from an intent and the known money. `refund_id` derives the id of a
/// refund from the strings that name its cause.
pub fn command(
    known: &Collection,
    intent: &BookingIntent,
    refund_id: impl FnOnce(&[&str]) -> Id<RefundKind>,
) -> Option<Command> {
    // A package that was not placed is like any other booking.
    if !intent.session_ends.is_empty() && intent.status != BookingStatus::Unplaced {
        let ends = intent.session_ends.clone();
        let refund_id = refund_id(&["cancelled", &ends.cancelled()]);
        let rest = match intent.status {
            BookingStatus::Completed => Some(Rest::Earned),
            BookingStatus::Cancelled => Some(Rest::Retained),
            BookingStatus::Unknown
            | BookingStatus::Requested
            | BookingStatus::Confirmed
            | BookingStatus::Unplaced
            | BookingStatus::Expired
            | BookingStatus::Released => None,
        };
        return Some(Command::SettleSessions { ends, rest, refund_id });
    }
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
