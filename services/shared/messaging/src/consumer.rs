//! A consumer takes in every event of a source's feed, once, in order, whatever the transport does.

pub(crate) mod in_process;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, PullConsumer, pull};
use eventstore::checkpoint::{Delivery, FeedPosition};
use eventstore::{Recorded, Store, checkpoint, consumer_release};
use futures::{FutureExt as _, Stream, StreamExt as _};
use runtime::status::chain;
use runtime::{BoxError, Shutdown, failpoint};
use tokio::time::Instant;
use uuid::Uuid;

use crate::authenticity;
use crate::deferred::Deferred;
use crate::feed::{Page, ReadError};
use crate::handling::{EventHandler, HandleOutcome, Subscription};
use crate::nats::Nats;
use crate::reaction::Reaction;
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
/// How often the own checkpoint is read although this process knows it.
const CHECK_EVERY: Duration = Duration::from_secs(10);
/// How often the source is polled while NATS is away.
const POLL_WITHOUT_NATS: Duration = Duration::from_millis(300);
/// How long to wait before an event whose dependency is missing is tried again.
const DEPENDENCY_RETRY: Duration = Duration::from_secs(1);
/// How long to wait before an event that failed is tried again.
const FAILURE_PAUSE: Duration = Duration::from_millis(300);

struct Consumer {
    handler: EventHandler,
    /// What was received and waits for the next event that leads to something here.
    deferred: Mutex<Deferred>,
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
    let handler = EventHandler { store, subscription, reaction };
    let consumer = Consumer { handler, deferred: Mutex::default() };
    while !shutdown.is_triggered() {
        tokio::select! {
            () = shutdown.wait() => break,
            ended = consumer.over_nats(&nats) => {
                if let Err(error) = ended {
                    tracing::warn!(
                        error, consumer = consumer.handler.subscription.consumer,
                        "events do not come over NATS; reading them from their source",
                    );
                }
            }
        }
        tokio::select! {
            () = shutdown.wait() => break,
            () = tokio::time::sleep(POLL_WITHOUT_NATS) => {}
        }
        // While NATS is away, the source is read again and again, from the checkpoint on.
        if consumer.deferred().due_in().is_some_and(|due_in| due_in.is_zero()) {
            consumer.handle_deferred().await;
        }
        consumer.deferred().forget_place();
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
        let mut checked_at = Instant::now();
        loop {
            let mut messages =
                durable.fetch().max_messages(2 * BATCH_MAX).expires(IDLE_POLL).messages().await?;
            let mut quiet = true;
            while let Some(message) = self.next(&mut messages).await {
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
                failpoint::pass(&format_args!("{}.before-ack", self.handler.subscription.consumer));
                // The checkpoint records what was handled. Acknowledging the last message
                // acknowledges those before it.
                if let Some(last) = batch.last() {
                    let left = last.info().map_or(0, |info| info.pending);
                    self.record_lag((left.try_into().unwrap_or(i64::MAX), None));
                    last.ack().await?;
                }
            }
            if quiet {
                self.handle_deferred().await;
                if checked_at.elapsed() >= CHECK_EVERY {
                    let Subscription { consumer, .. } = self.handler.subscription;
                    if consumer_release::is_behind(&self.handler.store, consumer).await? {
                        self.take_over().await;
                    }
                    // Another process may have moved the checkpoint, or an operator.
                    self.deferred().forget_place();
                    checked_at = Instant::now();
                }
                self.catch_up().await;
            }
        }
    }

    /// Handles messages, or lets them wait if nothing follows from them. Events without a valid
    /// signature are read from the source, once: by then it has all of the batch.
    async fn handle_batch(&self, nats: &Nats, messages: &[Message]) {
        let mut received = authenticity::believed(self.handler.subscription.source, nats, messages);
        if received.iter().all(Option::is_none) {
            self.catch_up().await;
            return;
        }
        self.handle_new(&mut received).await;
    }

    /// Lets new events wait if nothing follows from them, or handles them with those that wait.
    /// Returns whether all of them wait or are handled.
    async fn handle_new(&self, received: &mut Vec<Option<ReceivedEvent>>) -> bool {
        if self.defer(received) {
            return true;
        }
        let mut all = self.deferred().take();
        all.append(received);
        self.handle_received(&all).await
    }

    /// Handles received events in one transaction or, if that fails, one by one. Returns whether
    /// all are handled.
    async fn handle_received(&self, received: &[Option<ReceivedEvent>]) -> bool {
        if self.handle_messages(received).await {
            return true;
        }
        let mut left = received;
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
                        tokio::time::sleep(DEPENDENCY_RETRY).await;
                        return false;
                    }
                    is_read = true;
                    // Most of the rest has been handled meanwhile; one transaction skips it.
                    if self.handle_messages(left).await {
                        return true;
                    }
                }
                HandleOutcome::Later => {
                    tokio::time::sleep(DEPENDENCY_RETRY).await;
                    return false;
                }
            }
        }
        true
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

    async fn handle_together(&self, batch: &[Delivery<'_>]) -> bool {
        let done = self.handler.handle_together(batch).await;
        if let Some((last, _)) = batch.last().filter(|_last| done) {
            self.deferred().handled(last);
        }
        done
    }

    async fn handle_one(&self, event: &Recorded, previous: Option<Uuid>) -> HandleOutcome {
        let outcome = self.handler.handle_one(event, previous).await;
        if outcome == HandleOutcome::Done {
            self.deferred().handled(event);
        }
        outcome
    }

    /// Lets events wait if nothing follows from them here and they follow one another; returns
    /// whether it did.
    fn defer(&self, received: &mut Vec<Option<ReceivedEvent>>) -> bool {
        let is_deferred = self.deferred().defer(self.service(), received);
        if is_deferred {
            self.handler.record_progress();
        }
        is_deferred
    }

    /// Handles what has waited for long enough. Returns whether nothing is left of it.
    async fn handle_deferred(&self) -> bool {
        let deferred = self.deferred().take();
        deferred.is_empty() || self.handle_received(&deferred).await
    }

    /// The next message. What waits is handled meanwhile when its time has come.
    async fn next<M>(&self, messages: &mut (impl Stream<Item = M> + Unpin)) -> Option<M> {
        loop {
            let Some(due_in) = self.deferred().due_in() else { return messages.next().await };
            match tokio::time::timeout(due_in, messages.next()).await {
                Ok(message) => return message,
                Err(_elapsed) => {
                    self.handle_deferred().await;
                }
            }
        }
    }

    fn deferred(&self) -> MutexGuard<'_, Deferred> {
        // A panic in another thread cannot leave it half-written.
        self.deferred.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The service that takes the events in.
    fn service(&self) -> &'static str {
        let consumer = self.handler.subscription.consumer;
        consumer.split_once("-on-").map_or(consumer, |(service, _source)| service)
    }

    async fn pull_consumer(&self, nats: &Nats) -> Result<PullConsumer, BoxError> {
        let Subscription { consumer, source, .. } = &self.handler.subscription;
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
        let Subscription { consumer, source, .. } = self.handler.subscription;
        let release = self.handler.reaction.release();
        match consumer_release::take_over(&self.handler.store, (consumer, source), release).await {
            Ok(None) => {}
            Ok(Some(position)) => {
                self.deferred().take();
                tracing::warn!(consumer, source, again_from = position, "events are read again");
            }
            Err(error) => tracing::warn!(%error, consumer, "what was passed over is not known"),
        }
    }

    /// Reads events from the source until there are no newer ones. Gives up when the source or the
    /// own database does not answer; the caller tries again. Returns whether nothing is left.
    async fn catch_up(&self) -> bool {
        let Subscription { consumer, source, feed, .. } = &self.handler.subscription;
        loop {
            let waiting = self.deferred().place();
            let place = match waiting {
                Some(place) => Ok(place),
                None => checkpoint::feed_position(&self.handler.store, consumer, source).await,
            };
            let place = match place {
                Ok(place) => place,
                Err(error) => {
                    tracing::warn!(%error, consumer, "the own checkpoint could not be read");
                    return false;
                }
            };
            let events = match feed.read(place).await {
                Ok(Page { events, .. }) if events.is_empty() => {
                    self.deferred().reached(place);
                    self.handler.record_progress();
                    self.record_lag((0, None));
                    return true;
                }
                Ok(Page { events, last_position }) => {
                    let waited = self.age_of(events.first()).await;
                    self.record_lag((last_position - place.position, waited));
                    events
                }
                Err(ReadError::Rewound) if waiting.is_some() => {
                    self.deferred().take();
                    continue;
                }
                Err(ReadError::Rewound) if self.rewind(place).await => continue,
                Err(error) => {
                    let error = chain(&error);
                    tracing::warn!(error, consumer, "the source's feed could not be read");
                    self.handler.record_stall(place.position + 1);
                    return false;
                }
            };
            match self.handle_fetched(events).await {
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
    async fn handle_fetched(&self, events: Vec<Recorded>) -> HandleOutcome {
        let unnamed = |event| Some(ReceivedEvent { event, previous: None });
        let mut received: Vec<_> = events.into_iter().map(unnamed).collect();
        if self.defer(&mut received) {
            return HandleOutcome::Done;
        }
        let mut all = self.deferred().take();
        all.append(&mut received);
        for some in all.chunks(BATCH_MAX) {
            if self.handle_messages(some).await {
                continue;
            }
            for ReceivedEvent { event, previous } in some.iter().flatten() {
                match self.handle_one(event, *previous).await {
                    HandleOutcome::Done => {}
                    HandleOutcome::Hole => {
                        // The feed has a hole or was rewound; the next read tells which.
                        self.handler.record_stall(event.position);
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
        let Subscription { consumer, source, .. } = self.handler.subscription;
        let Some(to) = self.last_common(from).await else { return false };
        tracing::error!(
            consumer,
            source,
            position = from.position,
            again_from = to.position,
            "the source was restored from an older copy; its events are taken in again",
        );
        let moved = checkpoint::rewind(&self.handler.store, (consumer, source), (from, to)).await;
        if let Err(error) = &moved {
            tracing::warn!(%error, consumer, "the checkpoint could not be put back");
        }
        moved.is_ok()
    }

    /// The last place before `from` that the feed still has; its beginning when there is none.
    /// `None` when the source or the database does not answer.
    async fn last_common(&self, from: FeedPosition) -> Option<FeedPosition> {
        let Subscription { consumer, source, feed, .. } = &self.handler.subscription;
        let marks = checkpoint::marks(&self.handler.store, (consumer, source), from).await.ok()?;
        for mark in marks {
            match feed.read(mark).await {
                Ok(_page) => return Some(mark),
                Err(ReadError::Rewound) => {}
                Err(ReadError::Unavailable(_)) => return None,
            }
        }
        Some(FeedPosition::default())
    }

    /// How long an event has waited by the database's clock.
    async fn age_of(&self, oldest: Option<&Recorded>) -> Option<Duration> {
        let now = self.handler.store.now().await.ok()?;
        let seconds = now.seconds_since(oldest?.recorded_at);
        Some(Duration::from_secs(seconds.try_into().unwrap_or_default()))
    }

    /// Records how many events are left, and how long the oldest has waited if that is known.
    fn record_lag(&self, (events, waited): (i64, Option<Duration>)) {
        let Subscription { consumer, source, consumer_health, .. } = &self.handler.subscription;
        if let Some(since) = consumer_health.record_lag(consumer, (events, waited)) {
            let seconds = since.as_secs();
            tracing::error!(consumer, source, events, seconds, "a consumer stays behind");
        }
    }
}
