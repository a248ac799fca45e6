//! Deletes what is kept for a limited time, once a day: bodies of webhooks, the words of answered
//! requests for refunds, and idempotency keys.

use eventstore::Store;
use service::Retention;

use crate::error::Error;
use crate::read_model::inbox;
use crate::repository::refund_requests;

/// Deletes old webhook bodies, words of requests for refunds and idempotency keys.
pub const SWEEP_WEBHOOKS: &str = "sweep-webhooks";

const DAILY: Retention =
    Retention { service: "payments", timer: SWEEP_WEBHOOKS, period_minutes: 24 * 60 };

/// Deletes them, and sets the timer for the next day; called at startup and by the timer.
pub async fn run(store: &Store) -> Result<(), Error> {
    let delete = DAILY.run(store, "all", |tx, _now| {
        Box::pin(async move {
            let swept = inbox::delete_old_bodies(tx).await?;
            if swept > 0 {
                tracing::info!(swept, "bodies of old webhooks were deleted");
            }
            Ok(refund_requests::delete_old_words(tx).await?)
        })
    });
    delete.await
}
