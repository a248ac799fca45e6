//! The states of a booking, and its commands, events and rejections.

use kernel::id::Customer;
use kernel::{CancellationPolicy, Id, Money, Timestamp};

use super::cancellation::{Cancellation, CancelledBy};
use super::ended_sessions::{Attendance, EndedSessions, PendingCancellation};
use super::facts::Facts;
use super::move_request::{MoveRequest, MovedBy};
use super::proposal::{MoveProposal, ProposedMove};
use crate::domain::span::Span;

/// The provider's id of the payment that belongs to a booking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentId(pub String);

/// The meeting provider's id of a room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeetingId(pub String);

/// The basis on which a booking is confirmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfirmationBasis {
    /// A verified payment.
    Payment(PaymentId),
    /// The customer's claim to have paid, which the practice accepted; no payment is verified yet.
    Claim,
    /// It costs nothing.
    Free,
}

/// The state of a booking.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum State {
    /// It does not exist.
    #[default]
    Absent,
    /// The time is held; checkout was not opened.
    Held { facts: Facts, until: Timestamp },
    /// Checkout was opened or a payment was claimed; the hold was extended, once.
    AwaitingPayment { facts: Facts, until: Timestamp },
    /// Confirmed on a payment or an accepted claim, and placed.
    Confirmed { facts: Facts, basis: ConfirmationBasis, ended: EndedSessions },
    /// Confirmed, and the meeting room exists.
    MeetingScheduled {
        facts: Facts,
        basis: ConfirmationBasis,
        ended: EndedSessions,
        meeting: MeetingId,
    },
    /// The session has ended; of a package all have, and at least one took place.
    Completed { facts: Facts, basis: ConfirmationBasis, ended: EndedSessions },
    /// The hold expired without a payment.
    Expired { facts: Facts },
    /// The customer released the time.
    Released { facts: Facts },
    /// Cancelled after it had been confirmed; of a package all sessions were.
    Cancelled { facts: Facts, basis: ConfirmationBasis, refund: Money },
    /// Paid after the time was taken.
    PaidUnplaced { facts: Facts, payment: PaymentId },
}

impl State {
    /// Until when its time is held, if it is.
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

    /// How much is promised back for what was cancelled; `None` while nothing was.
    #[must_use]
    pub fn promised_refund(&self) -> Option<Money> {
        match self {
            Self::Cancelled { refund, .. } => Some(*refund),
            Self::Confirmed { ended, .. }
            | Self::MeetingScheduled { ended, .. }
            | Self::Completed { ended, .. } => ended.refund(),
            Self::Absent
            | Self::Held { .. }
            | Self::AwaitingPayment { .. }
            | Self::Expired { .. }
            | Self::Released { .. }
            | Self::PaidUnplaced { .. } => None,
        }
    }

    /// Whether a session was cancelled, by its number; of a single session, the booking.
    #[must_use]
    pub fn is_session_cancelled(&self, number: usize) -> bool {
        match self {
            Self::Cancelled { .. } => true,
            Self::Confirmed { ended, .. }
            | Self::MeetingScheduled { ended, .. }
            | Self::Completed { ended, .. } => ended.is_cancelled(number),
            Self::Absent
            | Self::Held { .. }
            | Self::AwaitingPayment { .. }
            | Self::Expired { .. }
            | Self::Released { .. }
            | Self::PaidUnplaced { .. } => false,
        }
    }

    /// The client's cancellation that has not taken effect.
    #[must_use]
    pub fn pending_cancellation(&self) -> Option<PendingCancellation> {
        match self {
            Self::Confirmed { ended, .. } | Self::MeetingScheduled { ended, .. } => ended.pending,
            Self::Absent
            | Self::Held { .. }
            | Self::AwaitingPayment { .. }
            | Self::Completed { .. }
            | Self::Expired { .. }
            | Self::Released { .. }
            | Self::Cancelled { .. }
            | Self::PaidUnplaced { .. } => None,
        }
    }

    /// What the practice asks of its client, while it does.
    #[must_use]
    pub fn move_proposal(&self) -> Option<MoveProposal> {
        match self {
            Self::Confirmed { ended, .. } | Self::MeetingScheduled { ended, .. } => ended.proposal,
            Self::Absent
            | Self::Held { .. }
            | Self::AwaitingPayment { .. }
            | Self::Completed { .. }
            | Self::Expired { .. }
            | Self::Released { .. }
            | Self::Cancelled { .. }
            | Self::PaidUnplaced { .. } => None,
        }
    }

    /// How often a session was moved, by its number; 0 once the booking was cancelled.
    #[must_use]
    pub fn moves(&self, number: usize) -> u16 {
        match self {
            Self::Confirmed { ended, .. }
            | Self::MeetingScheduled { ended, .. }
            | Self::Completed { ended, .. } => ended.moves(number),
            Self::Absent
            | Self::Held { .. }
            | Self::AwaitingPayment { .. }
            | Self::Expired { .. }
            | Self::Released { .. }
            | Self::Cancelled { .. }
            | Self::PaidUnplaced { .. } => 0,
        }
    }

    /// The basis of its confirmation, once it was confirmed.
    #[must_use]
    pub fn basis(&self) -> Option<&ConfirmationBasis> {
        match self {
            Self::Confirmed { basis, .. }
            | Self::MeetingScheduled { basis, .. }
            | Self::Completed { basis, .. }
            | Self::Cancelled { basis, .. } => Some(basis),
            Self::Absent
            | Self::Held { .. }
            | Self::AwaitingPayment { .. }
            | Self::Expired { .. }
            | Self::Released { .. }
            | Self::PaidUnplaced { .. } => None,
        }
    }

    /// Whether it is placed and a session is still to come: the one of this number in a package.
    #[must_use]
    pub fn expects(&self, number: Option<usize>) -> bool {
        match self {
            Self::Confirmed { ended, .. } | Self::MeetingScheduled { ended, .. } => {
                number.is_none_or(|number| ended.get(number).is_none())
            }
            Self::Absent
            | Self::Held { .. }
            | Self::AwaitingPayment { .. }
            | Self::Completed { .. }
            | Self::Expired { .. }
            | Self::Released { .. }
            | Self::Cancelled { .. }
            | Self::PaidUnplaced { .. } => false,
        }
    }

    /// What was booked.
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

    pub(super) fn facts_mut(&mut self) -> Option<&mut Facts> {
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

/// The commands of a booking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Create it with its time held until an instant. One that costs nothing is confirmed at once.
    Request { facts: Facts, until: Timestamp },
    /// The customer opens checkout; the hold may be extended by so many minutes, once.
    OpenCheckout { grow_minutes: i64, now: Timestamp },
    /// A payment was claimed; the same extension, but never rejected. With `accept` (the policy
    /// that accepts every claim) the booking is confirmed if a verified payment would confirm it.
    ClaimPayment { grow_minutes: i64, accept: Option<PlacementCheck>, now: Timestamp },
    /// Staff accept the customer's claim, if there is one.
    AcceptClaim { claimed: bool, free: bool, now: Timestamp },
    /// The customer releases the time.
    Release,
    /// Staff take back an unpaid booking that was made by phone.
    TakeBack,
    /// The hold's end is due.
    Expire { now: Timestamp },
    /// A payment was verified.
    VerifyPayment { payment: PaymentId, placement: PlacementCheck, now: Timestamp },
    /// The meeting room exists.
    ScheduleMeeting { meeting: MeetingId },
    /// Staff cancel, on the customer's request or the practice's own: one session of a package, or
    /// all that have not ended.
    Cancel { cancellation: Cancellation, now: Timestamp },
    /// The client cancels and was shown this sum; it takes effect some minutes later.
    CancelLater { cancellation: Cancellation, shown: Money, now: Timestamp },
    /// The client takes a cancellation back that has not taken effect.
    UndoCancellation,
    /// The effect of the client's cancellation is due. `unwritten`: as in [`Cancellation`].
    TakeEffect { unwritten: CancellationPolicy, now: Timestamp },
    /// A session gets another time or practitioner. `shown`: when it starts by what was shown.
    Move { request: MoveRequest, shown: Timestamp, to: Span, now: Timestamp },
    /// The practice can't hold a session and asks its client for another time.
    ProposeMove { asked: ProposedMove, now: Timestamp },
    /// The session takes place at its time after all.
    WithdrawProposal { now: Timestamp },
    /// The end of the time to choose is due. `unwritten`: as in [`Cancellation`].
    LapseProposal { unwritten: CancellationPolicy, now: Timestamp },
    /// A session's end is due.
    Complete { now: Timestamp },
    /// Staff say whether the client came: to this session, or to the last one that has begun.
    MarkAttendance { session: Option<usize>, attendance: Attendance, now: Timestamp },
    /// An account proved the address of a booking that was made by phone.
    Adopt { customer_id: Id<Customer> },
    /// Staff want its page of payment to be mailed; the number is greater than that of each
    /// earlier request.
    RequestPage { number: i64, now: Timestamp },
    /// Its page is to be mailed with a new key, whatever became of it.
    RenewPage { number: i64 },
    /// A code for the consent on its page is to be mailed; numbered like the requests of its page.
    RequestConsentCode { number: i64, now: Timestamp },
    /// A code for an act on its page is to be mailed; numbered in the same way.
    RequestPageCode { number: i64, now: Timestamp },
}

/// Whether a booking's time can be placed when a payment arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacementCheck {
    /// No other booking or block occupies the time.
    pub free: bool,
    /// The customer has another live booking that replaces it.
    pub replaced: bool,
    /// The timetable still offers it: it was not closed or blocked in the settings since.
    pub offered: bool,
}

/// The events of a booking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// It was requested, and its time is held.
    Requested { facts: Facts, until: Timestamp },
    /// Checkout was opened or a payment claimed; the hold was extended.
    CheckoutOpened { until: Timestamp },
    /// It was confirmed and placed.
    Confirmed { basis: ConfirmationBasis, reinstated: bool },
    /// A payment was verified for a booking confirmed on a claim.
    Paid { payment: PaymentId },
    /// Its meeting room exists.
    MeetingScheduled { meeting: MeetingId },
    /// The hold expired without a payment.
    Expired,
    /// The customer released the time.
    Released,
    /// It was cancelled with this refund; if no payment is verified yet (`unpaid`), the refund
    /// applies to money that still arrives. `by_grace`: the policy's grace gives it; of a package,
    /// each session says that.
    Cancelled { by: CancelledBy, refund: Money, unpaid: bool, by_grace: bool },
    /// Its client cancels; until it takes effect, nothing else changes and it can be taken back.
    CancellationRequested(PendingCancellation),
    /// The cancellation was taken back, or had nothing left to cancel.
    CancellationUndone,
    /// A session has another time; how often it was moved by now. `practitioner`: who gives it from
    /// now on, where that is another one.
    Moved {
        number: usize,
        from: Span,
        to: Span,
        by: MovedBy,
        move_number: u16,
        practitioner: Option<String>,
    },
    /// The practice asks for another time of a session.
    MoveProposed(MoveProposal),
    /// The session takes place at its time after all; which of the proposals that was.
    MoveProposalWithdrawn { session: usize, number: u16 },
    /// It is paid but could not be placed.
    Unplaced { payment: PaymentId },
    /// A session of a package has ended; its share of the price is earned.
    SessionCompleted { number: usize, share: Money },
    /// A session of a package was cancelled with this refund of its share; `unpaid` as in
    /// `Cancelled`. `with_all`: the booking's `Cancelled` follows in the same decision.
    SessionCancelled {
        number: usize,
        by: CancelledBy,
        share: Money,
        refund: Money,
        unpaid: bool,
        with_all: bool,
        by_grace: bool,
    },
    /// Staff said whether the client came to a session. With `no_show` no session is left to which
    /// the client came or may still come.
    AttendanceMarked { number: usize, attendance: Attendance, no_show: bool },
    /// The session has ended, or the last one of a package.
    Completed,
    /// The account owns it from now on; it comes once at most.
    Adopted { customer_id: Id<Customer> },
    /// Its page of payment is to be mailed; `renewed`, also when nothing can be paid any more.
    PageRequested { number: i64, renewed: bool },
    /// A code is to be mailed with which the consent on its page is signed.
    ConsentCodeRequested { number: i64 },
    /// A code is to be mailed with which its client moves or cancels it on its page.
    PageCodeRequested { number: i64 },
}

/// Why a booking rejects a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// The booking does not exist.
    #[error("there is no such booking")]
    Absent,
    /// The id is already in use.
    #[error("the booking exists already")]
    Exists,
    /// The hold has expired.
    #[error("the hold has ended")]
    HoldEnded,
    /// Checkout was opened, so the customer can no longer release the time.
    #[error("checkout was opened")]
    CheckoutOpened,
    /// It is not confirmed, or its session has ended.
    #[error("the booking can not be cancelled")]
    NotCancellable,
    /// The session has begun, so that its client can't cancel it any more.
    #[error("the session has begun")]
    SessionBegun,
    /// A cancellation of the booking has not taken effect yet.
    #[error("a cancellation is under way")]
    CancellationPending,
    /// The cancellation has taken effect, so that it can't be taken back any more.
    #[error("the cancellation has taken effect")]
    CancellationTookEffect,
    /// Less goes back now than the client was shown.
    #[error("less goes back now")]
    RefundFell { refund: Money },
    /// It is not confirmed, or its session has ended or was marked.
    #[error("the session can not be moved")]
    NotMovable,
    /// Its client can't move it so shortly before its start.
    #[error("it is too late to move the session")]
    MoveTooLate,
    /// Its client has moved it as often as the policy allows.
    #[error("the session was moved as often as it can be")]
    MovedTooOften,
    /// The practice asks for another time of another session.
    #[error("another session is to be moved")]
    MoveProposed,
    /// The practice does not ask for another time.
    #[error("no other time is asked for")]
    NoMoveProposal,
    /// Only a booking of one session gets another practitioner.
    #[error("the practitioner of several sessions stays")]
    KeepsPractitioner,
    /// A session of a package would not stay between the ones before and after it.
    #[error("the sessions would be out of order")]
    OutOfOrder,
    /// It does not start when the caller was shown.
    #[error("the session was moved meanwhile")]
    ChangedSince,
    /// It has no session of this number.
    #[error("there is no such session")]
    SessionUnknown,
    /// The customer claimed no payment.
    #[error("no payment was claimed")]
    NotClaimed,
    /// The time is taken.
    #[error("the time is taken")]
    SlotTaken,
    /// Its session has ended.
    #[error("the session has ended")]
    SessionEnded,
    /// It was not made by phone.
    #[error("the booking was not made by phone")]
    NotByPhone,
    /// The session has not begun, is over for long, or does not take place.
    #[error("the session can not be marked")]
    NotMarkable,
}
