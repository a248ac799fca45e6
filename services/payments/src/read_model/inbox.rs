//! The webhooks' inbox: written before a webhook is answered; folded at once, or by a timer
//! afterwards.

use eventstore::{StoreError, Tx};
use kernel::{Timestamp, hex};
use sqlx::{PgExecutor, Row as _};

use crate::domain::fact::{OrderId, PaymentId};

/// How long the body of a webhook is kept.
const BODY_DAYS: i32 = 90;

/// A webhook as it arrived.
#[derive(Debug, Clone)]
pub struct Webhook {
    /// The provider's id of it, or the hash of its body.
    pub event_id: String,
    /// The hash of its body.
    pub body_sha256: Vec<u8>,
    /// Its body.
    pub raw: Vec<u8>,
}

/// Whether a webhook is stored as folded, and the payment that it reports, if that is known.
#[derive(Debug, Clone, Copy, Default)]
pub struct Folded<'a> {
    /// Whether it is folded in this transaction.
    pub at_once: bool,
    /// The payment.
    pub payment: Option<&'a PaymentId>,
}

/// Stores a webhook. Returns the id that it is stored under: its own, or its body's hash if its own
/// id belongs to another body. Returns none for a known body.
pub async fn insert(
    tx: &mut Tx,
    webhook: &Webhook,
    folded: Folded<'_>,
) -> Result<Option<String>, StoreError> {
    let event_id = &webhook.event_id;
    if insert_row(tx, event_id, webhook, folded).await? {
        return Ok(Some(event_id.clone()));
    }
    // Ids are unsigned headers.
    let by_body = hex::encode(&webhook.body_sha256);
    let is_new = by_body != *event_id && insert_row(tx, &by_body, webhook, folded).await?;
    if is_new {
        tracing::warn!(event_id, "a webhook has the id of another one; it is kept by its body");
    }
    Ok(is_new.then_some(by_body))
}

async fn insert_row(
    tx: &mut Tx,
    event_id: &str,
    webhook: &Webhook,
    folded: Folded<'_>,
) -> Result<bool, StoreError> {
    let added = sqlx::query(
        "insert into webhook_inbox (event_id, body_sha256, raw, received_at, payment_id, folded_at)
         values ($1, $2, $3, clock_now(), $4, case when $5 then clock_now() end)
         on conflict do nothing",
    )
    .bind(event_id)
    .bind(&webhook.body_sha256)
    .bind(&webhook.raw)
    .bind(folded.payment.map(PaymentId::as_str))
    .bind(folded.at_once)
    .execute(tx.connection())
    .await?
    .rows_affected();
    Ok(added > 0)
}

/// When the last webhook arrived whose body is still stored.
pub async fn last_received(executor: impl PgExecutor<'_>) -> Result<Option<Timestamp>, StoreError> {
    let found = sqlx::query_scalar(
        "select received_at from webhook_inbox where raw is not null
         order by received_at desc limit 1",
    )
    .fetch_optional(executor)
    .await?;
    Ok(found)
}

/// Whether a webhook has arrived within so many seconds, of those whose body is still stored.
pub async fn was_heard(
    executor: impl PgExecutor<'_>,
    within_seconds: i64,
) -> Result<bool, StoreError> {
    let heard = sqlx::query_scalar(
        "select exists (select from webhook_inbox where raw is not null
                          and received_at > clock_now() - $1 * interval '1 second'
                          and received_at <= clock_now())",
    )
    .bind(within_seconds)
    .fetch_one(executor)
    .await?;
    Ok(heard)
}

/// The body of a webhook that was not folded yet.
pub async fn unfolded(
    executor: impl PgExecutor<'_>,
    event_id: &str,
) -> Result<Option<Vec<u8>>, StoreError> {
    let raw: Option<Option<Vec<u8>>> = sqlx::query_scalar(
        "select raw from webhook_inbox where event_id = $1 and folded_at is null",
    )
    .bind(event_id)
    .fetch_optional(executor)
    .await?;
    Ok(raw.flatten())
}

/// Marks a webhook as folded.
pub async fn mark_folded(tx: &mut Tx, event_id: &str) -> Result<(), StoreError> {
    sqlx::query(
        "update webhook_inbox set folded_at = clock_now(), waits_for_order_id = null
         where event_id = $1",
    )
    .bind(event_id)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Stores that a webhook waits for an unknown order.
pub async fn set_waits_for(tx: &mut Tx, event_id: &str, order: &OrderId) -> Result<(), StoreError> {
    sqlx::query("update webhook_inbox set waits_for_order_id = $2 where event_id = $1")
        .bind(event_id)
        .bind(order.as_str())
        .execute(tx.connection())
        .await?;
    Ok(())
}

/// Stores which payment a webhook reports.
pub async fn set_payment(
    tx: &mut Tx,
    event_id: &str,
    payment: &PaymentId,
) -> Result<(), StoreError> {
    sqlx::query("update webhook_inbox set payment_id = $2 where event_id = $1")
        .bind(event_id)
        .bind(payment.as_str())
        .execute(tx.connection())
        .await?;
    Ok(())
}

/// Whether a webhook has reported a payment.
pub async fn has_reported(
    executor: impl PgExecutor<'_>,
    payment: &PaymentId,
) -> Result<bool, StoreError> {
    let told =
        sqlx::query_scalar("select exists (select from webhook_inbox where payment_id = $1)")
            .bind(payment.as_str())
            .fetch_one(executor)
            .await?;
    Ok(told)
}

/// The webhooks that have waited for an order.
pub async fn waiting_for(tx: &mut Tx, order: &OrderId) -> Result<Vec<String>, StoreError> {
    let rows = sqlx::query("select event_id from webhook_inbox where waits_for_order_id = $1")
        .bind(order.as_str())
        .fetch_all(tx.connection())
        .await?;
    Ok(rows.iter().map(|row| row.try_get("event_id")).collect::<Result<_, _>>()?)
}

/// Deletes bodies older than 90 days. Ids and hashes stay.
pub async fn delete_old_bodies(tx: &mut Tx) -> Result<u64, StoreError> {
    let deleted = sqlx::query(
        "update webhook_inbox set raw = null
         where raw is not null and received_at < clock_now() - make_interval(days => $1)",
    )
    .bind(BODY_DAYS)
    .execute(tx.connection())
    .await?
    .rows_affected();
    Ok(deleted)
}
