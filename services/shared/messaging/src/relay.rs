//! The relay numbers what was committed; the publisher tells NATS. Only the first one counts.

use std::time::Duration;

use async_nats::jetstream;
use bytes::Bytes;
use eventstore::{News, Recorded, Store, feed};
use runtime::{BoxError, Shutdown, failpoint};
use uuid::Uuid;

use crate::nats::Nats;
use crate::wire;

/// How many events are numbered or published in one go.
const BATCH: i64 = 256;
/// How often to look for what another process has committed.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// How long to wait after a failure.
const PAUSE: Duration = Duration::from_secs(1);

/// Numbers committed events until the process stops. Several may run; one at a time is active.
///
/// # Errors
/// Never; a database that does not answer is waited for.
pub async fn run_relay(store: Store, shutdown: Shutdown) -> Result<(), BoxError> {
    loop {
        let waits = match feed::number(store.pool(), BATCH).await {
            Ok(0) => LOOK_EVERY,
            Ok(_) => {
                store.announce(News::Numbered);
                continue;
            }
            Err(error) => {
                tracing::warn!(%error, "the outbox could not be numbered");
                PAUSE
            }
        };
        tokio::select! {
            () = shutdown.wait() => return Ok(()),
            () = store.heard(News::Appended, waits) => {}
        }
    }
}

/// Publishes numbered events to NATS until the process stops. It may repeat itself or fail for as
/// long as it likes: consumers read what they miss from `ReadFeed`.
///
/// # Errors
/// Never; NATS is waited for.
pub async fn run_publisher(
    store: Store,
    source: &'static str,
    nats: Nats,
    shutdown: Shutdown,
) -> Result<(), BoxError> {
    while !shutdown.is_triggered() {
        let session = publish(&store, source, &nats);
        tokio::select! {
            () = shutdown.wait() => break,
            ended = session => {
                if let Err(error) = ended {
                    tracing::warn!(error, "events could not be published; trying again");
                }
                tokio::select! {
                    () = shutdown.wait() => break,
                    () = tokio::time::sleep(PAUSE) => {}
                }
            }
        }
    }
    Ok(())
}

/// Publishes over one connection until something fails.
async fn publish(store: &Store, source: &str, nats: &Nats) -> Result<(), BoxError> {
    let context = nats.connect(&format!("{source}-publisher")).await?;
    nats.stream(&context, source).await?;
    let mut position = feed::published(store.pool()).await?;
    loop {
        let events = feed::read(store.pool(), position, BATCH).await?;
        let Some(last) = events.last() else {
            store.heard(News::Numbered, LOOK_EVERY).await;
            continue;
        };
        let last = last.position;
        // Read anew each time: the database may be a restored one, and its feed another.
        let mut behind = feed::event_at(store.pool(), position).await?;
        for event in &events {
            send(&context, nats, event, behind).await?;
            behind = Some(event.event_id);
        }
        failpoint::pass(&"publisher.published");
        feed::set_published(store.pool(), last).await?;
        position = last;
    }
}

async fn send(
    context: &jetstream::Context,
    nats: &Nats,
    event: &Recorded,
    behind: Option<Uuid>,
) -> Result<(), BoxError> {
    let payload = Bytes::from(serde_json::to_vec(&event.payload)?);
    let subject = nats.subject(&event.event_type);
    context.publish_with_headers(subject, wire::headers(event, behind), payload).await?.await?;
    Ok(())
}
