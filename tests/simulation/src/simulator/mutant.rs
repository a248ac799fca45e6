//! Mutants: defects the code could have. Tests enable one to see that the checker reports it; a
//! check that cannot fail proves nothing.

use checker::Invariant;

/// A deliberate defect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mutant {
    /// A request is acknowledged before it is committed.
    AckBeforeCommit,
    /// A hold is decided on the day as it was before, and no constraint stands behind it.
    StaleDay,
    /// Of a package the times that are free are held, although another one is taken.
    HoldPartOfPackage,
    /// It is not looked whether a customer has a session at that time already.
    ForgetOwnSessions,
    /// The time that a session is moved from stays taken.
    KeepOldTime,
    /// A proposal of another time ends without a choice, and nothing goes back.
    ForgetLapse,
    /// Money that cannot be placed is left where it is.
    ForgetUnplacedMoney,
    /// The ledger misses the entry of a refund.
    ForgetLedger,
    /// Each try of a refund has an id of its own.
    NewRefundIdOnEachTry,
    /// A payment counts as full payment, regardless of its amount.
    TrustAnyAmount,
    /// What the customer says counts as money.
    ConfirmOnClaim,
    /// Each try of a mail has a Message-ID of its own.
    NewMessageIdOnEachTry,
    /// What is to be paid is confirmed for nothing now and then.
    ConfirmForNothing,
    /// Mails are not queued now and then.
    ForgetMail,
    /// Timers are lost now and then.
    LoseTimer,
    /// The checkpoint moves in a transaction of its own, before the event is handled.
    CheckpointFirst,
    /// Events that have been consumed are consumed again. This one breaks nothing, because what
    /// decides knows what it has decided: see the test of it.
    ForgetInbox,
    /// The relay leaves numbers out, as a sequence does that is read in flight.
    NumberInFlight,
    /// Rows are not updated now and then.
    SkipProjection,
    /// An order is not asked for any more after 26 minutes.
    StopPolling,
    /// Money that came a second time is noted, and never asked back.
    KeepDoublePayment,
    /// Webhooks are kept and called folded, and their content is passed over. This one breaks
    /// nothing either, because every order is asked for until its session is over, and the nightly
    /// list shows disputes; without that list they are read.
    IgnoreWebhooks,
    /// Webhooks are passed over, and orders are not asked for again once they are sold.
    ForgetSoldOrders,
    /// Money that was lost to disputes counts as still here (money.md H1).
    ForgetLosses,
    /// A dispute that was lost ends every refund of its payment (H2).
    LossEndsAllRefunds,
    /// A refund is asked for without a look whether the provider has it (M1).
    AskWithoutLooking,
    /// A refund that staff released still waits for the end of the dispute (M3).
    HoldReleased,
    /// A refund is asked for that is below the provider's least (bugs.md B F2).
    AskBelowLeast,
    /// A refund is promised by mail when it is requested (money.md M2).
    PromiseAtRequest,
    /// The payment state follows a single refund and not their sum (bugs.md B F1).
    StateByOneRefund,
    /// Money that was paid at the desk stands in the ledger as if the provider had it.
    DeskAtProvider,
    /// The provider is asked for a refund of what was paid at the desk.
    AskProviderForDesk,
    /// A payment link counts as cancelled without the provider's word.
    BelieveCancelled,
}

impl Mutant {
    /// Those that break something, with the invariant that each breaks.
    pub const ALL: [(Self, Invariant); 28] = [
        (Self::AckBeforeCommit, Invariant::I1),
        (Self::StaleDay, Invariant::I2),
        (Self::HoldPartOfPackage, Invariant::I2),
        (Self::ForgetOwnSessions, Invariant::I2),
        (Self::KeepOldTime, Invariant::I2),
        (Self::ForgetLapse, Invariant::I7),
        (Self::ForgetUnplacedMoney, Invariant::I3),
        (Self::ForgetLedger, Invariant::I3),
        (Self::NewRefundIdOnEachTry, Invariant::I4),
        (Self::TrustAnyAmount, Invariant::I5),
        (Self::ConfirmOnClaim, Invariant::I5),
        (Self::ConfirmForNothing, Invariant::I5),
        (Self::NewMessageIdOnEachTry, Invariant::I6),
        (Self::ForgetMail, Invariant::I6),
        (Self::LoseTimer, Invariant::I7),
        (Self::CheckpointFirst, Invariant::I7),
        (Self::NumberInFlight, Invariant::I8),
        (Self::SkipProjection, Invariant::I9),
        (Self::StopPolling, Invariant::I3),
        (Self::KeepDoublePayment, Invariant::I4),
        (Self::ForgetSoldOrders, Invariant::I3),
        (Self::BelieveCancelled, Invariant::I4),
        (Self::ForgetLosses, Invariant::I4),
        (Self::LossEndsAllRefunds, Invariant::I3),
        (Self::AskWithoutLooking, Invariant::I4),
        (Self::StateByOneRefund, Invariant::I9),
        (Self::PromiseAtRequest, Invariant::I6),
        (Self::DeskAtProvider, Invariant::I3),
    ];
    /// Those that leave nothing behind that is wrong, with what the simulator sees itself.
    pub const SEEN: [(Self, &'static str); 3] = [
        (Self::HoldReleased, "was released and is not asked for"),
        (Self::AskBelowLeast, "it does not come to rest"),
        (Self::AskProviderForDesk, "is given back at the desk, and is asked for"),
    ];
}
