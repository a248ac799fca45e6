//! What happens at the provider in the course of a run, and its webhooks on their way.

use std::sync::Arc;

use payments::domain::fact::{LinkId, OrderId, PaymentId};
use payments::providers::Observation;

use super::super::coverage::Fault;
use super::super::mutant::Mutant;
use super::super::world::{Task, World};
use super::Provider;
use super::records::{Change, Course, Mismatch, WebhookDelivery};

/// How young a payment is that the list of the next night shows in any case: it goes back four
/// days, and the night may be a day away and wait for an answer.
const SURELY_LISTED_SECONDS: i64 = 2 * 24 * 60 * 60;

impl World {
    /// Acts on the provider, and schedules what follows from it there.
    pub(crate) fn at_provider<T>(&mut self, work: impl FnOnce(&Provider) -> T) -> T {
        let provider = Arc::clone(&self.provider);
        provider.book().now = self.now;
        let done = work(&provider);
        let (faults, changes, notices) = provider.book().take_changes();
        for fault in faults {
            self.coverage.fault(fault);
            self.trace.note(self.now, "fault", &format_args!("{fault:?}"));
        }
        for (seconds, change) in changes {
            self.after(seconds.saturating_mul(1000), Task::Provider(change));
        }
        for notice in notices {
            self.send(notice);
        }
        done
    }

    /// Something happens at the provider by itself.
    pub(crate) fn advance_provider(&mut self, change: &Change) {
        self.trace.note(self.now, "provider", &format_args!("{change:?}"));
        self.at_provider(|provider| provider.book().go_on(change));
    }

    /// A customer pays.
    pub(crate) fn pay(
        &mut self,
        order: &OrderId,
        course: Course,
        oddity: Mismatch,
    ) -> Option<PaymentId> {
        self.at_provider(|provider| provider.book().pay(order, course, oddity))
    }

    /// A customer pays on the page of a link; one that is over takes no money.
    pub(crate) fn pay_link(
        &mut self,
        link: &LinkId,
        course: Course,
        oddity: Mismatch,
    ) -> Option<PaymentId> {
        self.at_provider(|provider| provider.book().pay_link(link, course, oddity))
    }

    /// A payment arrives for an order that isn't ours, or for none.
    pub(crate) fn pay_elsewhere(&mut self) {
        self.at_provider(|provider| provider.book().pay_elsewhere());
    }

    /// Puts a webhook on its way.
    fn send(&mut self, notice: WebhookDelivery) {
        let is_lost = self.fault(Fault::WebhookLost, self.webhook_loss);
        if is_lost && self.is_found_otherwise(&notice) {
            return;
        }
        let pause = if is_lost || self.fault(Fault::WebhookLate, 80) {
            self.rng.seconds_of_any_size(72 * 60 * 60) * 1000
        } else {
            self.rng.between(200, 4_000)
        };
        if self.fault(Fault::WebhookRepeated, 100) {
            let again = self.rng.seconds_of_any_size(72 * 60 * 60) * 1000;
            self.after(again, Task::Webhook { notice: notice.clone(), tries: 0 });
        }
        if self.fault(Fault::WebhookRenamed, 60) {
            let again = self.rng.seconds_of_any_size(72 * 60 * 60) * 1000;
            let event_id = format!("{}-again", notice.event_id);
            let renamed = WebhookDelivery { event_id, ..notice.clone() };
            self.after(again, Task::Webhook { notice: renamed, tries: 0 });
        }
        self.after(pause, Task::Webhook { notice, tries: 0 });
    }

    /// Whether we learn a webhook's content without it. Otherwise it is delivered late instead
    /// of never:
    ///
    /// - Polling ends once a payment counts. Another one of that order is found by the nightly list
    ///   only, so where that is off some webhook has to report it.
    /// - A refund made on the provider's own pages is nothing that we ask for
    ///   either, and the list shows it as long as the payment is in its window.
    fn is_found_otherwise(&self, notice: &WebhookDelivery) -> bool {
        let is_listed = |id: &PaymentId| {
            let created_at = self.provider.book().payments.get(id).map(|paid| paid.created_at);
            self.compares_lists
                && created_at.is_some_and(|at| self.now.seconds_since(at) < SURELY_LISTED_SECONDS)
        };
        notice.observations.iter().all(|observation| match observation {
            Observation::Payment(payment) => {
                let order = payment.fact.order.as_ref();
                !order.is_some_and(|order| self.pays_often(order)) || is_listed(&payment.id)
            }
            // A link is asked for until it is over.
            Observation::Link(_) => true,
            Observation::Dispute(_) => self.compares_lists,
            Observation::Refund(refund) => {
                refund.refund_id.is_some() || refund.payment.as_ref().is_some_and(is_listed)
            }
        })
    }

    /// Whether money may come more than once for the booking of an order, its own or beneath a
    /// link.
    fn pays_often(&self, order: &OrderId) -> bool {
        let book = self.provider.book();
        let mut links = book.links.iter();
        let link = links.find(|(_, link)| link.order.as_ref() == Some(order)).map(|(id, _)| id);
        self.scenario.pays_often(order, link)
    }

    /// Delivers a webhook; one that is not taken is tried again for a day.
    pub(crate) fn deliver_webhook(&mut self, notice: &WebhookDelivery, tries: u32) {
        if self.take_webhook(notice).is_ok() {
            return;
        }
        let pause = 20_000_i64.saturating_mul(1 << tries.min(10));
        if tries < 12 {
            self.after(pause, Task::Webhook { notice: notice.clone(), tries: tries + 1 });
        }
    }

    /// At the end of a run payments knows every dispute of a booking's payment as it stands.
    pub(crate) fn compare_disputes(&mut self) {
        if self.has(Mutant::ForgetLosses) {
            return;
        }
        let disputes = self.provider.book().disputes.clone();
        for (id, dispute) in disputes {
            let Some(booking_id) = self.booking_of(&dispute.payment) else { continue };
            let locked = self.lock_collection(booking_id);
            let known = locked.collection().and_then(|known| known.disputes.get(&id));
            if known.map(|known| &known.fact) != Some(&dispute.fact) {
                self.broken.push(format!("{id} of {booking_id} is known as {known:?}"));
            }
        }
    }
}
