//! Jobs that wait for an external answer.

use kernel::id::{Booking, PaymentLink, Refund};
use kernel::{Id, Timestamp};
use notifications::mails::mail::Mail;
use payments::app::fold::{PollDirective, ProviderReport};
use payments::app::process_refund::RefundAnswer;
use payments::domain::fact::{OrderId, Source};
use payments::providers::LinkReport;
use payments::timers::sold_orders::RecheckSchedule;

use super::mail_server::Answer;
use super::store::TimerKey;

/// A caller that waits for a link.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LinkCaller {
    pub(crate) booking_id: Id<Booking>,
    pub(crate) saga: usize,
    pub(crate) deadline: Timestamp,
    pub(crate) held_until: Timestamp,
}

/// A delivery attempt and the mail server's answer.
#[derive(Debug)]
pub(crate) struct DeliveryAttempt {
    /// As it was claimed.
    pub(crate) mail: Mail,
    pub(crate) answer: Answer,
    pub(crate) attempts: i32,
}

/// The next step of a job.
#[derive(Debug)]
pub(crate) enum Job {
    /// The meeting provider has answered.
    Room { id: Id<Booking>, room: Option<String>, timer: (TimerKey, i32) },
    /// The lease for creating an order is tried.
    AcquireOrderLease { booking_id: Id<Booking>, saga: usize, deadline: Timestamp },
    /// The payment provider has answered with an order, or not.
    Ordered { booking_id: Id<Booking>, saga: usize, order: Option<OrderId>, lease: i32 },
    /// The lease for creating a payment link is tried.
    AcquireLinkLease(LinkCaller),
    /// The payment provider has answered with a link, or not.
    Linked {
        booking_id: Id<Booking>,
        saga: usize,
        made: Option<(Id<PaymentLink>, LinkReport)>,
        lease: i32,
    },
    /// The payment provider has reported payments.
    Fold {
        booking_id: Id<Booking>,
        report: ProviderReport,
        way: (Source, PollDirective),
        timer: Option<(TimerKey, i32)>,
    },
    /// The payment provider has reported a sold order.
    FoldSold {
        booking_id: Id<Booking>,
        report: ProviderReport,
        next: (RecheckSchedule, Option<Timestamp>),
        timer: (TimerKey, i32),
    },
    /// The payment provider has reported a refund.
    Refunded {
        booking_id: Id<Booking>,
        refund_id: Id<Refund>,
        answer: RefundAnswer,
        step: (usize, bool),
        timer: (TimerKey, i32),
    },
    /// The mail server has answered.
    Mailed(DeliveryAttempt),
}
