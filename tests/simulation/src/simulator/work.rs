//! Jobs that continue after an external answer. What they read may be stale by then, and
//! the process that began them may be gone.

use super::booking_model::BookingTables;
use super::coverage::Fault;
use super::job::Job;
use super::payments_model::PaymentsTables;
use super::service::Service;
use super::world::World;

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
