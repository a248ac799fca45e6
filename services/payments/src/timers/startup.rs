//! The work that is due when the process starts.

use std::time::Duration;

use eventstore::Store;
use runtime::Shutdown;
use runtime::status::chain;

use crate::app::backfill_ledger::backfill_ledger;
use crate::app::count_disputes::count_disputes;
use crate::app::nightly;
use crate::error::Error;
use crate::retention;

/// The pause before it is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// Does the work, and retries until all of it succeeded once.
pub async fn prepare(store: &Store, shutdown: &Shutdown) {
    let preparing = async {
        while let Err(error) = prepare_once(store).await {
            tracing::warn!(error = chain(&error), "what is due at the start has to wait");
            tokio::time::sleep(RETRY).await;
        }
    };
    // What is not done now is due again at the next start.
    tokio::select! {
        () = shutdown.wait() => {}
        () = preparing => {}
    }
}

async fn prepare_once(store: &Store) -> Result<(), Error> {
    nightly::start(store).await?;
    retention::run(store).await?;
    count_disputes(store).await?;
    backfill_ledger(store).await
}
