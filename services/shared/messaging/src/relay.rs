//! The relay numbers committed events; the publisher sends them to NATS. Only the numbering has to
//! succeed.

use std::time::Duration;

use bytes::Bytes;
use eventstore::{Signal, Store, feed};
use runtime::{BoxError, Shutdown, failpoint};

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
const LOAD_TRIGGER: u64 = 5;
/// How often to poll for events that another process has committed. A process numbers and publishes
/// its own events; the poll is for one that was killed right after its commit.
const POLL_EVERY: Duration = Duration::from_secs(1);
/// After how many silent polls the publisher checks that its stream exists. Only the publisher
/// makes it, and consumers wait for it.
const POLLS_UNTIL_STREAM_CHECK: u32 = 5;
/// How long to wait after a failure.
const FAILURE_PAUSE: Duration = Duration::from_secs(1);

/// Numbers committed events until the process stops. Several may run; one at a time is active.
///
/// # Errors
/// Never; it waits for a database that does not answer.
pub async fn run_relay(store: Store, shutdown: Shutdown) -> Result<(), BoxError> {
    loop {
        let waits = match feed::number(store.pool(), BATCH).await {
            // The database may hang, so it is not polled more often.
            Ok(None) => LINGER_UNDER_LOAD,
            Ok(Some(0)) => POLL_EVERY,
            Ok(Some(numbered)) => {
                store.notify(Signal::Numbered);
                let waits = gathering(numbered);
                tokio::select! {
                    () = shutdown.wait() => return Ok(()),
                    () = tokio::time::sleep(waits) => continue,
                }
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
fn gathering(found: u64) -> Duration {
    match found {
        0..LOAD_TRIGGER => LINGER,
        // There are more events.
        _ if found >= BATCH.unsigned_abs() => Duration::ZERO,
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

/// Publishes over one connection until something fails.
async fn publish(store: &Store, source: &str, nats: &Nats) -> Result<(), BoxError> {
    let context = nats.connect(&format!("{source}-publisher")).await?;
    nats.own_stream(&context, source).await?;
    let mut silent_polls = 0_u32;
    let mut signer = MessageSigner::new(source, nats.peers());
    let mut position = feed::published(store.pool()).await?;
    loop {
        // The last published event is read again each time: the database may have been restored,
        // and its feed may be another one.
        let events = feed::read(store.pool(), position - 1, BATCH + 1).await?;
        let known = events.first().filter(|event| event.position == position);
        let mut behind = known.map(|event| event.event_id);
        let new = events.get(usize::from(behind.is_some())..).unwrap_or_default();
        let Some(last) = new.last().map(|event| event.position) else {
            store.wait_for(Signal::Numbered, POLL_EVERY).await;
            silent_polls = (silent_polls + 1) % POLLS_UNTIL_STREAM_CHECK;
            if silent_polls == 0 {
                nats.own_stream(&context, source).await?;
            }
            continue;
        };
        let mut answers = Vec::with_capacity(new.len());
        for event in new {
            let payload = Bytes::from(serde_json::to_vec(&event.payload)?);
            let mut headers = wire::headers(event, behind);
            signer.sign(&mut headers, &payload)?;
            let subject = nats.subject(&event.event_type);
            // NATS has the event when its acknowledgement has come.
            answers.push(context.publish_with_headers(subject, headers, payload).await?);
            behind = Some(event.event_id);
        }
        // All are sent before the first acknowledgement is awaited.
        for answer in answers {
            answer.await?;
        }
        failpoint::pass(&"publisher.published");
        feed::set_published(store.pool(), last).await?;
        position = last;
    }
}
