//! The domain's rejections as those of the service.

use super::Rejection;
use crate::domain::availability::NotBookable;
use crate::domain::booking;

impl From<booking::Rejection> for Rejection {
    fn from(rejection: booking::Rejection) -> Self {
        match rejection {
            booking::Rejection::Absent => Self::BookingNotFound,
            booking::Rejection::Exists => Self::IdempotencyKeyReused,
            booking::Rejection::HoldEnded => Self::HoldEnded,
            booking::Rejection::CheckoutOpened => Self::CheckoutOpened,
            booking::Rejection::NotCancellable => Self::NotCancellable,
            booking::Rejection::SessionBegun => Self::SessionBegun,
            booking::Rejection::CancellationPending => Self::CancellationPending,
            booking::Rejection::CancellationTookEffect => Self::CancellationTookEffect,
            booking::Rejection::RefundFell { refund } => Self::RefundFell(refund),
            booking::Rejection::SessionUnknown => Self::SessionNotFound,
            booking::Rejection::NotClaimed => Self::NotClaimed,
            booking::Rejection::SlotTaken => Self::TimeOccupied,
            booking::Rejection::SessionEnded => Self::SessionEnded,
            booking::Rejection::NotByPhone => Self::NotByPhone,
            booking::Rejection::NotMovable => Self::NotMovable,
            booking::Rejection::MoveTooLate => Self::MoveTooLate,
            booking::Rejection::MovedTooOften => Self::MovedTooOften,
            booking::Rejection::MoveProposed => Self::MoveProposed,
            booking::Rejection::NoMoveProposal => Self::NoMoveProposal,
            booking::Rejection::KeepsPractitioner => Self::KeepsPractitioner,
            booking::Rejection::OutOfOrder => Self::OutOfOrder,
            booking::Rejection::ChangedSince => Self::ChangedSince,
            booking::Rejection::NotMarkable => Self::NotMarkable,
        }
    }
}

impl From<NotBookable> for Rejection {
    fn from(why: NotBookable) -> Self {
        match why {
            NotBookable::Past => Self::SlotPast,
            NotBookable::NotOffered => Self::SlotNotOffered,
            NotBookable::Taken => Self::SlotTaken,
        }
    }
}
