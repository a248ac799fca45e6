//! Events are handled in the transaction that moves the checkpoint: several together or one alone.

use std::sync::Arc;

use eventstore::checkpoint::Delivery;
use eventstore::{AdvanceOutcome, Metadata, Recorded, Store, checkpoint, consumer_release};
use runtime::status::chain;
use runtime::telemetry::event_span;
use runtime::{BoxError, failpoint};
use tokio::time::Instant;
use tracing::{Instrument as _, Span};
use uuid::Uuid;

use crate::consumer_health::ConsumerHealth;
use crate::feed::FeedReader;
use crate::reaction::{Reaction, ReactionError, take_in};

/// The lock timeout of a batch. A batch takes locks in the order of its events and requests take
/// them in the order of names, so the two can block each other. On timeout the batch is rolled
/// back, and its events are handled one by one.
const BATCH_LOCK_TIMEOUT: &str = "100ms";

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
pub(crate) enum HandleOutcome {
    Done,
    Hole,
    Retry,
    Later,
}

/// What handles the events of a subscription.
pub(crate) struct EventHandler {
    pub(crate) store: Store,
    pub(crate) subscription: Subscription,
    pub(crate) reaction: Arc<dyn Reaction>,
}

impl EventHandler {
    /// Handles a batch of events in one transaction, because most events change nothing and a
    /// commit for each would be most of their cost. Returns whether it did. A batch with a hole, a
    /// failure or a parked stream changes nothing; its events are left to [`Self::handle_one`].
    pub(crate) async fn handle_together(&self, batch: &[Delivery<'_>]) -> bool {
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
    pub(crate) async fn handle_one(
        &self,
        event: &Recorded,
        previous: Option<Uuid>,
    ) -> HandleOutcome {
        let outcome = self.handle_in_transaction(event, previous).await;
        match outcome {
            HandleOutcome::Done => self.record_progress(),
            HandleOutcome::Retry | HandleOutcome::Later => self.record_stall(event.position),
            // The missing events are read first.
            HandleOutcome::Hole => {}
        }
        outcome
    }

    /// Records that the consumer goes on.
    pub(crate) fn record_progress(&self) {
        self.subscription.consumer_health.advanced(self.subscription.consumer);
    }

    /// Records that the event at this position could not be handled; after some minutes as an
    /// error.
    pub(crate) fn record_stall(&self, position: i64) {
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
