//! Facts from payments and notifications, shown to the booking's owner: no decision depends on
//! them, except that a claim is decided once. Every statement is idempotent, because events may be
//! delivered repeatedly.

use eventstore::{StoreError, Tx};
use kernel::Id;
use kernel::id::Booking;

use crate::domain::booking::PaymentId;
use crate::read_model::refunds;

/// Records that a payment was claimed, whatever else is recorded later; returns whether it is the
/// first claim.
pub async fn claimed(tx: &mut Tx, id: Id<Booking>) -> Result<bool, StoreError> {
    let is_new: Option<bool> = sqlx::query_scalar(
        "update bookings
         set claimed = true, version = version + 1,
             payment_state = case when payment_state in ('pending', 'failed') then 'claimed'
                                  else payment_state end
         from (select claimed as before from bookings where booking_id = $1 for update) known
         where booking_id = $1 and (not claimed or payment_state in ('pending', 'failed'))
         returning not before",
    )
    .bind(id)
    .fetch_optional(tx.connection())
    .await?;
    Ok(is_new.unwrap_or(false))
}

/// Records that less than the price was captured, because of a provider's offer: a refund of this
/// amount counts as a full refund.
pub async fn paid_less(
    tx: &mut Tx,
    id: Id<Booking>,
    payment: &PaymentId,
    minor: i64,
) -> Result<(), StoreError> {
    sqlx::query(
        "update bookings set paid_minor = $3, version = version + 1
         where booking_id = $1 and payment_id = $2 and paid_minor is distinct from $3",
    )
    .bind(id)
    .bind(&payment.0)
    .bind(minor)
    .execute(tx.connection())
    .await?;
    refunds::settle(tx, id).await
}

/// Records a failed attempt; a payment before or after it takes precedence.
pub async fn attempt_failed(tx: &mut Tx, id: Id<Booking>) -> Result<(), StoreError> {
    sqlx::query(
        "update bookings set payment_state = 'failed', version = version + 1
         where booking_id = $1 and payment_state in ('pending', 'claimed')",
    )
    .bind(id)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Records that the confirmation mail was sent.
pub async fn mail_sent(tx: &mut Tx, id: Id<Booking>) -> Result<(), StoreError> {
    sqlx::query(
        "update bookings set mail_state = 'sent', version = version + 1
         where booking_id = $1 and mail_state <> 'sent'",
    )
    .bind(id)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Records that the confirmation mail could not be sent yet.
pub async fn mail_failed(tx: &mut Tx, id: Id<Booking>) -> Result<(), StoreError> {
    sqlx::query(
        "update bookings set mail_state = 'failed', version = version + 1
         where booking_id = $1 and mail_state = 'none'",
    )
    .bind(id)
    .execute(tx.connection())
    .await?;
    Ok(())
}
