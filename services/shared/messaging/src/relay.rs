//! The relay numbers committed events; the publisher sends them to NATS. Only the numbering has to
//! succeed.

use std::time::Duration;

use async_nats::jetstream;
use bytes::Bytes;
use eventstore::{Numbered, Signal, Store, feed};
use runtime::{BoxError, Shutdown, failpoint};
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, timeout};

use crate::nats::Nats;
use crate::signature::MessageSigner;
use crate::wire;

/// How many events are numbered or published at once.
const BATCH: i64 = 256;
/// How long the relay lingers after a pass, and after one that found many events. Under load one
/// pass for many events costs much less than many passes; under little load no event waits long.
const LINGER: Duration = Duration::from_millis(4);
const LINGER_UNDER_LOAD: Duration = Duration::from_millis(50);
/// How long a pass waits, so that the command that appended can respond first.
const POST_COMMIT_DELAY: Duration = Duration::from_millis(1);
/// From how many events of a pass on there is load: more than one command appends.
const LOAD_TRIGGER: usize = 5;
/// How often to poll for events that another process has committed. A process numbers and publishes
/// its own events; the poll is for one that was killed right after its commit.
const POLL_EVERY: Duration = Duration::from_secs(1);
/// How often the publisher looks for events that no process has published, and checks that its
/// stream exists. Only the publisher makes it, and consumers wait for it.
const CHECK_EVERY: Duration = Duration::from_secs(5);
/// How long to wait after a failure.
const FAILURE_PAUSE: Duration = Duration::from_secs(1);

/// Numbers committed events until the process stops, and hands them to the publisher. Several may
/// run; one at a time is active.
///
/// # Errors
/// Never; it waits for a database that does not answer.
pub async fn run_relay(store: Store, shutdown: Shutdown) -> Result<(), BoxError> {
    loop {
        let waits = match feed::number(store.pool(), BATCH).await {
            // The database may hang, so it is not polled more often.
            Ok(None) => LINGER_UNDER_LOAD,
            Ok(Some(numbered)) if numbered.is_empty() => POLL_EVERY,
            Ok(Some(numbered)) => {
                let waits = gathering(numbered.len());
                store.announce(numbered);
                tokio::select! {
                    () = shutdown.wait() => return Ok(()),
                    () = tokio::time::sleep(waits) => {}
                }
                // There are more events.
                if waits.is_zero() {
                    continue;
                }
                POLL_EVERY
            }
            Err(error) => {
                tracing::warn!(%error, "the outbox could not be numbered");
                FAILURE_PAUSE
            }
        };
        tokio::select! {
            () = shutdown.wait() => return Ok(()),
            () = store.wait_for(Signal::Appended, waits) => {}
        }
        // Lets the command that appended respond first.
        tokio::time::sleep(POST_COMMIT_DELAY).await;
    }
}

/// How long to wait after a pass that found this many events.
fn gathering(found: usize) -> Duration {
    match found {
        0..LOAD_TRIGGER => LINGER,
        _ if found >= usize::try_from(BATCH).unwrap_or(usize::MAX) => Duration::ZERO,
        _ => LINGER_UNDER_LOAD,
    }
}

/// Publishes numbered events to NATS until the process stops. It may repeat events or fail for any
/// time: consumers read missing events from `ReadFeed`.
///
/// # Errors
/// Never; it waits for NATS.
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
                    () = tokio::time::sleep(FAILURE_PAUSE) => {}
                }
            }
        }
    }
    Ok(())
}

/// Publishes over one connection until something fails: what this process numbers as it is
/// numbered, and what no process has published for [`CHECK_EVERY`]. Consumers don't wait for that.
async fn publish(store: &Store, source: &str, nats: &Nats) -> Result<(), BoxError> {
    let context = nats.connect(&format!("{source}-publisher")).await?;
    nats.own_stream(&context, source).await?;
    let signer = MessageSigner::new(source, nats.peers());
    let mut publisher = Publisher { store, nats, context, signer, written: None, unwritten: None };
    let mut announced = store.announced();
    let mut known = feed::published(store.pool()).await?;
    let mut checked_at = Instant::now();
    loop {
        match timeout(POLL_EVERY, announced.recv()).await {
            Ok(Ok(numbered)) => publisher.send(&numbered).await?,
            // Consumers find the hole at the next event, and read it from the feed.
            Ok(Err(RecvError::Lagged(_))) | Err(_) => {}
            Ok(Err(RecvError::Closed)) => return Ok(()),
        }
        publisher.note_published().await?;
        if checked_at.elapsed() >= CHECK_EVERY {
            nats.own_stream(&publisher.context, source).await?;
            let before = known.last;
            known = feed::published(store.pool()).await?;
            // What another process numbers now, it publishes now.
            publisher.catch_up(known.published, before.min(known.last)).await?;
            checked_at = Instant::now();
        }
    }
}

/// One connection over which events are published.
struct Publisher<'s> {
    store: &'s Store,
    nats: &'s Nats,
    context: jetstream::Context,
    signer: MessageSigner<'s>,
    /// When the position was written that is published.
    written: Option<Instant>,
    /// The last published position, if it is not written yet.
    unwritten: Option<i64>,
}

impl Publisher<'_> {
    /// Publishes the feed's events after a position up to another one, and none behind that.
    async fn catch_up(&mut self, mut after: i64, last: i64) -> Result<(), BoxError> {
        while after < last {
            // The event before the first is read again, because each message names the one before.
            let events = feed::read(self.store.pool(), after - 1, BATCH + 1).await?;
            let mut previous = None;
            let mut new = Vec::with_capacity(events.len());
            for event in events {
                let event_id = event.event_id;
                if event.position > after && event.position <= last {
                    new.push(Numbered { event, previous });
                }
                previous = Some(event_id);
            }
            let Some(read) = new.last().map(|last| last.event.position) else { break };
            self.send(&new).await?;
            after = read;
        }
        self.note_published().await
    }

    /// Publishes events.
    async fn send(&mut self, numbered: &[Numbered]) -> Result<(), BoxError> {
        let mut answers = Vec::with_capacity(numbered.len());
        for Numbered { event, previous } in numbered {
            let payload = Bytes::from(serde_json::to_vec(&event.payload)?);
            let mut headers = wire::headers(event, *previous);
            self.signer.sign(&mut headers, &payload)?;
            let subject = self.nats.subject(&event.event_type);
            // NATS has the event when its acknowledgement has come.
            answers.push(self.context.publish_with_headers(subject, headers, payload).await?);
        }
        // All are sent before the first acknowledgement is awaited.
        for answer in answers {
            answer.await?;
        }
        failpoint::pass(&"publisher.published");
        self.unwritten = numbered.last().map(|last| last.event.position).or(self.unwritten);
        Ok(())
    }

    /// Writes how far the feed was published, at most once in [`POLL_EVERY`].
    async fn note_published(&mut self) -> Result<(), BoxError> {
        if self.written.is_some_and(|at| at.elapsed() < POLL_EVERY) {
            return Ok(());
        }
        if let Some(position) = self.unwritten.take() {
            feed::set_published(self.store.pool(), position).await?;
            self.written = Some(Instant::now());
        }
        Ok(())
    }
}
