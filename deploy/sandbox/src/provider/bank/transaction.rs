//! One transaction of the bank: the new state of a payment, its refund and its webhooks, written
//! together. An uncaptured payment is later refunded in such a transaction.

use crate::clock;
use crate::provider::errors::ApiError;
use crate::provider::{entities, refunds, webhooks};
use crate::state::{AppState, SharedState};
use crate::store::Store;
use crate::store::rows::{
    Change, Delivery, Failure, Link, LinkStatus, Order, OrderStatus, Payment, PaymentStatus, Refund,
};

/// The changes of one transaction besides the order and the payment.
#[derive(Default)]
pub(super) struct Transaction {
    deliveries: Vec<Delivery>,
    refund: Option<Refund>,
    /// The payment link of the order.
    link: Option<Link>,
}

impl Transaction {
    /// A transaction about an order, and about the payment link that it is beneath.
    pub(super) fn on(store: &Store, order: &Order) -> Self {
        let link = order.link_id.as_ref().and_then(|id| store.links().get(id)).cloned();
        Self { link, ..Self::default() }
    }

    pub(super) fn fail(&mut self, app: &AppState, payment: &mut Payment, failure: Failure) {
        payment.status = PaymentStatus::Failed;
        payment.failure = Some(failure);
        self.add_event(app, "payment.failed", payment, None);
    }

    pub(super) fn authorise(
        &mut self,
        app: &AppState,
        order: &mut Order,
        payment: &mut Payment,
        capture: bool,
    ) {
        payment.status = PaymentStatus::Authorized;
        payment.failure = None;
        self.add_event(app, "payment.authorized", payment, None);
        if order.status == OrderStatus::Paid {
            let refund = refunds::automatic_refund(app, payment);
            self.deliveries.extend(refunds::created_event(app, &refund, payment));
            self.refund = Some(refund);
        } else if capture {
            self.capture(app, order, payment);
        } else {
            let days =
                i64::try_from(app.timing.uncaptured_refund_after.as_millis()).unwrap_or(i64::MAX);
            payment.back_at_ms = Some(clock::now_ms().saturating_add(days));
        }
    }

    pub(super) fn capture(&mut self, app: &AppState, order: &mut Order, payment: &mut Payment) {
        payment.status = PaymentStatus::Captured;
        payment.captured = true;
        payment.back_at_ms = None;
        self.add_event(app, "payment.captured", payment, None);
        let paid = order.amount_paid.saturating_add(payment.pays_minor.unwrap_or(0));
        let is_part = order.link_id.is_some() && payment.currency == order.currency;
        if pays_in_full(payment, order) || (is_part && paid >= order.amount) {
            order.status = OrderStatus::Paid;
            order.amount_paid = order.amount;
            self.add_event(app, "order.paid", payment, Some(order));
        } else if is_part && paid > order.amount_paid {
            order.amount_paid = paid;
        } else {
            return;
        }
        self.pay_link(app, order, payment);
    }

    /// Counts a payment on its link. A link that is over stays over, and no event tells of it.
    fn pay_link(&mut self, app: &AppState, order: &Order, payment: &Payment) {
        let Some(link) = &mut self.link else { return };
        link.amount_paid = order.amount_paid;
        link.updated_at = clock::now_s();
        if link.status.is_over() {
            return;
        }
        let is_paid = order.status == OrderStatus::Paid;
        link.status = if is_paid { LinkStatus::Paid } else { LinkStatus::PartiallyPaid };
        let event = format!("payment_link.{}", link.status.word());
        let parts = vec![
            ("payment_link", entities::link(app, link, None)),
            ("order", entities::order_of_link(order)),
            ("payment", entities::payment(payment)),
        ];
        self.deliveries.extend(webhooks::envelope(app, &event, parts));
    }

    pub(super) fn add_event(
        &mut self,
        app: &AppState,
        event: &str,
        payment: &Payment,
        order: Option<&Order>,
    ) {
        let payment = ("payment", entities::payment(payment));
        let order = order.map(|order| ("order", entities::order(order)));
        let parts = [payment].into_iter().chain(order).collect();
        self.deliveries.extend(webhooks::envelope(app, event, parts));
    }

    pub(super) fn commit(
        self,
        app: &SharedState,
        store: &mut Store,
        order: Option<Order>,
        payment: Payment,
    ) -> Result<(), ApiError> {
        let delivery_ids: Vec<String> = self.deliveries.iter().map(|it| it.id.clone()).collect();
        let due = self.refund.as_ref().map(|refund| refund.id.clone());
        let uncaptured = payment.back_at_ms.is_some().then(|| payment.id.clone());
        let mut changes = vec![Change::Payment(Box::new(payment))];
        changes.extend(order.map(|order| Change::Order(Box::new(order))));
        changes.extend(self.link.map(|link| Change::Link(Box::new(link))));
        changes.extend(self.refund.map(|refund| Change::Refund(Box::new(refund))));
        changes.extend(self.deliveries.into_iter().map(|it| Change::Delivery(Box::new(it))));
        store.commit(changes)?;
        webhooks::start(app, delivery_ids);
        if let Some(id) = due {
            tokio::spawn(refunds::process_when_due(app.clone(), id));
        }
        if let Some(id) = uncaptured {
            tokio::spawn(refund_uncaptured_when_due(app.clone(), id));
        }
        Ok(())
    }
}

/// Whether a payment that is authorised now is captured without a capture call.
pub(super) fn is_captured_automatically(order: &Order, payment: &Payment) -> bool {
    let minutes = clock::now_s().saturating_sub(payment.created_at) / 60;
    !order.manual_capture && order.capture_within_minutes.is_none_or(|within| minutes <= within)
}

/// Whether a payment pays its order in full.
pub(crate) fn pays_in_full(payment: &Payment, order: &Order) -> bool {
    payment.pays_minor.unwrap_or(payment.amount) == order.amount
        && payment.currency == order.currency
}

/// Waits until an authorised payment that is still uncaptured has to be refunded, and refunds it.
pub(crate) async fn refund_uncaptured_when_due(app: SharedState, id: String) {
    let due = app.store().payments().get(&id).and_then(|payment| payment.back_at_ms);
    let Some(due) = due else { return };
    clock::wait_until(due).await;
    // A payment that was captured in the meantime is not refunded.
    drop(refund_uncaptured(&app, &id));
}

/// Refunds an authorised payment that is not captured.
pub(crate) fn refund_uncaptured(app: &SharedState, id: &str) -> Result<Payment, ApiError> {
    let mut store = app.store();
    let mut payment = store.payments().get(id).cloned().ok_or_else(ApiError::unknown_id)?;
    if payment.status != PaymentStatus::Authorized {
        return Err(ApiError::bad("Only an authorized payment can go back uncaptured."));
    }
    payment.back_at_ms = None;
    let refund = refunds::automatic_refund(app, &mut payment);
    let mut transaction = Transaction::default();
    transaction.deliveries.extend(refunds::created_event(app, &refund, &payment));
    transaction.refund = Some(refund);
    transaction.commit(app, &mut store, None, payment.clone())?;
    Ok(payment)
}
