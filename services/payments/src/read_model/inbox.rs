//! The webhooks' inbox: written before a webhook is answered, folded by a timer afterwards.

use eventstore::{StoreError, Tx};
use kernel::{Timestamp, hex};
use sqlx::{PgExecutor, Row as _};

use crate::domain::fact::{OrderId, PaymentId};

/// How long the body of a webhook is kept.
const BODY_DAYS: i32 = 90;

/// Stores a webhook. Returns the id that it is stored under: its own, or its body's hash if its own
/// id belongs to another body. Returns none for a known body.
pub async fn insert(
    tx: &mut Tx,
    event_id: &str,
    body_sha256: &[u8],
    raw: &[u8],
) -> Result<Option<String>, StoreError> {
    if insert_row(tx, event_id, body_sha256, raw).await? {
        return Ok(Some(event_id.to_owned()));
    }
    // Ids are unsigned headers.
    let by_body = hex::encode(body_sha256);
    let is_new = by_body != event_id && insert_row(tx, &by_body, body_sha256, raw).await?;
    if is_new {
        tracing::warn!(event_id, "a webhook has the id of another one; it is kept by its body");
    }
    Ok(is_new.then_some(by_body))
}

async fn insert_row(
    tx: &mut Tx,
    event_id: &str,
    body_sha256: &[u8],
    raw: &[u8],
) -> Result<bool, StoreError> {
    let added = sqlx::query(
        "insert into webhook_inbox (event_id, body_sha256, raw, received_at)
         values ($1, $2, $3, clock_now())
         on conflict do nothing",
    )
    .bind(event_id)
    .bind(body_sha256)
    .bind(raw)
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
