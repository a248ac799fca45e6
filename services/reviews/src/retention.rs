//! Retention, once an hour: deletes old idempotency keys, failed unlock attempts (with the network
//! addresses that they came from) and old grants.

use eventstore::Store;
use service::Retention;

use crate::error::Error;
use crate::moderation::repository;
use crate::timers::kinds::RETENTION;

const HOURLY: Retention = Retention { service: "reviews", timer: RETENTION, period_minutes: 60 };

/// Deletes the rows and sets the timer for the next hour.
pub async fn delete_expired(store: &Store, subject: &str) -> Result<(), Error> {
    let delete = HOURLY.run(store, subject, |tx, _now| {
        Box::pin(async move {
            let tries = repository::delete_expired_failures(tx).await?;
            let grants = repository::delete_expired_grants(tx).await?;
            tracing::info!(tries, grants, "what is past its time is gone");
            Ok(false)
        })
    });
    delete.await
}
