//! The courses of bookings.

/// The course of one booking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Plan {
    /// Paid, and the checkout's answer is submitted.
    Answered,
    /// The browser is closed at the moment of payment: the webhook reports it.
    WebhookOnly,
    /// No webhook arrives either: the poll finds the payment.
    PollOnly,
    /// The first attempt is declined, the second succeeds.
    SecondTry,
    /// The bank confirms the payment seconds after it declined it.
    LateOutcome,
    /// The client claims the payment before it is made.
    Claimed,
    /// Held, and no more.
    HeldOnly,
    /// An order is made and never paid.
    Abandoned,
    /// Held, the consent withdrawn, reported to a widget, and released.
    Released,
    /// Paid after the hold ended; the slot is still free.
    LateAndFree,
    /// Paid after the hold ended and another client took the slot.
    LateAndTaken,
    /// Another amount is paid than was asked for.
    WrongAmount,
    /// Paid twice.
    PaidTwice,
    /// Paid, and cancelled by the practice with a full refund.
    Cancelled,
    /// Paid, and cancelled by its client, who takes that back once.
    CancelledByClient,
    /// Paid, and moved by its client and by the practice.
    Moved,
    /// Paid and refunded by the practice, which keeps the session.
    RefundedByStaff,
    /// The practice accepts the claim, and the money comes later.
    ClaimAccepted,
    /// Paid and placed, and disputed later; the payer's bank decides for either side.
    Disputed,
    /// Paid by a link.
    ByLink,
    /// A link is made; the checkout is chosen and paid, and the link is paid, too.
    LinkThenCheckout,
    /// A link is made and never paid.
    LinkAbandoned,
    /// A link is paid after the hold and the link have ended.
    LinkPaidLate,
    /// A consultation that costs nothing: confirmed as soon as it is asked for.
    Free,
    /// A package of three sessions on three dates, paid once.
    Package,
    /// The same, of which the practice cancels one session.
    PackageInPart,
    /// Staff book by phone; the client agrees and pays on the page, and adopts the booking.
    ByPhone,
    /// The same, paid at the practice's desk, cancelled by the practice and given back there.
    AtDesk,
    /// Held and given back while two clients wait: the first declines the time, the second takes
    /// it.
    Waited,
    /// No booking: the practice closes an hour and opens it again.
    Blocked,
}

impl Plan {
    /// All of them.
    pub const ALL: [Self; 30] = [
        Self::Answered,
        Self::WebhookOnly,
        Self::PollOnly,
        Self::SecondTry,
        Self::LateOutcome,
        Self::Claimed,
        Self::HeldOnly,
        Self::Abandoned,
        Self::Released,
        Self::LateAndFree,
        Self::LateAndTaken,
        Self::WrongAmount,
        Self::PaidTwice,
        Self::Cancelled,
        Self::CancelledByClient,
        Self::Moved,
        Self::RefundedByStaff,
        Self::ClaimAccepted,
        Self::Disputed,
        Self::ByLink,
        Self::LinkThenCheckout,
        Self::LinkAbandoned,
        Self::LinkPaidLate,
        Self::Free,
        Self::Package,
        Self::PackageInPart,
        Self::ByPhone,
        Self::AtDesk,
        Self::Waited,
        Self::Blocked,
    ];
}
