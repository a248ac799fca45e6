//! Payments that wait for the payer's approval on the bank's own page. Their status is `created`
//! until the payer decides or the bank's timeout is over. The provider sends no webhook until then.

use crate::clock;
use crate::provider::bank::failures::{declined, timed_out};
use crate::provider::bank::transaction::{Transaction, is_captured_automatically};
use crate::provider::errors::ApiError;
use crate::state::{AppState, SharedState};
use crate::store::rows::{Failure, Payment, PaymentStatus};

pub(super) fn start(app: &AppState, payment: &mut Payment) {
    let timeout = i64::try_from(app.timing.approval_timeout.as_millis()).unwrap_or(i64::MAX);
    payment.status = PaymentStatus::Created;
    payment.ends_at_ms = Some(clock::now_ms().saturating_add(timeout));
}

/// Applies the payer's decision on the bank's page.
pub(crate) fn decide(app: &SharedState, id: &str, approves: bool) -> Result<Payment, ApiError> {
    end(app, id, |payment| (!approves).then(|| declined(payment.method)))
}

/// Waits until the approval expires, and lets the payment fail.
pub(crate) async fn expire_when_due(app: SharedState, id: String) {
    let due = app.store().payments().get(&id).and_then(|payment| payment.ends_at_ms);
    let Some(due) = due else { return };
    clock::wait_until(due).await;
    // A payment that was decided in the meantime is not changed.
    drop(end(&app, &id, |_| Some(timed_out())));
}

fn end(
    app: &SharedState,
    id: &str,
    failure: impl FnOnce(&Payment) -> Option<Failure>,
) -> Result<Payment, ApiError> {
    let mut store = app.store();
    let mut payment = store.payments().get(id).cloned().ok_or_else(ApiError::unknown_id)?;
    let order = store.orders().get(&payment.order_id).cloned();
    let mut order = order.ok_or_else(ApiError::unknown_id)?;
    if payment.status != PaymentStatus::Created {
        return Err(ApiError::bad("This payment has been decided already."));
    }
    payment.ends_at_ms = None;
    let mut transaction = Transaction::on(&store, &order);
    match failure(&payment) {
        Some(failure) => transaction.fail(app, &mut payment, failure),
        None => {
            let capture = is_captured_automatically(&order, &payment);
            transaction.authorise(app, &mut order, &mut payment, capture);
        }
    }
    transaction.commit(app, &mut store, Some(order), payment.clone())?;
    Ok(payment)
}
