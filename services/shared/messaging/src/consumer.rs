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
/// After how long a silence of NATS the source is polled. A gap is seen by the number of the next
/// event; when the last event was lost, no next one comes.
const IDLE_POLL: Duration = Duration::from_secs(2);
/// How often the source is polled while NATS is away.
const POLL_WITHOUT_NATS: Duration = Duration::from_millis(300);
/// How long to wait until a dependency of an event is there.
const DEPENDENCY_RETRY: Duration = Duration::from_secs(1);
/// The lock timeout of a batch. A batch takes locks in the order of its events, and requests take
/// them in the order of names, so each may hold what the other needs. On timeout the batch is
/// rolled back, and its events are handled one by one.
const BATCH_LOCK_TIMEOUT: &str = "100ms";
/// How long to wait before an event that failed is tried again.
const FAILURE_PAUSE: Duration = Duration::from_millis(300);

/// What a consumer is called and whose events it takes in.
#[derive(Debug, Clone)]
pub struct Subscription {
    /// `<service>-on-<source>`, for example `notifications-on-booking`.
    pub consumer: &'static str,
    /// The service whose feed it is.
    pub source: &'static str,
    /// How that feed is read.
    pub feed: FeedReader,
    /// Where this process keeps how far its consumers are behind, and how long they stand still.
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
/// Never; whatever does not answer is waited for.
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
    /// Catches up, then takes in what NATS brings until it fails. The source is asked in any case:
    /// this function is called again and again while NATS is away.
    async fn over_nats(&self, nats: &Nats) -> Result<(), BoxError> {
        self.take_over().await;
        self.catch_up().await;
        let durable = self.pull_consumer(nats).await?;
        // What was published before the durable consumer existed never comes over it.
        self.catch_up().await;
        let mut last_run: Option<(Instant, usize)> = None;
        loop {
            let mut messages =
                durable.fetch().max_messages(2 * BATCH_MAX).expires(IDLE_POLL).messages().await?;
            let mut quiet = true;
            while let Some(message) = messages.next().await {
                quiet = false;
                let mut batch = vec![message?];
                if last_run
                    .is_some_and(|(at, many)| at.elapsed() < BATCH_WINDOW || many >= BATCH_TRIGGER)
                {
                    tokio::time::sleep(LINGER).await;
                }
                // Whatever has come meanwhile is taken in with it.
                while batch.len() < BATCH_MAX
                    && let Some(Some(message)) = messages.next().now_or_never()
                {
                    batch.push(message?);
                }
                self.handle_batch(nats, &batch).await;
                last_run = Some((Instant::now(), batch.len()));
                failpoint::pass(&format_args!("{}.before-ack", self.subscription.consumer));
                // Our own table knows what was handled; the messages have done their work anyway.
                // The last one speaks for those before it.
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

    /// Takes messages in, one after the other where they cannot be taken together. What cannot be
    /// believed is read from its source: once, because by then the source has all of a batch.
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
                    // What one event has to wait for, those behind it wait for too.
                    if !self.catch_up().await {
                        return tokio::time::sleep(DEPENDENCY_RETRY).await;
                    }
                    is_read = true;
                    // By then another process of this service, or the source, has brought most of
                    // the rest, which is passed over in one transaction.
                    if self.handle_messages(left).await {
                        return;
                    }
                }
                HandleOutcome::Later => return tokio::time::sleep(DEPENDENCY_RETRY).await,
            }
        }
    }

    /// Takes messages in together, if all of them can be read; whether it did.
    async fn handle_messages(&self, received: &[Option<ReceivedEvent>]) -> bool {
        let run: Option<Vec<Delivery<'_>>> =
            received.iter().map(|one| one.as_ref().map(|one| (&one.event, one.previous))).collect();
        match run {
            Some(run) => self.handle_together(&run).await,
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
        // How messages are acknowledged cannot be changed in a consumer that is there.
        stream.delete_consumer(consumer).await?;
        Ok(stream.create_consumer(config).await?)
    }

    /// Goes back to where a program of an older release took events in, if one did.
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

    /// Reads what is missing from the source until nothing is newer. It gives up when the source or
    /// the own database does not answer; the caller comes back. Returns whether nothing is left.
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
                // The caller comes back after a while.
                HandleOutcome::Later => return false,
                HandleOutcome::Hole | HandleOutcome::Retry => {
                    tokio::time::sleep(FAILURE_PAUSE).await;
                }
            }
        }
    }

    /// Takes events of the source's feed in, up to the first that is not.
    async fn handle_fetched(&self, events: &[Recorded]) -> HandleOutcome {
        for some in events.chunks(BATCH_MAX) {
            let run: Vec<Delivery<'_>> = some.iter().map(|event| (event, None)).collect();
            if self.handle_together(&run).await {
                continue;
            }
            for event in some {
                match self.handle_one(event, None).await {
                    HandleOutcome::Done => {}
                    HandleOutcome::Hole => {
                        // The feed itself has one, or was rewound, which the next look shows.
                        self.record_stall(event.position);
                        return HandleOutcome::Hole;
                    }
                    other => return other,
                }
            }
        }
        HandleOutcome::Done
    }

    /// Reads a feed on from the last place that it still has, because it was restored from an older
    /// copy: its later positions stand for other events now. Returns whether that can begin.
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
    /// `None` when that cannot be found out now.
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

    /// Handles a run of events in one transaction, which moves the checkpoint over all of them: a
    /// commit for each is most of what events cost that change nothing. Returns whether it did; a
    /// run in which anything is particular is left to [`Self::handle_one`], and changes nothing.
    async fn handle_together(&self, run: &[Delivery<'_>]) -> bool {
        let [(first, _), _, ..] = run else { return false };
        let Subscription { consumer, source, .. } = self.subscription;
        let name = |event: &Recorded| format!("{consumer}.{}", short_name(event));
        let owned: Arc<[(Recorded, Option<Uuid>)]> =
            run.iter().map(|(event, previous)| ((*event).clone(), *previous)).collect();
        let reaction = Arc::clone(&self.reaction);
        let handled = self.store.write(Metadata::by(consumer, None), move |tx| {
            let (reaction, owned) = (Arc::clone(&reaction), Arc::clone(&owned));
            Box::pin(async move {
                let run: Vec<Delivery<'_>> = owned.iter().map(|(event, it)| (event, *it)).collect();
                consumer_release::declare(tx, reaction.release()).await?;
                let skipped = checkpoint::advance_over(tx, (consumer, source), &run).await?;
                let Some(skipped) = skipped else { return Ok(false) };
                if skipped < run.len() {
                    tx.set("lock_timeout", BATCH_LOCK_TIMEOUT).await?;
                }
                for (event, _previous) in run.into_iter().skip(skipped) {
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
                for (event, _previous) in run.iter().filter(|_event| done) {
                    failpoint::pass(&format_args!("{}.after-commit", name(event)));
                }
                done
            }
            // What is wrong with which of them shows when they are taken one by one.
            Err(error) => {
                tracing::debug!(error = chain(&error), consumer, "a run has to be taken apart");
                false
            }
        }
    }

    /// Handles one event, and keeps count of how long the consumer stands before it.
    async fn handle_one(&self, event: &Recorded, previous: Option<Uuid>) -> HandleOutcome {
        let outcome = self.handle_in_transaction(event, previous).await;
        match outcome {
            HandleOutcome::Done => self.record_progress(),
            HandleOutcome::Retry | HandleOutcome::Later => self.record_stall(event.position),
            // What is missing is read first.
            HandleOutcome::Hole => {}
        }
        outcome
    }

    fn record_progress(&self) {
        self.subscription.consumer_health.advanced(self.subscription.consumer);
    }

    /// How long an event has waited by the one clock.
    async fn age_of(&self, oldest: Option<&Recorded>) -> Option<Duration> {
        let now = self.store.now().await.ok()?;
        let seconds = now.seconds_since(oldest?.recorded_at);
        Some(Duration::from_secs(seconds.try_into().unwrap_or_default()))
    }

    /// So many events are left to take in; the oldest has waited so long, where that is known.
    fn record_lag(&self, (events, waited): (i64, Option<Duration>)) {
        let Subscription { consumer, source, consumer_health, .. } = &self.subscription;
        if let Some(since) = consumer_health.record_lag(consumer, (events, waited)) {
            let seconds = since.as_secs();
            tracing::error!(consumer, source, events, seconds, "a consumer stays behind");
        }
    }

    /// It could not go on to this position. What waits so for some minutes is told as an error:
    /// behind it everything stands still.
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
            // What was rewound is found by reading on.
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
            // When the database is away nothing was counted, and nothing is wrong with the event.
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

/// What is kept beside whatever an event leads to; asked within the event's span.
fn metadata_of(consumer: &str, event: &Recorded) -> Metadata {
    let traceparent = runtime::telemetry::traceparent().or(event.metadata.traceparent.clone());
    Metadata { traceparent, ..Metadata::because_of(event, consumer) }
}
