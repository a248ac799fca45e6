//! Deletes what is kept for a limited time: bodies of webhooks and idempotency keys.

use eventstore::{Metadata, Store};
use serde_json::json;

use crate::error::Error;
use crate::read_model::inbox;

/// Deletes old webhook bodies and idempotency keys.
pub const SWEEP_WEBHOOKS: &str = "sweep-webhooks";

const MINUTE: i64 = 60;
/// How often it runs.
const RETENTION_EVERY: i64 = 24 * 60 * MINUTE;

/// Deletes old bodies of webhooks and old idempotency keys, and sets its timer for the next day;
/// called at startup and by its timer.
pub async fn run(store: &Store) -> Result<(), Error> {
    store
        .write(Metadata::by("payments", None), move |tx| {
            Box::pin(async move {
                let swept = inbox::delete_old_bodies(tx).await?;
                if swept > 0 {
                    tracing::info!(swept, "bodies of old webhooks were deleted");
                }
                let keys = tx.delete_old_keys().await?;
                if keys.count > 0 {
                    tracing::info!(deleted = keys.count, "old idempotency keys were deleted");
                }
                let pause = if keys.is_part { MINUTE } else { RETENTION_EVERY };
                let due = tx.now().await?.plus_seconds(pause);
                Ok(tx.set_timer(SWEEP_WEBHOOKS, "all", due, json!({})).await?)
            })
        })
        .await
}
