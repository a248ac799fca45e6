//! The payer's bank: payment attempts on an order, their outcome, and late authorisations. The
//! checkout, `/api/pay` and the capture call all use it, so each follows the rules of an order: one
//! captured payment, and every further one is refunded at once.

pub(crate) mod failures;
pub(crate) mod transaction;
pub(crate) mod approval;

use std::time::Duration;

use crate::clock;
use crate::ids;
use crate::provider::errors::ApiError;
use crate::state::{AppState, SharedState};
use crate::store::Store;
use crate::store::rows::{Failure, Method, Order, OrderStatus, Payment, PaymentStatus};

use transaction::{Transaction, is_captured_automatically};

pub(crate) enum Outcome {
    Captured,
    Authorized,
    Failed(Failure),
    /// Fails now and is authorised later.
    Late(Failure, Duration),
    /// Waits for the payer's approval on the bank's own page.
    Created,
}

pub(crate) struct Attempt {
    pub(crate) order_id: String,
    pub(crate) method: Method,
    pub(crate) last4: Option<String>,
    pub(crate) vpa: Option<String>,
    /// An amount other than the order's, which a bank might send by mistake.
    pub(crate) amount: Option<i64>,
    /// A currency other than the order's, likewise.
    pub(crate) currency: Option<String>,
    /// Pays an order that is paid already, which a bank might do by mistake.
    pub(crate) again: bool,
    /// Pays by a payment link that is over, as money that comes late does.
    pub(crate) over: bool,
    /// Whether the amount is a part of what the link asks for.
    pub(crate) part: bool,
    /// How many minutes ago the payment was created.
    pub(crate) begun_minutes_ago: i64,
    pub(crate) outcome: Outcome,
}

/// The signature that the checkout passes to the page after a payment.
pub(crate) fn signature(app: &AppState, payment: &Payment) -> String {
    let message = format!("{}|{}", payment.order_id, payment.id);
    ids::sign(&app.account.key_secret, message.as_bytes())
}

/// Makes one attempt on an order and sends its webhooks.
pub(crate) fn attempt(app: &SharedState, attempt: Attempt) -> Result<Payment, ApiError> {
    let mut store = app.store();
    let mut order = open_order(&store, &attempt)?;
    let mut payment = payment_of(app, &order, &attempt);
    order.payments.push(payment.id.clone());
    if order.status == OrderStatus::Created {
        order.status = OrderStatus::Attempted;
    }
    let mut transaction = Transaction::on(&store, &order);
    match attempt.outcome {
        Outcome::Captured => {
            let capture = is_captured_automatically(&order, &payment);
            transaction.authorise(app, &mut order, &mut payment, capture);
        }
        Outcome::Authorized => transaction.authorise(app, &mut order, &mut payment, false),
        Outcome::Failed(failure) => transaction.fail(app, &mut payment, failure),
        Outcome::Late(failure, after) => {
            let after = i64::try_from(after.as_millis()).unwrap_or(i64::MAX);
            payment.late_at_ms = Some(clock::now_ms().saturating_add(after));
            transaction.fail(app, &mut payment, failure);
        }
        Outcome::Created => approval::start(app, &mut payment),
    }
    transaction.commit(app, &mut store, Some(order), payment.clone())?;
    drop(store);
    if payment.ends_at_ms.is_some() {
        tokio::spawn(approval::expire_when_due(app.clone(), payment.id.clone()));
    }
    if payment.late_at_ms.is_some() {
        tokio::spawn(authorise_when_due(app.clone(), payment.id.clone()));
    }
    Ok(payment)
}

/// Creates a captured payment that was made on the provider's own pages and has no order.
pub(crate) fn without_order(
    app: &SharedState,
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
    let mut transaction = Transaction::default();
    transaction.add_event(app, "payment.captured", &payment, None);
    transaction.commit(app, &mut app.store(), None, payment.clone())?;
    Ok(payment)
}

/// Captures an authorised payment for the API's capture call.
pub(crate) fn capture(
    app: &SharedState,
    id: &str,
    (amount, currency): (i64, &str),
) -> Result<Payment, ApiError> {
    let mut store = app.store();
    let mut payment = store.payments().get(id).cloned().ok_or_else(ApiError::unknown_id)?;
    let order = store.orders().get(&payment.order_id).cloned();
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
    let mut transaction = Transaction::on(&store, &order);
    transaction.capture(app, &mut order, &mut payment);
    transaction.commit(app, &mut store, Some(order), payment.clone())?;
    Ok(payment)
}

/// Waits until a failed payment is due to be authorised, and authorises it unless its payer has
/// agreed before.
pub(crate) async fn authorise_when_due(app: SharedState, id: String) {
    let due = app.store().payments().get(&id).and_then(|payment| payment.late_at_ms);
    let Some(due) = due else { return };
    clock::wait_until(due).await;
    let waits = app.store().payments().get(&id).is_some_and(|it| it.late_at_ms.is_some());
    if waits && authorise_late(&app, &id).is_err() {
        tracing::error!(payment = id, "a late authorisation could not be written");
    }
}

/// The payer of a failed payment that comes late agrees now.
pub(crate) fn authorise_late(app: &SharedState, id: &str) -> Result<Payment, ApiError> {
    let mut store = app.store();
    let mut payment = store.payments().get(id).cloned().ok_or_else(ApiError::unknown_id)?;
    let order = store.orders().get(&payment.order_id).cloned();
    let mut order = order.ok_or_else(ApiError::unknown_id)?;
    if payment.late_at_ms.take().is_none() {
        return Err(ApiError::bad("This payment does not come late, or it has come"));
    }
    let capture = is_captured_automatically(&order, &payment);
    let mut transaction = Transaction::on(&store, &order);
    transaction.authorise(app, &mut order, &mut payment, capture);
    transaction.commit(app, &mut store, Some(order), payment.clone())?;
    Ok(payment)
}

fn open_order(store: &Store, attempt: &Attempt) -> Result<Order, ApiError> {
    let order = store.orders().get(&attempt.order_id).ok_or_else(ApiError::unknown_id)?;
    if let Some(link) = order.link_id.as_ref().and_then(|id| store.links().get(id))
        && link.status.is_over()
        && !attempt.over
        && !attempt.again
    {
        let word = link.status.word();
        return Err(ApiError::bad_link(format!("Payment Link is already {word}.")));
    }
    if attempt.again {
        return Ok(order.clone());
    }
    if order.status == OrderStatus::Paid {
        return Err(ApiError::bad("Payment already done for this order."));
    }
    let payments = store.payments_of(order);
    if payments.iter().any(|payment| payment.status == PaymentStatus::Authorized) {
        return Err(ApiError::bad("A payment of this order is already authorized."));
    }
    Ok(order.clone())
}

fn payment_of(app: &AppState, order: &Order, attempt: &Attempt) -> Payment {
    // An explicit amount is a bank's mistake. Without one the account's switches apply.
    let due = order.amount.saturating_sub(order.amount_paid);
    // A payment link takes what is left; an order that is paid again, the whole.
    let due = if due > 0 { due } else { order.amount };
    let (payable, fee) = app.switches.current().payable(due);
    let is_lawful = attempt.amount.is_none();
    let pays = if attempt.part { attempt.amount } else { Some(due).filter(|_| is_lawful) };
    Payment {
        id: ids::new_id("pay"),
        order_id: order.id.clone(),
        amount: attempt.amount.unwrap_or(payable),
        pays_minor: pays,
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
