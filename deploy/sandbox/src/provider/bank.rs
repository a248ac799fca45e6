//! What the payer's bank does: attempts on an order, their outcome, and money that turns up late.
//! The checkout, `/api/pay` and the API's capture all come here, so the rules of an order hold
//! for each: one captured payment, and anything that arrives beside it goes back at once.

pub(crate) mod waiting;

use std::time::Duration;

use crate::book::Book;
use crate::book::rows::{
    Change, Delivery, Failure, Method, Order, OrderStatus, Payment, PaymentStatus,
};
use crate::clock;
use crate::ids;
use crate::provider::errors::ApiError;
use crate::provider::{entities, refunds, webhooks};
use crate::world::{Shared, World};

pub(crate) enum Outcome {
    Captured,
    Authorized,
    Failed(Failure),
    /// Fails now, and turns out to have been authorised after a while.
    Late(Failure, Duration),
    /// Waits for what the payer does on the bank's own page.
    Created,
}

pub(crate) struct Attempt {
    pub(crate) order_id: String,
    pub(crate) method: Method,
    pub(crate) last4: Option<String>,
    pub(crate) vpa: Option<String>,
    /// Another amount than the order's, which a wrong bank might send.
    pub(crate) amount: Option<i64>,
    /// Another currency, likewise.
    pub(crate) currency: Option<String>,
    /// Pays although the order is paid, which only a bank's mistake can do.
    pub(crate) again: bool,
    /// How long ago the payer began.
    pub(crate) begun_minutes_ago: i64,
    pub(crate) outcome: Outcome,
}

/// The refusal that a test card or a declined request ends in.
pub(crate) fn declined(method: Method) -> Failure {
    let (description, source, step, reason) = match method {
        Method::Upi => (
            "Payment was declined in the UPI app. Please try again or use another method.",
            "customer",
            "payment_authentication",
            "payment_cancelled",
        ),
        Method::Card | Method::Netbanking | Method::Wallet => (
            "Your card was declined. Please try a different card or another method.",
            "issuer_bank",
            "payment_authorization",
            "payment_failed",
        ),
    };
    Failure {
        code: "BAD_REQUEST_ERROR".to_owned(),
        description: description.to_owned(),
        source: source.to_owned(),
        step: step.to_owned(),
        reason: reason.to_owned(),
    }
}

/// The end of every request to a UPI ID since India's banks have given that flow up.
pub(crate) fn collect_is_gone() -> Failure {
    Failure {
        code: "BAD_REQUEST_ERROR".to_owned(),
        description: "UPI IDs take no requests any more. Use the QR code or a UPI app.".to_owned(),
        source: "business".to_owned(),
        step: "payment_initiation".to_owned(),
        reason: "input_validation_failed".to_owned(),
    }
}

/// Signs what the checkout hands to the page after a payment.
pub(crate) fn signature(world: &World, payment: &Payment) -> String {
    let message = format!("{}|{}", payment.order_id, payment.id);
    ids::sign(&world.account.key_secret, message.as_bytes())
}

/// Makes one attempt on an order and tells the website about it.
pub(crate) fn attempt(world: &Shared, attempt: Attempt) -> Result<Payment, ApiError> {
    let mut book = world.book();
    let mut order = open_order(&book, &attempt)?;
    let mut payment = payment_of(world, &order, &attempt);
    order.payments.push(payment.id.clone());
    if order.status == OrderStatus::Created {
        order.status = OrderStatus::Attempted;
    }
    let mut step = Step::default();
    match attempt.outcome {
        Outcome::Captured => {
            let capture = captures_itself(&order, &payment);
            step.authorise(world, &mut order, &mut payment, capture);
        }
        Outcome::Authorized => step.authorise(world, &mut order, &mut payment, false),
        Outcome::Failed(failure) => step.fail(world, &mut payment, failure),
        Outcome::Late(failure, after) => {
            let after = i64::try_from(after.as_millis()).unwrap_or(i64::MAX);
            payment.late_at_ms = Some(clock::now_ms().saturating_add(after));
            step.fail(world, &mut payment, failure);
        }
        Outcome::Created => waiting::begin(world, &mut payment),
    }
    step.commit(world, &mut book, Some(order), payment.clone())?;
    drop(book);
    if payment.ends_at_ms.is_some() {
        tokio::spawn(waiting::end_when_due(world.clone(), payment.id.clone()));
    }
    if payment.late_at_ms.is_some() {
        tokio::spawn(authorise_when_due(world.clone(), payment.id.clone()));
    }
    Ok(payment)
}

/// Money taken on the provider's own pages: it belongs to no order.
pub(crate) fn without_order(
    world: &Shared,
    method: Method,
    amount: i64,
    currency: String,
) -> Result<Payment, ApiError> {
    let payment = Payment {
        id: ids::new_id("pay"),
        order_id: String::new(),
        amount,
        pays_minor: None,
        added_fee: 0,
        currency,
        status: PaymentStatus::Captured,
        captured: true,
        method,
        last4: None,
        vpa: None,
        amount_refunded: 0,
        failure: None,
        notes: serde_json::Map::new(),
        created_at: clock::now_s(),
        refunds: Vec::new(),
        late_at_ms: None,
        back_at_ms: None,
        ends_at_ms: None,
        settlement: None,
    };
    let mut step = Step::default();
    step.tell(world, "payment.captured", &payment, None);
    step.commit(world, &mut world.book(), None, payment.clone())?;
    Ok(payment)
}

/// Captures an authorised payment, as the API's capture call asks.
pub(crate) fn capture(
    world: &Shared,
    id: &str,
    (amount, currency): (i64, &str),
) -> Result<Payment, ApiError> {
    let mut book = world.book();
    let mut payment = book.payments().get(id).cloned().ok_or_else(ApiError::unknown_id)?;
    let order = book.orders().get(&payment.order_id).cloned();
    let mut order = order.ok_or_else(ApiError::unknown_id)?;
    match payment.status {
        PaymentStatus::Authorized => {}
        PaymentStatus::Captured | PaymentStatus::Refunded => {
            return Err(ApiError::bad("This payment has already been captured"));
        }
        PaymentStatus::Created | PaymentStatus::Failed => {
            let description = "Only payments which have been authorized can be captured";
            return Err(ApiError::bad(description));
        }
    }
    if amount != payment.amount {
        let description = "Capture amount must be equal to the amount authorized";
        return Err(ApiError::bad_field("amount", description));
    }
    if currency != payment.currency {
        let description = "Capture currency must be the currency of the payment";
        return Err(ApiError::bad_field("currency", description));
    }
    let mut step = Step::default();
    step.capture(world, &mut order, &mut payment);
    step.commit(world, &mut book, Some(order), payment.clone())?;
    Ok(payment)
}

/// Waits for the moment in which a failed payment turns out to have been authorised.
pub(crate) async fn authorise_when_due(world: Shared, id: String) {
    let due = world.book().payments().get(&id).and_then(|payment| payment.late_at_ms);
    let Some(due) = due else { return };
    clock::wait_until(due).await;
    let mut book = world.book();
    let Some(mut payment) = book.payments().get(&id).cloned() else {
        return;
    };
    let Some(mut order) = book.orders().get(&payment.order_id).cloned() else {
        return;
    };
    payment.late_at_ms = None;
    let capture = captures_itself(&order, &payment);
    let mut step = Step::default();
    step.authorise(&world, &mut order, &mut payment, capture);
    if step.commit(&world, &mut book, Some(order), payment).is_err() {
        tracing::error!(payment = id, "a late authorisation could not be written");
    }
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

/// Whether money that arrives now is captured without a call.
fn captures_itself(order: &Order, payment: &Payment) -> bool {
    let minutes = clock::now_s().saturating_sub(payment.created_at) / 60;
    !order.manual_capture && order.capture_within_minutes.is_none_or(|within| minutes <= within)
}

fn open_order(book: &Book, attempt: &Attempt) -> Result<Order, ApiError> {
    let order = book.orders().get(&attempt.order_id).ok_or_else(ApiError::unknown_id)?;
    if attempt.again {
        return Ok(order.clone());
    }
    if order.status == OrderStatus::Paid {
        return Err(ApiError::bad("Payment already done for this order."));
    }
    let payments = book.payments_of(order);
    if payments.iter().any(|payment| payment.status == PaymentStatus::Authorized) {
        return Err(ApiError::bad("A payment of this order is already authorized."));
    }
    Ok(order.clone())
}

/// Whether the provider takes a payment for the whole of its order.
pub(crate) fn pays(payment: &Payment, order: &Order) -> bool {
    payment.pays_minor.unwrap_or(payment.amount) == order.amount
        && payment.currency == order.currency
}

fn payment_of(world: &World, order: &Order, attempt: &Attempt) -> Payment {
    // An amount of a test's own is a bank's mistake; without one, the account's switches count.
    let (payable, fee) = world.switches.switches().payable(order.amount);
    let is_lawful = attempt.amount.is_none();
    Payment {
        id: ids::new_id("pay"),
        order_id: order.id.clone(),
        amount: attempt.amount.unwrap_or(payable),
        pays_minor: is_lawful.then_some(order.amount),
        added_fee: if is_lawful { fee } else { 0 },
        currency: attempt.currency.clone().unwrap_or_else(|| order.currency.clone()),
        status: PaymentStatus::Failed,
        captured: false,
        method: attempt.method,
        last4: attempt.last4.clone(),
        vpa: attempt.vpa.clone(),
        amount_refunded: 0,
        failure: None,
        notes: order.notes.clone(),
        created_at: clock::now_s().saturating_sub(attempt.begun_minutes_ago.saturating_mul(60)),
        refunds: Vec::new(),
        late_at_ms: None,
        back_at_ms: None,
        ends_at_ms: None,
        settlement: None,
    }
}

/// One transaction of the bank: what changes beside order and payment, and the webhooks.
#[derive(Default)]
struct Step {
    deliveries: Vec<Delivery>,
    refund: Option<crate::book::rows::Refund>,
}

impl Step {
    fn fail(&mut self, world: &World, payment: &mut Payment, failure: Failure) {
        payment.status = PaymentStatus::Failed;
        payment.failure = Some(failure);
        self.tell(world, "payment.failed", payment, None);
    }

    fn authorise(
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

    fn capture(&mut self, world: &World, order: &mut Order, payment: &mut Payment) {
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

    fn tell(&mut self, world: &World, event: &str, payment: &Payment, order: Option<&Order>) {
        let payment = ("payment", entities::payment(payment));
        let order = order.map(|order| ("order", entities::order(order)));
        let parts = [payment].into_iter().chain(order).collect();
        self.deliveries.extend(webhooks::envelope(world, event, parts));
    }

    fn commit(
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
