//! What a run went through: which faults happened, and which ends were reached. A simulator that no
//! longer injects a fault would pass without testing it.

use std::collections::BTreeMap;

/// A fault that the simulator injects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    /// A service dies before it commits.
    CrashBeforeCommit,
    /// A service dies right after the commit, before it could answer.
    CrashAfterCommit,
    /// A service dies between an effect in the outside world and the commit that records it.
    CrashAfterEffect,
    /// The database goes away before the commit.
    CommitRefused,
    /// The commit took place and its answer was lost.
    UnknownCommit,
    /// A process stalls for longer than its lease, and continues.
    Zombie,
    /// The relay dies between numbering and publishing.
    RelayDied,
    /// A consumer reaches neither NATS nor its source, for up to three days.
    ConsumerCutOff,
    /// A message comes twice.
    MessageRepeated,
    /// A message comes up to three days late.
    MessageLate,
    /// A message never comes.
    MessageLost,
    /// A caller's request never arrives.
    RequestLost,
    /// The answer to a caller is lost.
    AnswerLost,
    /// A caller asks twice at once.
    RequestRepeated,
    /// The provider answers 500.
    ProviderDown,
    /// The provider carries out a request, and its answer is lost.
    ProviderSilentDone,
    /// The request to the provider is lost.
    ProviderSilent,
    /// A bank authorises hours or days later.
    LateAuthorisation,
    /// A payment fails and is captured all the same.
    FailedThenCaptured,
    /// An order is paid twice.
    DoublePayment,
    /// A payment of another amount.
    WrongAmount,
    /// A payment in another currency.
    WrongCurrency,
    /// A payment for an order that is none of ours, or for none.
    ForeignPayment,
    /// A webhook is never delivered.
    WebhookLost,
    /// The provider delivers hardly any webhook in a whole run.
    WebhooksOff,
    /// A webhook comes hours or days late.
    WebhookLate,
    /// A webhook comes twice.
    WebhookRepeated,
    /// A webhook comes again under another id.
    WebhookRenamed,
    /// The provider refuses a refund for now.
    RefundRefused,
    /// The provider refuses a refund for good.
    RefundRefusedForGood,
    /// A refund fails at the provider.
    RefundFailed,
    /// A refund takes days.
    RefundSlow,
    /// A refund is made on the provider's own pages.
    RefundElsewhere,
    /// The provider forgets the key of a refund within a minute.
    RefundKeyForgotten,
    /// The provider leaves a payment authorised.
    LeftAuthorised,
    /// Such a payment is captured by us.
    CapturedByUs,
    /// A payment is disputed.
    DisputeOpened,
    /// A dispute opens within seconds of a refund.
    DisputeAfterRefund,
    /// A dispute is about a part of what is left.
    DisputeOfPart,
    /// A dispute is lost.
    DisputeLost,
    /// A dispute begins anew.
    DisputeReopened,
    /// The mail server says "later".
    MailLater,
    /// The mail server says "never".
    MailNever,
    /// The mail server takes a mail and the sender dies before it can write that down.
    MailTakenThenCrash,
    /// The mail server takes a mail and its answer is lost.
    MailAnswerLost,
    /// The meeting provider does not answer.
    MeetingDown,
    /// The hold ends within seconds of the payment.
    HoldEndRace,
    /// The payment comes after the hold has ended.
    PaidAfterHold,
    /// The provider does not cancel a payment link.
    LinkNotCancelled,
    /// A list does not show a payment link yet.
    LinkUnlisted,
    /// A customer opens a payment link that is over.
    LinkClosed,
    /// Money comes for a payment link that is over.
    PaidAfterLink,
    /// The order in which two practitioners are asked was found out before the others' holds were
    /// written.
    StaleLook,
}

impl Fault {
    /// All of them.
    pub const ALL: [Self; 53] = [
        Self::CrashBeforeCommit,
        Self::CrashAfterCommit,
        Self::CrashAfterEffect,
        Self::CommitRefused,
        Self::UnknownCommit,
        Self::Zombie,
        Self::RelayDied,
        Self::ConsumerCutOff,
        Self::MessageRepeated,
        Self::MessageLate,
        Self::MessageLost,
        Self::RequestLost,
        Self::AnswerLost,
        Self::RequestRepeated,
        Self::ProviderDown,
        Self::ProviderSilentDone,
        Self::ProviderSilent,
        Self::LateAuthorisation,
        Self::FailedThenCaptured,
        Self::DoublePayment,
        Self::WrongAmount,
        Self::WrongCurrency,
        Self::ForeignPayment,
        Self::WebhookLost,
        Self::WebhooksOff,
        Self::WebhookLate,
        Self::WebhookRepeated,
        Self::WebhookRenamed,
        Self::RefundRefused,
        Self::RefundRefusedForGood,
        Self::RefundFailed,
        Self::RefundSlow,
        Self::RefundElsewhere,
        Self::RefundKeyForgotten,
        Self::LeftAuthorised,
        Self::CapturedByUs,
        Self::DisputeOpened,
        Self::DisputeAfterRefund,
        Self::DisputeOfPart,
        Self::DisputeLost,
        Self::DisputeReopened,
        Self::MailLater,
        Self::MailNever,
        Self::MailTakenThenCrash,
        Self::MailAnswerLost,
        Self::MeetingDown,
        Self::HoldEndRace,
        Self::PaidAfterHold,
        Self::LinkNotCancelled,
        Self::LinkUnlisted,
        Self::LinkClosed,
        Self::PaidAfterLink,
        Self::StaleLook,
    ];
}

/// One fault at one opportunity, which is counted from 1; no other fault happens in the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TargetedFault {
    /// The fault.
    pub fault: Fault,
    /// Which of its opportunities; 0 for none of them.
    pub at: u64,
    /// How many there have been.
    pub seen: u64,
}

impl TargetedFault {
    /// A fault at its opportunity of this number.
    #[must_use]
    pub fn new(fault: Fault, at: u64) -> Self {
        Self { fault, at, seen: 0 }
    }

    pub(crate) fn hits(&mut self, fault: Fault) -> bool {
        if fault != self.fault {
            return false;
        }
        self.seen += 1;
        self.seen == self.at
    }
}

/// How a booking attempt, or a part of it, can end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum End {
    /// Another customer had the time.
    SlotTaken,
    /// The customer held two times already.
    TooManyHolds,
    /// The customer had another session at the time.
    OverlapsOwnSession,
    /// The customer had what costs nothing before.
    FreeSessionUsed,
    /// The hold ended without money.
    Expired,
    /// The customer gave it back.
    Released,
    /// The session took place.
    Completed,
    /// A session of a package took place.
    SessionCompleted,
    /// A session of a package was cancelled.
    SessionCancelled,
    /// It was confirmed after its hold had ended.
    Reinstated,
    /// It was confirmed by the customer's word.
    ClaimAccepted,
    /// Money came later for a booking that rested on a claim.
    PaidLater,
    /// It was paid and could not be placed.
    Unplaced,
    /// Its client cancelled it, with some minutes to take that back.
    CancellationRequested,
    /// The client took that back.
    CancellationUndone,
    /// A session of it was moved.
    Moved,
    /// It was moved to another practitioner.
    HandedOver,
    /// The practice asked for another time of a session.
    MoveProposed,
    /// It took that back.
    ProposalWithdrawn,
    /// It was cancelled, and the money went back.
    CancelledWithRefund,
    /// It was cancelled, and the money was kept.
    CancelledRetained,
    /// Money that did not match went back.
    MismatchedBack,
    /// Money that came twice went back.
    DoubleBack,
    /// A refund failed for good, and a person has to look.
    RefundForAPerson,
    /// The payer's bank has given what a refund was to give.
    GivenByBank,
    /// A refund is too small for the provider, and was ended.
    RefundTooSmall,
    /// Staff released a refund that waited for the end of a dispute.
    RefundReleased,
    /// It was paid at the desk.
    PaidAtDesk,
    /// What was paid at the desk was given back there.
    GivenBackAtDesk,
    /// It was paid at the desk, and with the provider as well.
    PaidAtDeskAndThere,
    /// A mail was refused for good, and a person has to look.
    MailForAPerson,
    /// A time was closed, and opened again.
    Unblocked,
    /// A payment link was paid.
    LinkPaid,
    /// A payment link was cancelled.
    LinkCancelled,
    /// A payment link expired.
    LinkExpired,
}

impl End {
    /// All of them.
    pub const ALL: [Self; 35] = [
        Self::SlotTaken,
        Self::TooManyHolds,
        Self::OverlapsOwnSession,
        Self::FreeSessionUsed,
        Self::Expired,
        Self::Released,
        Self::Completed,
        Self::SessionCompleted,
        Self::SessionCancelled,
        Self::Reinstated,
        Self::ClaimAccepted,
        Self::PaidLater,
        Self::Unplaced,
        Self::CancellationRequested,
        Self::CancellationUndone,
        Self::Moved,
        Self::HandedOver,
        Self::MoveProposed,
        Self::ProposalWithdrawn,
        Self::CancelledWithRefund,
        Self::CancelledRetained,
        Self::MismatchedBack,
        Self::DoubleBack,
        Self::RefundForAPerson,
        Self::GivenByBank,
        Self::RefundTooSmall,
        Self::RefundReleased,
        Self::PaidAtDesk,
        Self::GivenBackAtDesk,
        Self::PaidAtDeskAndThere,
        Self::MailForAPerson,
        Self::Unblocked,
        Self::LinkPaid,
        Self::LinkCancelled,
        Self::LinkExpired,
    ];
}

/// How often each fault happened and each end was reached.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Faults.
    pub faults: BTreeMap<Fault, u64>,
    /// Ends.
    pub ends: BTreeMap<End, u64>,
    /// Booking attempts.
    pub sagas: u64,
    /// How many commands were acknowledged.
    pub acknowledged: u64,
    /// What waits for a person in the end.
    pub human_tasks: u64,
    /// How many seconds each consumer was behind at most.
    pub behind: BTreeMap<&'static str, i64>,
}

impl Coverage {
    pub(crate) fn fault(&mut self, fault: Fault) {
        *self.faults.entry(fault).or_default() += 1;
    }

    pub(crate) fn end(&mut self, end: End) {
        *self.ends.entry(end).or_default() += 1;
    }

    pub(crate) fn is_behind(&mut self, consumer: &'static str, seconds: i64) {
        let most = self.behind.entry(consumer).or_default();
        *most = seconds.max(*most);
    }

    /// Adds what another run went through.
    pub fn add(&mut self, other: &Self) {
        for (fault, count) in &other.faults {
            *self.faults.entry(*fault).or_default() += count;
        }
        for (end, count) in &other.ends {
            *self.ends.entry(*end).or_default() += count;
        }
        for (consumer, seconds) in &other.behind {
            self.is_behind(consumer, *seconds);
        }
        self.sagas += other.sagas;
        self.acknowledged += other.acknowledged;
        self.human_tasks += other.human_tasks;
    }
}
