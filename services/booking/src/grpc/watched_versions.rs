//! The versions of the bookings that are watched: one query for all watchers together.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use eventstore::Store;
use kernel::Id;
use kernel::id::Booking;
use runtime::scope::carried;
use tokio::sync::watch;

use crate::read_model::query;

/// The query interval when this process commits nothing, because another process may have.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// How long a query waits after a commit, so that many commits cost one query.
const DEBOUNCE: Duration = Duration::from_millis(100);

/// Queries versions while there are watchers. Clones share it.
#[derive(Debug, Clone)]
pub(super) struct WatchedVersions {
    store: Store,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    /// The last known version of each watched booking; 0 until it has been queried.
    known: HashMap<Id<Booking>, watch::Sender<i64>>,
    is_running: bool,
}

impl WatchedVersions {
    pub(super) fn new(store: Store) -> Self {
        Self { store, state: Arc::default() }
    }

    /// The version of a booking, now and later. The receiver is told of a change within
    /// `POLL_INTERVAL`; dropping it ends the watch.
    pub(super) fn subscribe(&self, id: Id<Booking>) -> watch::Receiver<i64> {
        let mut state = self.state();
        let receiver = state.known.entry(id).or_default().subscribe();
        if !state.is_running {
            state.is_running = true;
            tokio::spawn(carried(self.clone().run()));
        }
        receiver
    }

    /// Ends when nothing is watched any more.
    async fn run(self) {
        loop {
            self.store.wait_for_commit(POLL_INTERVAL).await;
            tokio::time::sleep(DEBOUNCE).await;
            let ids = self.watched();
            if ids.is_empty() {
                return;
            }
            match query::versions(self.store.pool(), &ids).await {
                Ok(found) => self.publish(&found),
                // The watchers are told after the next query; their streams end within a minute.
                Err(error) => tracing::warn!(%error, "versions of watched bookings are not read"),
            }
        }
    }

    /// The bookings that still have a watcher; without any the loop counts as ended.
    fn watched(&self) -> Vec<Id<Booking>> {
        let mut state = self.state();
        state.known.retain(|_, version| version.receiver_count() > 0);
        state.is_running = !state.known.is_empty();
        state.known.keys().copied().collect()
    }

    fn publish(&self, found: &[(Id<Booking>, i64)]) {
        let state = self.state();
        for (id, version) in found {
            let Some(known) = state.known.get(id) else { continue };
            known.send_if_modified(|known| {
                let is_newer = version > known;
                *known = *version.max(known);
                is_newer
            });
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
