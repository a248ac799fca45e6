//! Once a day: callers' keys that nobody repeats any more are forgotten.

use eventstore::{Metadata, Store};

use super::Error;
use crate::timers::{self, SWEEP};

/// A caller that repeats a request does so within minutes; a month leaves room for any of them.
const KEY_DAYS: i32 = 30;
const DAY_MINUTES: i64 = 24 * 60;

/// Deletes them and sets the timer for tomorrow.
///
/// # Errors
/// When the database does not answer; the timer tries again.
pub async fn sweep(store: &Store, subject: String) -> Result<(), Error> {
    let metadata = Metadata::by("reviews", runtime::telemetry::traceparent());
    let deleted = store
        .write(metadata, move |tx| {
            let subject = subject.clone();
            Box::pin(async move {
                let deleted = sqlx::query(
                    "delete from idempotency_keys
                     where recorded_at < clock_now() - make_interval(days => $1)",
                )
                .bind(KEY_DAYS)
                .execute(tx.connection())
                .await
                .map_err(eventstore::StoreError::from)?
                .rows_affected();
                let tomorrow = tx.now().await?.plus_minutes(DAY_MINUTES);
                let payload = timers::payload(tx);
                tx.set_timer(SWEEP, &subject, tomorrow, payload).await?;
                Ok::<u64, Error>(deleted)
            })
        })
        .await?;
    tracing::info!(deleted, "old idempotency keys are gone");
    Ok(())
}
