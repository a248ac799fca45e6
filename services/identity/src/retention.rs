//! Removes what has ended: personal data is not kept for longer than it is used.

use std::time::Duration;

use eventstore::{Store, StoreError};
use runtime::{BoxError, Shutdown};

use crate::app;

/// How often it is looked for.
const INTERVAL: Duration = Duration::from_secs(600);

/// What has ended, table by table. An account that nobody confirmed within a day is nobody's.
const DELETE_EXPIRED: &[&str] = &[
    "delete from codes where expires_at <= clock_now()",
    "delete from sessions where ends_at <= clock_now()",
    "delete from address_limits where forget_at <= clock_now()",
    "delete from users
     where email_confirmed_at is null and updated_at <= clock_now() - interval '1 day'",
];

/// Tidies up now and then until the process stops.
///
/// # Errors
/// Never; a database that does not answer is waited for.
pub async fn run(store: Store, shutdown: Shutdown) -> Result<(), BoxError> {
    loop {
        if let Err(error) = delete_expired(&store).await {
            tracing::warn!(%error, "what has ended could not be removed");
        }
        tokio::select! {
            () = shutdown.wait() => return Ok(()),
            () = tokio::time::sleep(INTERVAL) => {}
        }
    }
}

/// Removes what has ended by now.
///
/// # Errors
/// When the database does not answer.
pub async fn delete_expired(store: &Store) -> Result<(), StoreError> {
    store
        .write(app::metadata(), |tx| {
            Box::pin(async move {
                for sql in DELETE_EXPIRED {
                    sqlx::query(*sql).execute(tx.connection()).await?;
                }
                Ok::<(), StoreError>(())
            })
        })
        .await
}
