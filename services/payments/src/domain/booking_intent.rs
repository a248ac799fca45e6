//! What booking intends for a booking's money, and the command that follows from it.

use kernel::Id;
use kernel::id::{Booking, Customer, Refund as RefundKind};

use super::booking_status::BookingStatus;
use super::collection::{Collection, Command, Rest};
use super::fact::{Amount, PaymentId};
use super::session_ends::{SessionEnd, SessionEnds};

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

/// What this service does about an event of booking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Record the booking.
    RecordBooking { id: Id<Booking>, customer_id: Id<Customer> },
    /// Record the account that adopted it.
    RecordAdopter { id: Id<Booking>, adopter_id: Id<Customer> },
    /// Record its status.
    RecordStatus { id: Id<Booking>, status: BookingStatus },
    /// Refund its money.
    Refund { id: Id<Booking>, payment: PaymentId },
    /// Refund at most this amount, and keep the rest.
    Cancel { id: Id<Booking>, refund: Amount },
    /// It is placed with this payment.
    Place { id: Id<Booking>, payment: PaymentId },
    /// Its money arrived after it had been confirmed on the client's claim; of a booking that was
    /// cancelled since, what its cancellation promised goes back.
    Keep { id: Id<Booking>, payment: Option<PaymentId> },
    /// A session of a package has ended. `with_all`: all of it was cancelled at once, and the
    /// booking's own cancellation decides about all of the money.
    EndSession { id: Id<Booking>, number: i32, end: SessionEnd, with_all: bool },
    /// Its money is earned.
    Complete { id: Id<Booking> },
}

impl Step {
    /// Booking's intent after this step, given the intent `before`.
    #[must_use]
    pub fn intent_after(&self, before: BookingIntent) -> BookingIntent {
        match self {
            Self::RecordBooking { .. } | Self::RecordAdopter { .. } => before,
            Self::RecordStatus { status, .. } => BookingIntent { status: *status, ..before },
            Self::Place { payment, .. } => BookingIntent {
                status: BookingStatus::Confirmed,
                placed: Some(payment.clone()),
                ..before
            },
            // Money that arrives after a cancellation is refunded because of the cancellation.
            Self::Refund { payment, .. } => {
                let is_cancelled = before.status == BookingStatus::Cancelled;
                let status = if is_cancelled { before.status } else { BookingStatus::Unplaced };
                BookingIntent { status, unplaced: Some(payment.clone()), ..before }
            }
            Self::Cancel { refund, .. } => BookingIntent {
                status: BookingStatus::Cancelled,
                refund: Some(refund.clone()),
                ..before
            },
            Self::Keep { payment, .. } => {
                let placed = payment.clone().or_else(|| before.placed.clone());
                BookingIntent { placed, ..before }
            }
            Self::EndSession { number, end, .. } => {
                let BookingIntent { session_ends, .. } = before.clone();
                BookingIntent { session_ends: session_ends.with(*number, *end), ..before }
            }
            Self::Complete { .. } => BookingIntent { status: BookingStatus::Completed, ..before },
        }
    }
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
