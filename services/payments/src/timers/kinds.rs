//! The kinds of this service's timers and when each is due.

use eventstore::{StoreError, Tx};
use kernel::id::{Booking, PaymentLink, Refund as RefundKind};
use kernel::{Id, Timestamp};
use serde_json::{Value, json};

use crate::domain::fact::{OrderId, PaymentId};

/// Requests a refund, or polls it.
pub const REFUND: &str = "refund";
/// Requests another refund; the subject is the one that failed at the provider.
pub const RENEW_REFUND: &str = "renew-refund";
/// Cancels a payment link that was withdrawn; the subject is the link.
pub const CLOSE_LINK: &str = "close-link";
/// Folds a webhook.
pub const FOLD_WEBHOOK: &str = "fold-webhook";
/// Checks that a captured payment's webhook has arrived; the subject is the payment.
pub const EXPECT_WEBHOOK: &str = "expect-webhook";
/// Issues a receipt that was not possible when the booking was placed: its money was not known, was
/// being refunded, or the receipt was refused. The subject is the booking.
pub const ISSUE_RECEIPT: &str = "issue-receipt";

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;

/// Seconds between two polls of a refund.
const REFUND_PAUSES: [i64; 6] = [2, 5, 15, MINUTE, 15 * MINUTE, HOUR];
/// The pause after those; banks take days.
const REFUND_PAUSE_LAST: i64 = 6 * HOUR;
/// Seconds between two attempts to cancel a payment link.
const LINK_PAUSES: [i64; 5] = [2, 5, 15, MINUTE, 5 * MINUTE];
/// The pause after those.
const LINK_PAUSE_LAST: i64 = 15 * MINUTE;
/// How often a refused refund is retried hourly; afterwards every six hours.
const HOURLY_RETRIES: usize = 12;
/// How long after a refund failed at the provider another one is requested.
pub const RENEW_AFTER: i64 = HOUR;
/// When the webhook of a captured payment is overdue; the provider sends it within seconds.
const WEBHOOK_DEADLINE: i64 = 10 * MINUTE;
/// The pause before a refused receipt is tried again.
const RECEIPT_RETRY: i64 = HOUR;

/// The name of the lock that is held while an order is recorded.
#[must_use]
pub fn order_lock(order: &OrderId) -> String {
    format!("order {order}")
}

fn step_payload(step: usize) -> Value {
    json!({ "step": step })
}

pub(crate) fn read_step(payload: &Value) -> usize {
    let step = payload.get("step").and_then(Value::as_u64).unwrap_or(0);
    usize::try_from(step).unwrap_or(usize::MAX)
}

/// Schedules the request of a refund for the commit of this transaction.
pub async fn schedule_refund(
    tx: &mut Tx,
    refund_id: Id<RefundKind>,
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.set_timer(REFUND, &refund_id.to_string(), now, step_payload(0)).await
}

/// The pause before a refund's next poll; `step` is that of the next poll.
#[must_use]
pub fn refund_pause(step: usize) -> i64 {
    REFUND_PAUSES.get(step.saturating_sub(1)).copied().unwrap_or(REFUND_PAUSE_LAST)
}

/// The pause before a refused refund is retried; `step` is that of the next attempt.
#[must_use]
pub fn retry_pause(step: usize) -> i64 {
    if step <= HOURLY_RETRIES { HOUR } else { REFUND_PAUSE_LAST }
}

/// Schedules the next poll of a refund, with growing pauses.
pub async fn schedule_refund_poll(
    tx: &mut Tx,
    refund_id: Id<RefundKind>,
    step: usize,
    now: Timestamp,
) -> Result<(), StoreError> {
    let due = now.plus_seconds(refund_pause(step));
    tx.set_timer(REFUND, &refund_id.to_string(), due, step_payload(step)).await
}

/// Postpones a refund of a disputed payment by a day.
pub async fn postpone_refund(
    tx: &mut Tx,
    refund_id: Id<RefundKind>,
    step: usize,
    now: Timestamp,
) -> Result<(), StoreError> {
    let due = now.plus_seconds(24 * HOUR);
    tx.set_timer(REFUND, &refund_id.to_string(), due, step_payload(step)).await
}

/// Schedules the retry of a refused refund.
pub async fn schedule_refund_retry(
    tx: &mut Tx,
    refund_id: Id<RefundKind>,
    step: usize,
    now: Timestamp,
) -> Result<(), StoreError> {
    let due = now.plus_seconds(retry_pause(step));
    tx.set_timer(REFUND, &refund_id.to_string(), due, step_payload(step)).await
}

/// Schedules another refund an hour after one failed at the provider.
pub async fn schedule_renewal(
    tx: &mut Tx,
    failed: Id<RefundKind>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let due = now.plus_seconds(RENEW_AFTER);
    tx.set_timer(RENEW_REFUND, &failed.to_string(), due, json!({})).await
}

/// Ends the timer of another refund.
pub async fn end_renewal(tx: &mut Tx, failed: Id<RefundKind>) -> Result<(), StoreError> {
    tx.end_timer(RENEW_REFUND, &failed.to_string()).await
}

/// Schedules the cancellation of a payment link for the commit of this transaction.
pub async fn schedule_close_link(
    tx: &mut Tx,
    link_id: Id<PaymentLink>,
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.set_timer(CLOSE_LINK, &link_id.to_string(), now, step_payload(0)).await
}

/// Postpones the cancellation of a payment link, with growing pauses.
pub async fn postpone_close_link(
    tx: &mut Tx,
    link_id: Id<PaymentLink>,
    step: usize,
    now: Timestamp,
) -> Result<(), StoreError> {
    let pause = LINK_PAUSES.get(step.saturating_sub(1)).copied().unwrap_or(LINK_PAUSE_LAST);
    tx.set_timer(CLOSE_LINK, &link_id.to_string(), now.plus_seconds(pause), step_payload(step))
        .await
}

/// Ends the timer of a payment link.
pub async fn end_close_link(tx: &mut Tx, link_id: Id<PaymentLink>) -> Result<(), StoreError> {
    tx.end_timer(CLOSE_LINK, &link_id.to_string()).await
}

/// Ends a refund's timer.
pub async fn end_refund(tx: &mut Tx, refund_id: Id<RefundKind>) -> Result<(), StoreError> {
    tx.end_timer(REFUND, &refund_id.to_string()).await
}

/// Checks in ten minutes whether a webhook has reported a payment.
pub async fn expect_webhook(
    tx: &mut Tx,
    payment: &PaymentId,
    now: Timestamp,
) -> Result<(), StoreError> {
    let due = now.plus_seconds(WEBHOOK_DEADLINE);
    tx.set_timer(EXPECT_WEBHOOK, payment.as_str(), due, json!({})).await
}

/// Ends the wait for a payment's webhook.
pub async fn end_expectation(tx: &mut Tx, payment: &PaymentId) -> Result<(), StoreError> {
    tx.end_timer(EXPECT_WEBHOOK, payment.as_str()).await
}

/// Schedules the folding of a webhook for the commit of this transaction.
pub async fn schedule_fold(tx: &mut Tx, event_id: &str, now: Timestamp) -> Result<(), StoreError> {
    tx.set_timer(FOLD_WEBHOOK, event_id, now, json!({})).await
}

/// Ends the folding of a webhook.
pub async fn end_fold(tx: &mut Tx, event_id: &str) -> Result<(), StoreError> {
    tx.end_timer(FOLD_WEBHOOK, event_id).await
}

/// Schedules a booking's receipt for the commit of this transaction.
pub async fn schedule_receipt(
    tx: &mut Tx,
    booking_id: Id<Booking>,
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.set_timer(ISSUE_RECEIPT, &booking_id.to_string(), now, json!({})).await
}

/// Postpones a booking's receipt that the settings or the database refuse now.
pub async fn postpone_receipt(
    tx: &mut Tx,
    booking_id: Id<Booking>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let due = now.plus_seconds(RECEIPT_RETRY);
    let payload = json!({ "refused": true });
    tx.set_timer(ISSUE_RECEIPT, &booking_id.to_string(), due, payload).await
}

/// Ends the timer of a booking's receipt.
pub async fn end_receipt(tx: &mut Tx, booking_id: Id<Booking>) -> Result<(), StoreError> {
    tx.end_timer(ISSUE_RECEIPT, &booking_id.to_string()).await
}
