//! One transaction of the bank: the new state of a payment, its refund and its webhooks, written
//! together. Such a transaction also refunds an authorised payment that stays uncaptured.

use crate::book::Book;
use crate::book::rows::{
    Change, Delivery, Failure, Order, OrderStatus, Payment, PaymentStatus, Refund,
};
use crate::clock;
use crate::provider::errors::ApiError;
use crate::provider::{entities, refunds, webhooks};
use crate::world::{Shared, World};

/// One transaction of the bank: what changes beside order and payment, and the webhooks.
#[derive(Default)]
pub(super) struct Step {
    deliveries: Vec<Delivery>,
    refund: Option<Refund>,
}

impl Step {
    pub(super) fn fail(&mut self, world: &World, payment: &mut Payment, failure: Failure) {
        payment.status = PaymentStatus::Failed;
        payment.failure = Some(failure);
        self.tell(world, "payment.failed", payment, None);
    }

    pub(super) fn authorise(
        &mut self,
        world: &World,
        order: &mut Order,
        payment: &mut Payment,
        capture: bool,
    ) {
        payment.status = PaymentStatus::Authorized;
        payment.failure = None;
        self.tell(world, "payment.authorized", payment, None);
        if order.status == OrderStatus::Paid {
            let refund = refunds::give_back(world, payment);
            self.deliveries.extend(refunds::created(world, &refund, payment));
            self.refund = Some(refund);
        } else if capture {
            self.capture(world, order, payment);
        } else {
            let days = i64::try_from(world.pace.given_back_after.as_millis()).unwrap_or(i64::MAX);
            payment.back_at_ms = Some(clock::now_ms().saturating_add(days));
        }
    }

    pub(super) fn capture(&mut self, world: &World, order: &mut Order, payment: &mut Payment) {
        payment.status = PaymentStatus::Captured;
        payment.captured = true;
        payment.back_at_ms = None;
        self.tell(world, "payment.captured", payment, None);
        if pays(payment, order) {
            order.status = OrderStatus::Paid;
            order.amount_paid = order.amount;
            self.tell(world, "order.paid", payment, Some(order));
        }
    }

    pub(super) fn tell(
        &mut self,
        world: &World,
        event: &str,
        payment: &Payment,
        order: Option<&Order>,
    ) {
        let payment = ("payment", entities::payment(payment));
        let order = order.map(|order| ("order", entities::order(order)));
        let parts = [payment].into_iter().chain(order).collect();
        self.deliveries.extend(webhooks::envelope(world, event, parts));
    }

    pub(super) fn commit(
        self,
        world: &Shared,
        book: &mut Book,
        order: Option<Order>,
        payment: Payment,
    ) -> Result<(), ApiError> {
        let sent: Vec<String> = self.deliveries.iter().map(|it| it.id.clone()).collect();
        let due = self.refund.as_ref().map(|refund| refund.id.clone());
        let left = payment.back_at_ms.is_some().then(|| payment.id.clone());
        let mut changes = vec![Change::Payment(Box::new(payment))];
        changes.extend(order.map(|order| Change::Order(Box::new(order))));
        changes.extend(self.refund.map(|refund| Change::Refund(Box::new(refund))));
        changes.extend(self.deliveries.into_iter().map(|it| Change::Delivery(Box::new(it))));
        book.commit(changes)?;
        webhooks::start(world, sent);
        if let Some(id) = due {
            tokio::spawn(refunds::process_when_due(world.clone(), id));
        }
        if let Some(id) = left {
            tokio::spawn(give_back_when_due(world.clone(), id));
        }
        Ok(())
    }
}

/// Whether money that arrives now is captured without a call.
pub(super) fn captures_itself(order: &Order, payment: &Payment) -> bool {
    let minutes = clock::now_s().saturating_sub(payment.created_at) / 60;
    !order.manual_capture && order.capture_within_minutes.is_none_or(|within| minutes <= within)
}

/// Whether the provider takes a payment for the whole of its order.
pub(crate) fn pays(payment: &Payment, order: &Order) -> bool {
    payment.pays_minor.unwrap_or(payment.amount) == order.amount
        && payment.currency == order.currency
}

/// Waits for the day on which an uncaptured authorised payment goes back.
pub(crate) async fn give_back_when_due(world: Shared, id: String) {
    let due = world.book().payments().get(&id).and_then(|payment| payment.back_at_ms);
    let Some(due) = due else { return };
    clock::wait_until(due).await;
    // If it was captured in between, it stays.
    drop(give_back(&world, &id));
}

/// Gives an uncaptured authorised payment back.
pub(crate) fn give_back(world: &Shared, id: &str) -> Result<Payment, ApiError> {
    let mut book = world.book();
    let mut payment = book.payments().get(id).cloned().ok_or_else(ApiError::unknown_id)?;
    if payment.status != PaymentStatus::Authorized {
        return Err(ApiError::bad("Only an authorized payment can go back uncaptured."));
    }
    payment.back_at_ms = None;
    let refund = refunds::give_back(world, &mut payment);
    let mut step = Step::default();
    step.deliveries.extend(refunds::created(world, &refund, &payment));
    step.refund = Some(refund);
    step.commit(world, &mut book, None, payment.clone())?;
    Ok(payment)
}
