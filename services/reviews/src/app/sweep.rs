//! Once an hour: what nobody needs any more is forgotten. These are callers' keys that nobody
//! repeats, wrong tries to open the panel with the network addresses that they came from, and old
//! grants.

use eventstore::{Metadata, Store};

use super::Error;
use crate::moderation::{grant, tries};
use crate::timers::kinds::{SWEEP, payload};

const HOUR_MINUTES: i64 = 60;

/// What was deleted, in rows.
#[derive(Debug, Clone, Copy)]
struct Swept {
    keys: u64,
    tries: u64,
    grants: u64,
}

/// Deletes it and sets the timer for the next hour.
///
/// # Errors
/// When the database does not answer; the timer tries again.
pub async fn sweep(store: &Store, subject: String) -> Result<(), Error> {
    let metadata = Metadata::by("reviews", runtime::telemetry::traceparent());
    let Swept { keys, tries, grants } = store
        .write(metadata, move |tx| {
            let subject = subject.clone();
            Box::pin(async move {
                let swept = Swept {
                    keys: tx.delete_old_keys().await?.count,
                    tries: tries::forget_old(tx).await?,
                    grants: grant::forget_old(tx).await?,
                };
                let next = tx.now().await?.plus_minutes(HOUR_MINUTES);
                let payload = payload(tx);
                tx.set_timer(SWEEP, &subject, next, payload).await?;
                Ok::<Swept, Error>(swept)
            })
        })
        .await?;
    tracing::info!(keys, tries, grants, "what nobody needs any more is gone");
    Ok(())
}
