//! A consumer takes in every event of a source's feed, once, in order, whatever the transport does.

use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, PullConsumer, pull};
use eventstore::checkpoint::{Delivery, FeedPosition};
use eventstore::{AdvanceOutcome, Metadata, Recorded, Store, checkpoint, consumer_release};
use futures::{FutureExt as _, StreamExt as _};
use runtime::status::chain;
use runtime::telemetry::event_span;
use runtime::{BoxError, Shutdown, failpoint};
use tokio::time::Instant;
use tracing::{Instrument as _, Span};
use uuid::Uuid;

use crate::authenticity;
use crate::consumer_health::ConsumerHealth;
use crate::feed::{FeedReader, Page, ReadError};
use crate::nats::Nats;
use crate::reaction::{Reaction, ReactionError, take_in};
use crate::wire::ReceivedEvent;

/// How many events one transaction handles at most.
const BATCH_MAX: usize = 64;
/// When an event follows a batch within this time, or the batch had at least so many events, the
/// consumer lingers to batch more. A larger batch costs much less than two batches.
const BATCH_WINDOW: Duration = Duration::from_millis(12);
const BATCH_TRIGGER: usize = 5;
const LINGER: Duration = Duration::from_millis(4);
/// How long NATS may bring nothing before the source is polled. The next event shows that one was
/// lost; after the last event there is no next one.
const IDLE_POLL: Duration = Duration::from_secs(2);
/// How often the source is polled while NATS is away.
const POLL_WITHOUT_NATS: Duration = Duration::from_millis(300);
/// How long to wait before an event whose dependency is missing is tried again.
const DEPENDENCY_RETRY: Duration = Duration::from_secs(1);
/// The lock timeout of a batch. A batch takes locks in the order of its events and requests take
/// them in the order of names, so the two can block each other. On timeout the batch is rolled
/// back, and its events are handled one by one.
const BATCH_LOCK_TIMEOUT: &str = "100ms";
/// How long to wait before an event that failed is tried again.
const FAILURE_PAUSE: Duration = Duration::from_millis(300);

/// A consumer's name, and the service whose events it takes in.
#[derive(Debug, Clone)]
pub struct Subscription {
    /// `<service>-on-<source>`, for example `notifications-on-booking`.
    pub consumer: &'static str,
    /// The service whose feed it is.
    pub source: &'static str,
    /// How that feed is read.
    pub feed: FeedReader,
    /// How far this process's consumers are behind, and how long they have made no progress.
    pub consumer_health: ConsumerHealth,
}

/// Whether the loop may go on to the next event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HandleOutcome {
    Done,
    Hole,
    Retry,
    Later,
}

struct Consumer {
    store: Store,
    subscription: Subscription,
    reaction: Arc<dyn Reaction>,
}

/// Takes in events until the process stops.
///
/// # Errors
/// Never; it waits for a server that does not answer.
pub async fn run_consumer(
    store: Store,
    nats: Nats,
    subscription: Subscription,
    reaction: Arc<dyn Reaction>,
    shutdown: Shutdown,
) -> Result<(), BoxError> {
    let consumer = Consumer { store, subscription, reaction };
    while !shutdown.is_triggered() {
        tokio::select! {
            () = shutdown.wait() => break,
            ended = consumer.over_nats(&nats) => {
                if let Err(error) = ended {
                    tracing::warn!(
                        error, consumer = consumer.subscription.consumer,
                        "events do not come over NATS; reading them from their source",
                    );
                }
            }
        }
        tokio::select! {
            () = shutdown.wait() => break,
            () = tokio::time::sleep(POLL_WITHOUT_NATS) => {}
        }
    }
    Ok(())
}

impl Consumer {
    /// Catches up, then takes in the messages of NATS until the connection fails. It reads the
    /// source first because it is called again and again while NATS is away.
    async fn over_nats(&self, nats: &Nats) -> Result<(), BoxError> {
        self.take_over().await;
        self.catch_up().await;
        let durable = self.pull_consumer(nats).await?;
        // The durable consumer does not deliver what was published before it existed.
        self.catch_up().await;
        let mut last_batch: Option<(Instant, usize)> = None;
        loop {
            let mut messages =
                durable.fetch().max_messages(2 * BATCH_MAX).expires(IDLE_POLL).messages().await?;
            let mut quiet = true;
            while let Some(message) = messages.next().await {
                quiet = false;
                let mut batch = vec![message?];
                if last_batch
                    .is_some_and(|(at, many)| at.elapsed() < BATCH_WINDOW || many >= BATCH_TRIGGER)
                {
                    tokio::time::sleep(LINGER).await;
                }
                // Messages that have arrived meanwhile join the batch.
                while batch.len() < BATCH_MAX
                    && let Some(Some(message)) = messages.next().now_or_never()
                {
                    batch.push(message?);
                }
                self.handle_batch(nats, &batch).await;
                last_batch = Some((Instant::now(), batch.len()));
                failpoint::pass(&format_args!("{}.before-ack", self.subscription.consumer));
                // The checkpoint records what was handled. Acknowledging the last message
                // acknowledges those before it.
                if let Some(last) = batch.last() {
                    let left = last.info().map_or(0, |info| info.pending);
                    self.record_lag((left.try_into().unwrap_or(i64::MAX), None));
                    last.ack().await?;
                }
            }
            if quiet {
                if consumer_release::is_behind(&self.store, self.subscription.consumer).await? {
                    self.take_over().await;
                }
                self.catch_up().await;
            }
        }
    }

    /// Handles messages in one transaction or, if that fails, one by one. Events without a valid
    /// signature are read from the source, once: by then it has all of the batch.
    async fn handle_batch(&self, nats: &Nats, messages: &[Message]) {
        let received = authenticity::believed(self.subscription.source, nats, messages);
        if received.iter().all(Option::is_none) {
            self.catch_up().await;
            return;
        }
        if self.handle_messages(&received).await {
            return;
        }
        let mut left = received.as_slice();
        let mut is_read = false;
        while let Some((one, others)) = left.split_first() {
            left = others;
            let outcome = match one {
                Some(received) => self.handle_one(&received.event, received.previous).await,
                None if is_read => HandleOutcome::Done,
                None => HandleOutcome::Hole,
            };
            match outcome {
                HandleOutcome::Done => {}
                HandleOutcome::Hole | HandleOutcome::Retry => {
                    // The events behind it have to wait too.
                    if !self.catch_up().await {
                        return tokio::time::sleep(DEPENDENCY_RETRY).await;
                    }
                    is_read = true;
                    // Most of the rest has been handled meanwhile; one transaction skips it.
                    if self.handle_messages(left).await {
                        return;
                    }
                }
                HandleOutcome::Later => return tokio::time::sleep(DEPENDENCY_RETRY).await,
            }
        }
    }

    /// Handles messages in one transaction if all of them can be read. Returns whether it did.
    async fn handle_messages(&self, received: &[Option<ReceivedEvent>]) -> bool {
        let batch: Option<Vec<Delivery<'_>>> =
            received.iter().map(|one| one.as_ref().map(|one| (&one.event, one.previous))).collect();
        match batch {
            Some(batch) => self.handle_together(&batch).await,
            None => false,
        }
    }

    async fn pull_consumer(&self, nats: &Nats) -> Result<PullConsumer, BoxError> {
        let Subscription { consumer, source, .. } = &self.subscription;
        let context = nats.connect(consumer).await?;
        let stream = nats.stream(&context, source).await?;
        let config = pull::Config {
            durable_name: Some((*consumer).to_owned()),
            ack_policy: AckPolicy::All,
            deliver_policy: DeliverPolicy::New,
            ..pull::Config::default()
        };
        let found = stream.get_or_create_consumer(consumer, config.clone()).await?;
        if found.cached_info().config.ack_policy == AckPolicy::All {
            return Ok(found);
        }
        // NATS cannot change how an existing consumer acknowledges.
        stream.delete_consumer(consumer).await?;
        Ok(stream.create_consumer(config).await?)
    }

    /// If a program of an older release moved the checkpoint, goes back to where it began.
    async fn take_over(&self) {
        let Subscription { consumer, source, .. } = self.subscription;
        let release = self.reaction.release();
        match consumer_release::take_over(&self.store, (consumer, source), release).await {
            Ok(None) => {}
            Ok(Some(position)) => {
                tracing::warn!(consumer, source, again_from = position, "events are read again");
            }
            Err(error) => tracing::warn!(%error, consumer, "what was passed over is not known"),
        }
    }

    /// Reads events from the source until there are no newer ones. Gives up when the source or the
    /// own database does not answer; the caller tries again. Returns whether nothing is left.
    async fn catch_up(&self) -> bool {
        let Subscription { consumer, source, feed, .. } = &self.subscription;
        loop {
            let place = match checkpoint::feed_position(&self.store, consumer, source).await {
                Ok(place) => place,
                Err(error) => {
                    tracing::warn!(%error, consumer, "the own checkpoint could not be read");
                    return false;
                }
            };
            let events = match feed.read(place).await {
                Ok(Page { events, .. }) if events.is_empty() => {
                    self.record_progress();
                    self.record_lag((0, None));
                    return true;
                }
                Ok(Page { events, last_position }) => {
                    let waited = self.age_of(events.first()).await;
                    self.record_lag((last_position - place.position, waited));
                    events
                }
                Err(ReadError::Rewound) if self.rewind(place).await => continue,
                Err(error) => {
                    let error = chain(&error);
                    tracing::warn!(error, consumer, "the source's feed could not be read");
                    self.record_stall(place.position + 1);
                    return false;
                }
            };
            match self.handle_fetched(&events).await {
                HandleOutcome::Done => {}
                // The caller tries again later.
                HandleOutcome::Later => return false,
                HandleOutcome::Hole | HandleOutcome::Retry => {
                    tokio::time::sleep(FAILURE_PAUSE).await;
                }
            }
        }
    }

    /// Handles events of the source's feed, up to the first that cannot be handled.
    async fn handle_fetched(&self, events: &[Recorded]) -> HandleOutcome {
        for some in events.chunks(BATCH_MAX) {
            let batch: Vec<Delivery<'_>> = some.iter().map(|event| (event, None)).collect();
            if self.handle_together(&batch).await {
                continue;
            }
            for event in some {
                match self.handle_one(event, None).await {
                    HandleOutcome::Done => {}
                    HandleOutcome::Hole => {
                        // The feed has a hole or was rewound; the next read tells which.
                        self.record_stall(event.position);
                        return HandleOutcome::Hole;
                    }
                    other => return other,
                }
            }
        }
        HandleOutcome::Done
    }

    /// Moves the checkpoint back to the last place that the feed still has, because the source was
    /// restored from an older copy. Returns whether the checkpoint moved.
    async fn rewind(&self, from: FeedPosition) -> bool {
        let Subscription { consumer, source, .. } = self.subscription;
        let Some(to) = self.last_common(from).await else { return false };
        tracing::error!(
            consumer,
            source,
            position = from.position,
            again_from = to.position,
            "the source was restored from an older copy; its events are taken in again",
        );
        let moved = checkpoint::rewind(&self.store, (consumer, source), (from, to)).await;
        if let Err(error) = &moved {
            tracing::warn!(%error, consumer, "the checkpoint could not be put back");
        }
        moved.is_ok()
    }

    /// The last place before `from` that the feed still has; its beginning when there is none.
    /// `None` when the source or the database does not answer.
    async fn last_common(&self, from: FeedPosition) -> Option<FeedPosition> {
        let Subscription { consumer, source, feed, .. } = &self.subscription;
        let marks = checkpoint::marks(&self.store, (consumer, source), from).await.ok()?;
        for mark in marks {
            match feed.read(mark).await {
                Ok(_page) => return Some(mark),
                Err(ReadError::Rewound) => {}
                Err(ReadError::Unavailable(_)) => return None,
            }
        }
        Some(FeedPosition::default())
    }

    /// Handles a batch of events in one transaction, because most events change nothing and a
    /// commit for each would be most of their cost. Returns whether it did. A batch with a hole, a
    /// failure or a parked stream changes nothing; its events are left to [`Self::handle_one`].
    async fn handle_together(&self, batch: &[Delivery<'_>]) -> bool {
        let [(first, _), _, ..] = batch else { return false };
        let Subscription { consumer, source, .. } = self.subscription;
        let name = |event: &Recorded| format!("{consumer}.{}", short_name(event));
        let owned: Arc<[(Recorded, Option<Uuid>)]> =
            batch.iter().map(|(event, previous)| ((*event).clone(), *previous)).collect();
        let reaction = Arc::clone(&self.reaction);
        let handled = self.store.write(Metadata::by(consumer, None), move |tx| {
            let (reaction, owned) = (Arc::clone(&reaction), Arc::clone(&owned));
            Box::pin(async move {
                let batch: Vec<Delivery<'_>> =
                    owned.iter().map(|(event, it)| (event, *it)).collect();
                consumer_release::declare(tx, reaction.release()).await?;
                let skipped = checkpoint::advance_over(tx, (consumer, source), &batch).await?;
                let Some(skipped) = skipped else { return Ok(false) };
                if skipped < batch.len() {
                    tx.set("lock_timeout", BATCH_LOCK_TIMEOUT).await?;
                }
                for (event, _previous) in batch.into_iter().skip(skipped) {
                    let span = span_of(consumer, event);
                    tx.set_metadata(span.in_scope(|| metadata_of(consumer, event)));
                    take_in(reaction.as_ref(), tx, (source, event)).instrument(span).await?;
                    failpoint::pass(&format_args!(
                        "{consumer}.{}.before-commit",
                        short_name(event)
                    ));
                }
                Ok::<bool, ReactionError>(true)
            })
        });
        match failpoint::named(&name(first), handled).await {
            Ok(done) => {
                if done {
                    self.record_progress();
                }
                for (event, _previous) in batch.iter().filter(|_event| done) {
                    failpoint::pass(&format_args!("{}.after-commit", name(event)));
                }
                done
            }
            // Handling them one by one shows which event failed, and why.
            Err(error) => {
                tracing::debug!(error = chain(&error), consumer, "a batch failed");
                false
            }
        }
    }

    /// Handles one event, and records how long the consumer has been stuck at it.
    async fn handle_one(&self, event: &Recorded, previous: Option<Uuid>) -> HandleOutcome {
        let outcome = self.handle_in_transaction(event, previous).await;
        match outcome {
            HandleOutcome::Done => self.record_progress(),
            HandleOutcome::Retry | HandleOutcome::Later => self.record_stall(event.position),
            // The missing events are read first.
            HandleOutcome::Hole => {}
        }
        outcome
    }

    fn record_progress(&self) {
        self.subscription.consumer_health.advanced(self.subscription.consumer);
    }

    /// How long an event has waited by the database's clock.
    async fn age_of(&self, oldest: Option<&Recorded>) -> Option<Duration> {
        let now = self.store.now().await.ok()?;
        let seconds = now.seconds_since(oldest?.recorded_at);
        Some(Duration::from_secs(seconds.try_into().unwrap_or_default()))
    }

    /// Records how many events are left, and how long the oldest has waited if that is known.
    fn record_lag(&self, (events, waited): (i64, Option<Duration>)) {
        let Subscription { consumer, source, consumer_health, .. } = &self.subscription;
        if let Some(since) = consumer_health.record_lag(consumer, (events, waited)) {
            let seconds = since.as_secs();
            tracing::error!(consumer, source, events, seconds, "a consumer stays behind");
        }
    }

    /// Records that the event at this position could not be handled; after some minutes as an
    /// error.
    fn record_stall(&self, position: i64) {
        let Subscription { consumer, source, .. } = self.subscription;
        let still = self.subscription.consumer_health.stalled(consumer, position, Instant::now());
        if let Some((since, tries)) = still {
            let seconds = since.as_secs();
            tracing::error!(consumer, source, position, seconds, tries, "a consumer stands still");
        }
    }

    /// Handles one event in the transaction that moves the checkpoint.
    async fn handle_in_transaction(
        &self,
        event: &Recorded,
        previous: Option<Uuid>,
    ) -> HandleOutcome {
        let Subscription { consumer, source, .. } = self.subscription;
        let handled = async {
            let (reaction, owned) = (Arc::clone(&self.reaction), event.clone());
            self.store
                .write(metadata_of(consumer, event), move |tx| {
                    let (reaction, event) = (Arc::clone(&reaction), owned.clone());
                    Box::pin(async move {
                        consumer_release::declare(tx, reaction.release()).await?;
                        let outcome =
                            checkpoint::advance(tx, (consumer, source), &event, previous).await?;
                        if outcome == AdvanceOutcome::Handled {
                            take_in(reaction.as_ref(), tx, (source, &event)).await?;
                        }
                        Ok::<AdvanceOutcome, ReactionError>(outcome)
                    })
                })
                .await
        };
        let handled = failpoint::named(&format_args!("{consumer}.{}", short_name(event)), handled);
        match handled.instrument(span_of(consumer, event)).await {
            // The next read of the feed finds out whether it was rewound.
            Ok(AdvanceOutcome::Hole(_) | AdvanceOutcome::Rewound) => HandleOutcome::Hole,
            Ok(AdvanceOutcome::Handled | AdvanceOutcome::Repeat | AdvanceOutcome::Parked) => {
                HandleOutcome::Done
            }
            Err(ReactionError::Conflict) => HandleOutcome::Retry,
            Err(ReactionError::Later(error)) => {
                let error = chain(error.as_ref());
                tracing::warn!(error, consumer, event.event_type, "an event has to wait");
                HandleOutcome::Later
            }
            Err(ReactionError::Failed(error)) => self.count_failure(event, &error).await,
        }
    }

    async fn count_failure(&self, event: &Recorded, error: &BoxError) -> HandleOutcome {
        let Subscription { consumer, source, .. } = self.subscription;
        let event_type = &event.event_type;
        let error = chain(error.as_ref());
        tracing::warn!(error, consumer, event_type, "an event could not be handled");
        let (position, why) = (event.position, error.clone());
        match checkpoint::failed(&self.store, (consumer, source), event, why).await {
            Ok(true) => {
                tracing::error!(error, consumer, event_type, position, "event parked");
                HandleOutcome::Done
            }
            Ok(false) => HandleOutcome::Retry,
            // The database does not answer; the event has no fault.
            Err(_unreachable) => HandleOutcome::Retry,
        }
    }
}

/// An event's name without its package.
fn short_name(event: &Recorded) -> &str {
    event.event_type.rsplit('.').next().unwrap_or_default()
}

fn span_of(consumer: &str, event: &Recorded) -> Span {
    let traceparent = event.metadata.traceparent.as_deref();
    event_span(&format!("{consumer} {}", event.event_type), traceparent)
}

/// The metadata of everything that an event leads to. Called within the event's span.
fn metadata_of(consumer: &str, event: &Recorded) -> Metadata {
    let traceparent = runtime::telemetry::traceparent().or(event.metadata.traceparent.clone());
    Metadata { traceparent, ..Metadata::because_of(event, consumer) }
}
