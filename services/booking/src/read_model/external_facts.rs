//! What booking has learnt from payments and notifications, for its owner's eyes only: no decision
//! rests on it, but that a claim is decided about once. Every statement changes a row once, however
//! often its event comes.

use eventstore::{StoreError, Tx};
use kernel::Id;
use kernel::id::Booking;

use crate::domain::booking::PaymentId;

/// A payment was claimed. That it was is remembered, whatever else is learnt; answers whether it is
/// news.
///
/// # Errors
/// When the database does not answer.
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

/// Less than the price was captured, because the provider took an offer off it: a refund of so much
/// is a refund of all.
///
/// # Errors
/// When the database does not answer.
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
    Ok(())
}

/// An attempt failed. Money that came before or comes later counts more.
///
/// # Errors
/// When the database does not answer.
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

/// A refund of a booking's money, asked for by us or made on the provider's own pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refund {
    /// Our id of it.
    pub refund_id: String,
    /// The provider's payment whose money goes back.
    pub payment_id: String,
    /// How many minor units.
    pub minor: i64,
}

/// Money is on its way back. When the booking stands on another payment, that one counts; and of a
/// booking that takes place, a part that is given back leaves it paid. A refund that follows one
/// which came to nothing takes its place.
///
/// # Errors
/// When the database does not answer.
pub async fn refund_requested(
    tx: &mut Tx,
    id: Id<Booking>,
    refund: &Refund,
) -> Result<(), StoreError> {
    sqlx::query(
        "update bookings set payment_state = 'refunding', refund_id = $2, version = version + 1
         where booking_id = $1 and refund_id is distinct from $2
           and case when payment_id is null
                    then payment_state in ('pending', 'claimed', 'failed', 'refunding')
                    else payment_id = $3
                         and (payment_state = 'refunding'
                              or (payment_state = 'paid'
                                  and (state in ('paid_unplaced', 'cancelled')
                                       or $4 >= coalesce(paid_minor, price_minor)))) end",
    )
    .bind(id)
    .bind(&refund.refund_id)
    .bind(&refund.payment_id)
    .bind(refund.minor)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Money was given back.
///
/// # Errors
/// When the database does not answer.
pub async fn refund_processed(
    tx: &mut Tx,
    id: Id<Booking>,
    refund_id: &str,
) -> Result<(), StoreError> {
    sqlx::query(
        "update bookings set payment_state = 'refunded', version = version + 1
         where booking_id = $1 and refund_id = $2 and payment_state = 'refunding'",
    )
    .bind(id)
    .bind(refund_id)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// The confirmation mail went out.
///
/// # Errors
/// When the database does not answer.
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

/// The confirmation mail did not go out yet.
///
/// # Errors
/// When the database does not answer.
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
