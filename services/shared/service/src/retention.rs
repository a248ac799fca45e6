//! Retention: one timer of a service deletes what is kept for a limited time, a batch at a time.

use std::sync::Arc;

use eventstore::{Metadata, Retry, Store, StoreError, Tx};
use futures::future::BoxFuture;
use kernel::Timestamp;
use runtime::failpoint::Step;
use serde_json::json;

/// The minutes until the next batch, while more is left.
const BATCH_MINUTES: i64 = 1;

/// The timer, which a migration or the start of a process sets once, and each run sets anew.
#[derive(Debug, Clone, Copy)]
pub struct Retention {
    /// The service, as the one that acts.
    pub service: &'static str,
    /// The timer's kind.
    pub timer: &'static str,
    /// The minutes from one run to the next, if nothing is left.
    pub period_minutes: i64,
}

impl Retention {
    /// Deletes old idempotency keys and what `delete` deletes, and sets the timer of this subject.
    /// `delete` is given the database's time, and says whether more may be left.
    pub async fn run<E, F>(self, store: &Store, subject: &str, delete: F) -> Result<(), E>
    where
        E: From<StoreError> + Retry + Send + 'static,
        F: for<'t> Fn(&'t mut Tx, Timestamp) -> BoxFuture<'t, Result<bool, E>>,
        F: Send + Sync + 'static,
    {
        let (subject, delete) = (subject.to_owned(), Arc::new(delete));
        let metadata = Metadata::traced(self.service);
        // The step is called as the service's own function.
        let deleted = store.write_step(Step::of::<F>(), metadata, move |tx| {
            let (subject, delete) = (subject.clone(), Arc::clone(&delete));
            Box::pin(async move {
                let keys = tx.delete_old_keys().await?;
                let now = tx.now().await?;
                let more = delete(tx, now).await? || keys.is_part;
                let minutes = if more { BATCH_MINUTES } else { self.period_minutes };
                let payload = json!({ "traceparent": tx.metadata().traceparent });
                tx.set_timer(self.timer, &subject, now.plus_minutes(minutes), payload).await?;
                Ok::<u64, E>(keys.count)
            })
        });
        let deleted = deleted.await?;
        tracing::info!(deleted, "old idempotency keys are gone");
        Ok(())
    }
}
