//! JSON that the checkout gives to its frame and to the page about an order and its payments.

use serde_json::{Value, json};

use crate::assets;
use crate::provider::bank;
use crate::state::AppState;
use crate::store::rows::{Order, OrderStatus, Payment, PaymentStatus};

/// What the frame may know of an order and its payments.
pub(super) fn order_facts(app: &AppState, order: &Order, payments: &[&Payment]) -> Value {
    let (payable, _fee) = app.switches.current().payable(order.amount);
    let unsuccessful = [PaymentStatus::Created, PaymentStatus::Failed];
    let is_successful = |it: &&&Payment| !unsuccessful.contains(&it.status);
    let paid = payments.iter().find(is_successful).map(|payment| signed_answer(app, payment));
    let failed = payments.last().filter(|it| it.status == PaymentStatus::Failed);
    json!({
        "order_id": order.id,
        "amount": payable,
        "amount_text": assets::rupees(payable),
        "currency": order.currency,
        "paid": order.status == OrderStatus::Paid || paid.is_some(),
        "answer": paid,
        "attempts": payments.len(),
        "failure": failed.map(|payment| failure_of(payment)),
    })
}

/// The signed answer that a page receives after a payment.
pub(super) fn signed_answer(app: &AppState, payment: &Payment) -> Value {
    json!({
        "razorpay_payment_id": payment.id,
        "razorpay_order_id": payment.order_id,
        "razorpay_signature": bank::signature(app, payment),
    })
}

/// The error that a page receives with `payment.failed`.
fn failure_of(payment: &Payment) -> Value {
    let Some(failure) = &payment.failure else {
        return Value::Null;
    };
    json!({
        "code": failure.code,
        "description": failure.description,
        "source": failure.source,
        "step": failure.step,
        "reason": failure.reason,
        "metadata": { "payment_id": payment.id, "order_id": payment.order_id },
    })
}
