//! The states of a booking, and the commands, events and rejections of its life.

use kernel::{Money, Timestamp};

use super::cancellation::{Cancellation, CancelledBy};
use super::facts::Facts;

/// The provider's id of the payment that belongs to a booking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentId(pub String);

/// The meeting provider's id of a room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeetingId(pub String);

/// What a booking is confirmed on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfirmationBasis {
    /// Verified money.
    Payment(PaymentId),
    /// The customer's word, which the practice took; no money was verified yet.
    Claim,
}

/// Where a booking stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum State {
    /// It does not exist.
    #[default]
    Absent,
    /// Its time is held; checkout was not opened.
    Held { facts: Facts, until: Timestamp },
    /// Checkout was opened or a payment was claimed; the hold was extended, once.
    AwaitingPayment { facts: Facts, until: Timestamp },
    /// Paid, or taken for paid, and placed.
    Confirmed { facts: Facts, basis: ConfirmationBasis },
    /// The same, and the meeting room exists.
    MeetingScheduled { facts: Facts, basis: ConfirmationBasis, meeting: MeetingId },
    /// The session's end has passed.
    Completed { facts: Facts, basis: ConfirmationBasis },
    /// The hold ended without money.
    Expired { facts: Facts },
    /// The customer gave the time back.
    Released { facts: Facts },
    /// It was cancelled after it had been confirmed.
    Cancelled { facts: Facts, basis: ConfirmationBasis, refund: Money },
    /// Money arrived after the time was gone.
    PaidUnplaced { facts: Facts, payment: PaymentId },
}

impl State {
    /// Until when its time is held, while it is.
    #[must_use]
    pub fn held_until(&self) -> Option<Timestamp> {
        match self {
            Self::Held { until, .. } | Self::AwaitingPayment { until, .. } => Some(*until),
            Self::Absent
            | Self::Confirmed { .. }
            | Self::MeetingScheduled { .. }
            | Self::Completed { .. }
            | Self::Expired { .. }
            | Self::Released { .. }
            | Self::Cancelled { .. }
            | Self::PaidUnplaced { .. } => None,
        }
    }

    /// What was asked for.
    #[must_use]
    pub fn facts(&self) -> Option<&Facts> {
        match self {
            Self::Absent => None,
            Self::Held { facts, .. }
            | Self::AwaitingPayment { facts, .. }
            | Self::Confirmed { facts, .. }
            | Self::MeetingScheduled { facts, .. }
            | Self::Completed { facts, .. }
            | Self::Expired { facts }
            | Self::Released { facts }
            | Self::Cancelled { facts, .. }
            | Self::PaidUnplaced { facts, .. } => Some(facts),
        }
    }
}

/// What can be asked of a booking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Open it with its time held until an instant.
    Request { facts: Facts, until: Timestamp },
    /// The provider's checkout is being opened; the hold may grow by so many minutes, once.
    OpenCheckout { grow_minutes: i64, now: Timestamp },
    /// A payment was claimed; the same extension, but nothing to refuse. With `accept` the practice
    /// takes every such word: the booking is confirmed if verified money would confirm it.
    ClaimPayment { grow_minutes: i64, accept: Option<PlacementCheck>, now: Timestamp },
    /// Staff take the customer's word for a payment, if the customer has given it.
    AcceptClaim { claimed: bool, free: bool, now: Timestamp },
    /// The customer gives the time back.
    Release,
    /// The hold's end has come.
    Expire { now: Timestamp },
    /// Money was verified.
    VerifyPayment { payment: PaymentId, placement: PlacementCheck, now: Timestamp },
    /// The meeting room exists.
    ScheduleMeeting { meeting: MeetingId },
    /// The practice cancels, for the customer or by itself.
    Cancel { cancellation: Cancellation, now: Timestamp },
    /// The session's end has come.
    Complete { now: Timestamp },
}

/// What is known of a booking's time when money arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacementCheck {
    /// Nobody else has it.
    pub free: bool,
    /// The customer has another live booking in its place.
    pub replaced: bool,
    /// The practice still offers it: nothing was closed or blocked in its settings since.
    pub offered: bool,
}

/// What can have happened to a booking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// It was asked for, and its time is held.
    Requested { facts: Facts, until: Timestamp },
    /// Checkout was opened or a payment claimed; the time is held longer.
    CheckoutOpened { until: Timestamp },
    /// It is placed.
    Confirmed { basis: ConfirmationBasis, reinstated: bool },
    /// Money was verified for what was confirmed on a claim.
    Paid { payment: PaymentId },
    /// Its meeting room exists.
    MeetingScheduled { meeting: MeetingId },
    /// Its hold ended without money.
    Expired,
    /// Its time was given back.
    Released,
    /// It was cancelled, and so much of its money goes back; where no money was verified, of what
    /// still arrives.
    Cancelled { by: CancelledBy, refund: Money, unpaid: bool },
    /// It is paid and could not be placed.
    Unplaced { payment: PaymentId },
    /// Its session's end has passed.
    Completed,
}

/// Why a booking refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// There is no booking.
    #[error("there is no such booking")]
    Absent,
    /// Its id was used before.
    #[error("the booking exists already")]
    Exists,
    /// Its hold has ended.
    #[error("the hold has ended")]
    HoldEnded,
    /// Checkout was opened, so the time is not given back by hand any more.
    #[error("checkout was opened")]
    CheckoutOpened,
    /// It is not confirmed, or its session has ended.
    #[error("the booking can not be cancelled")]
    NotCancellable,
    /// There is no word of the customer that could be taken.
    #[error("no payment was claimed")]
    NotClaimed,
    /// Its time belongs to somebody else by now.
    #[error("the time is taken")]
    SlotTaken,
    /// Its session has ended.
    #[error("the session has ended")]
    SessionEnded,
}
