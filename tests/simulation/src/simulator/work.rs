//! Jobs that continue after an external answer. What they read may be stale by then, and
//! the process that began them may be gone.

use kernel::Id;
use kernel::Timestamp;
use kernel::id::{Booking, PaymentLink, Refund};
use payments::app::fold::{PollDirective, ProviderReport};
use payments::app::process_refund::RefundAnswer;
use payments::domain::fact::{OrderId, Source};
use payments::providers::LinkReport;
use payments::timers::sold_orders::RecheckSchedule;

use super::booking_model::BookingTables;
use super::coverage::Fault;
use super::notifications_model::DeliveryAttempt;
use super::payments_model::{LinkCaller, PaymentsTables};
use super::service::Service;
use super::store::TimerKey;
use super::world::World;

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

impl World {
    /// Continues a job, unless its process has died since.
    pub(crate) fn work(&mut self, service: Service, life: u32, job: Job) {
        if !self.is_alive(service, life) {
            self.coverage.fault(Fault::CrashAfterEffect);
            if let Job::Mailed(attempt) = job {
                self.abandon(&attempt);
            }
            return;
        }
        match job {
            Job::Room { id, room, timer } => {
                let outcome = self.record_meeting(id, room);
                self.conclude::<BookingTables>((&timer.0, timer.1), outcome);
            }
            Job::AcquireOrderLease { booking_id, saga, deadline } => {
                self.acquire_order_lease(booking_id, saga, deadline);
            }
            Job::Ordered { booking_id, saga, order, lease } => {
                self.record_order(booking_id, (saga, lease), order);
            }
            Job::AcquireLinkLease(caller) => self.acquire_link_lease(caller),
            Job::Linked { booking_id, saga, made, lease } => {
                self.record_link(booking_id, (saga, lease), made);
            }
            Job::Fold { booking_id, report, way, timer } => {
                let outcome = self.apply_reports(booking_id, &report, way);
                if let Some((key, attempts)) = timer {
                    self.conclude::<PaymentsTables>((&key, attempts), outcome);
                }
            }
            Job::FoldSold { booking_id, report, next, timer } => {
                let outcome = self.apply_sold_order_reports(booking_id, &report, next);
                self.conclude::<PaymentsTables>((&timer.0, timer.1), outcome);
            }
            Job::Refunded { booking_id, refund_id, answer, step, timer } => {
                let outcome = self.record_refund((booking_id, refund_id), &answer, step);
                self.conclude::<PaymentsTables>((&timer.0, timer.1), outcome);
            }
            Job::Mailed(attempt) => self.record_mail(attempt),
        }
    }
}
