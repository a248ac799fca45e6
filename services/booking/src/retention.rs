//! Retention: deletes expired idempotency keys once a day.

use eventstore::{Metadata, Store};

use crate::error::Error;
use crate::timers::kinds::{self, RETENTION};

const DAY_MINUTES: i64 = 24 * 60;

/// Deletes a batch of expired keys and sets the next timer: in a minute if more are left, otherwise
/// tomorrow.
///
/// # Errors
/// When the database does not answer; the timer retries.
pub async fn delete_expired_keys(store: &Store, subject: String) -> Result<(), Error> {
    let metadata = Metadata::by("booking", runtime::telemetry::traceparent());
    let deleted = store
        .write(metadata, move |tx| {
            let subject = subject.clone();
            Box::pin(async move {
                let deleted = tx.delete_old_keys().await?;
                let minutes = if deleted.is_part { 1 } else { DAY_MINUTES };
                let next = tx.now().await?.plus_minutes(minutes);
                let payload = kinds::payload(tx);
                tx.set_timer(RETENTION, &subject, next, payload).await?;
                Ok::<u64, Error>(deleted.count)
            })
        })
        .await?;
    tracing::info!(deleted, "old idempotency keys are gone");
    Ok(())
}
