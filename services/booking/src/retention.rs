//! Retention: deletes expired idempotency keys and ended reports once a day.

use eventstore::{Metadata, Store};

use crate::error::Error;
use crate::repository::widget_reports;
use crate::timers::kinds::{self, RETENTION};

const DAY_MINUTES: i64 = 24 * 60;

/// Deletes a batch of expired keys and of ended reports, and sets the next timer: in a minute if
/// more are left, otherwise tomorrow.
///
/// # Errors
/// When the database does not answer; the timer retries.
pub async fn delete_expired(store: &Store, subject: String) -> Result<(), Error> {
    let metadata = Metadata::by("booking", runtime::telemetry::traceparent());
    let deleted = store
        .write(metadata, move |tx| {
            let subject = subject.clone();
            Box::pin(async move {
                let deleted = tx.delete_old_keys().await?;
                let now = tx.now().await?;
                let more_reports = widget_reports::delete_ended(tx, now).await?;
                let minutes = if deleted.is_part || more_reports { 1 } else { DAY_MINUTES };
                let next = now.plus_minutes(minutes);
                let payload = kinds::payload(tx);
                tx.set_timer(RETENTION, &subject, next, payload).await?;
                Ok::<u64, Error>(deleted.count)
            })
        })
        .await?;
    tracing::info!(deleted, "old idempotency keys are gone");
    Ok(())
}
