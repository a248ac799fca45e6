//! Retention, once an hour: deletes old idempotency keys, failed unlock attempts (with the network
//! addresses that they came from) and old grants.

use eventstore::{Metadata, Store};

use crate::error::Error;
use crate::moderation::repository;
use crate::timers::kinds::{RETENTION, payload};

const HOUR_MINUTES: i64 = 60;

/// How many rows were deleted.
#[derive(Debug, Clone, Copy)]
struct Deleted {
    keys: u64,
    tries: u64,
    grants: u64,
}

/// Deletes the rows and sets the timer for the next hour.
///
/// # Errors
/// When the database does not answer; the timer tries again.
pub async fn delete_expired(store: &Store, subject: String) -> Result<(), Error> {
    let metadata = Metadata::by("reviews", runtime::telemetry::traceparent());
    let Deleted { keys, tries, grants } = store
        .write(metadata, move |tx| {
            let subject = subject.clone();
            Box::pin(async move {
                let deleted = Deleted {
                    keys: tx.delete_old_keys().await?.count,
                    tries: repository::delete_expired_failures(tx).await?,
                    grants: repository::delete_expired_grants(tx).await?,
                };
                let next = tx.now().await?.plus_minutes(HOUR_MINUTES);
                let payload = payload(tx);
                tx.set_timer(RETENTION, &subject, next, payload).await?;
                Ok::<Deleted, Error>(deleted)
            })
        })
        .await?;
    tracing::info!(keys, tries, grants, "what nobody needs any more is gone");
    Ok(())
}
