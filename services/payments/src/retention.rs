//! Deletes what is kept for a limited time: bodies of webhooks and idempotency keys.

use eventstore::{Metadata, Store};
use serde_json::json;

use crate::app::Error;
use crate::read_model::inbox;

/// Old bodies are to go.
pub const SWEEP_WEBHOOKS: &str = "sweep-webhooks";

const MINUTE: i64 = 60;
/// How often old bodies are let go.
const RETENTION_EVERY: i64 = 24 * 60 * MINUTE;

/// Deletes old bodies of webhooks and old keys of callers, and comes back tomorrow; called at the
/// start and by its own timer.
///
/// # Errors
/// When the database does not answer.
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
