//! Events between services that run in one process, without NATS: a source hands them over here
//! once they are committed and numbered. Its feed is the truth in every form, and consumers read
//! what they miss there.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use eventstore::{Numbered, Store, feed};
use runtime::{BoxError, Shutdown};
use tokio::sync::broadcast;
use tokio::time::{Instant, timeout};

use crate::nats::Nats;
use crate::relay;

/// The sources of this process.
static SOURCES: Mutex<BTreeMap<&'static str, Source>> = Mutex::new(BTreeMap::new());
type Source = broadcast::Sender<Arc<[Numbered]>>;

/// How many passes of a relay a consumer may fall behind before it reads the feed.
const PASSES_MAX: usize = 64;

/// How often the relay's row says how far the events have been handed over. It is what NATS would
/// lack if the practice were started with NATS again; what is told to it twice is no harm.
const NOTE_EVERY: Duration = Duration::from_secs(30);

/// The events of a source of this process, as they are numbered.
pub(crate) fn numbered_by(source: &'static str) -> broadcast::Receiver<Arc<[Numbered]>> {
    with_source(source, broadcast::Sender::subscribe)
}

fn with_source<T>(source: &'static str, work: impl FnOnce(&Source) -> T) -> T {
    // A panic in another thread cannot leave the map half-written.
    let mut sources = SOURCES.lock().unwrap_or_else(PoisonError::into_inner);
    work(sources.entry(source).or_insert_with(|| broadcast::Sender::new(PASSES_MAX)))
}

/// Hands a source's numbered events over until the process stops: to NATS, or to the consumers in
/// the process if there is none.
///
/// # Errors
/// Never; it waits for NATS.
pub async fn run_publisher(
    store: Store,
    source: &'static str,
    nats: Nats,
    shutdown: Shutdown,
) -> Result<(), BoxError> {
    if nats.is_none() {
        hand_over(store, source, shutdown).await;
        return Ok(());
    }
    relay::run_publisher(store, source, nats, shutdown).await
}

async fn hand_over(store: Store, source: &'static str, shutdown: Shutdown) {
    let mut noted = 0;
    let mut noted_at = Instant::now();
    let mut announced = store.announced();
    loop {
        tokio::select! {
            () = shutdown.wait() => {
                note(&store, &mut noted).await;
                return;
            }
            numbered = timeout(NOTE_EVERY, announced.recv()) => {
                if let Ok(Ok(numbered)) = numbered {
                    // Without a consumer there is no one to hand them to.
                    drop(with_source(source, |sender| sender.send(numbered)));
                }
            }
        }
        if noted_at.elapsed() >= NOTE_EVERY {
            note(&store, &mut noted).await;
            noted_at = Instant::now();
        }
    }
}

/// Records how far the events have been handed over. A failure is repaired by the next time.
async fn note(store: &Store, noted: &mut i64) {
    let done = async {
        let last = feed::last_position(store.pool()).await?;
        if last != *noted {
            feed::set_published(store.pool(), last).await?;
            *noted = last;
        }
        Ok::<_, eventstore::StoreError>(())
    };
    if let Err(error) = done.await {
        tracing::debug!(%error, "how far the events have gone was not recorded");
    }
}
