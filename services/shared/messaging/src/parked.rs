//! Parked events: those that a service's consumers could not handle, and how to retry them.

use std::collections::BTreeSet;
use std::sync::Arc;

use contract::common::v1::ParkedEvent;
use eventstore::{Metadata, Parked, Store, StoreError, checkpoint, consumer_release};
use runtime::status::chain;

use crate::reaction::{Reaction, ReactionError, take_in};

/// A consumer: its name, the source of its events, and its reaction.
type RegisteredConsumer = (&'static str, &'static str, Arc<dyn Reaction>);

/// The parked events of a service. Cloning it shares the reactions.
#[derive(Clone)]
pub struct ParkedEvents {
    store: Store,
    consumers: Vec<RegisteredConsumer>,
}

impl std::fmt::Debug for ParkedEvents {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.consumers.iter().map(|(consumer, ..)| consumer);
        f.debug_list().entries(names).finish()
    }
}

impl ParkedEvents {
    /// For a service without consumers.
    #[must_use]
    pub fn new(store: Store) -> Self {
        Self { store, consumers: Vec::new() }
    }

    /// Adds the consumer `consumer`, which takes in the events of `source`.
    #[must_use]
    pub fn consumer(
        mut self,
        consumer: &'static str,
        source: &'static str,
        reaction: Arc<dyn Reaction>,
    ) -> Self {
        self.consumers.push((consumer, source, reaction));
        self
    }

    /// All parked events, by consumer, oldest first.
    pub async fn list(&self) -> Result<Vec<ParkedEvent>, StoreError> {
        let mut all = Vec::new();
        for (consumer, source, _) in &self.consumers {
            let parked = checkpoint::parked(&self.store, consumer, source).await?;
            all.extend(parked.into_iter().map(|parked| to_wire(consumer, source, parked)));
        }
        Ok(all)
    }

    /// Retries the parked events of one stream, or of all when `stream_id` is empty, each in a
    /// transaction that also removes it. When one fails again, the later ones of its stream stay
    /// parked. Returns how many were handled.
    pub async fn retry(&self, stream_id: &str) -> Result<usize, StoreError> {
        let mut handled = 0;
        for known in &self.consumers {
            let mut stuck = BTreeSet::new();
            // Repeated until nothing new is found: an event may have been parked behind another one
            // after the list was read and before that one was removed.
            loop {
                let more = self.retry_all(known, stream_id, &mut stuck).await?;
                handled += more;
                if more == 0 {
                    break;
                }
            }
        }
        Ok(handled)
    }

    /// Retries what a consumer has parked now, except for streams in which one has failed.
    async fn retry_all(
        &self,
        (consumer, source, reaction): &RegisteredConsumer,
        stream_id: &str,
        stuck: &mut BTreeSet<String>,
    ) -> Result<usize, StoreError> {
        let mut handled = 0;
        for Parked { event, .. } in checkpoint::parked(&self.store, consumer, source).await? {
            let wanted = stream_id.is_empty() || event.stream_id == stream_id;
            if !wanted || stuck.contains(&event.stream_id) {
                continue;
            }
            let position = event.position;
            match self.retry_one((consumer, source), reaction, event.clone()).await {
                Ok(true) => handled += 1,
                // Another caller has handled it meanwhile.
                Ok(false) => {}
                Err(error) => {
                    let error = match &error {
                        ReactionError::Failed(source) => chain(source.as_ref()),
                        other => chain(other),
                    };
                    tracing::warn!(error, consumer, position, "a parked event failed again");
                    let known = (*consumer, *source);
                    checkpoint::failed_again(&self.store, known, position, &error).await?;
                    stuck.insert(event.stream_id);
                }
            }
        }
        Ok(handled)
    }

    async fn retry_one(
        &self,
        (consumer, source): (&'static str, &'static str),
        reaction: &Arc<dyn Reaction>,
        event: eventstore::Recorded,
    ) -> Result<bool, ReactionError> {
        let reaction = Arc::clone(reaction);
        let metadata = Metadata::because_of(&event, consumer);
        self.store
            .write(metadata, move |tx| {
                let (reaction, event) = (Arc::clone(&reaction), event.clone());
                Box::pin(async move {
                    let known = (consumer, source);
                    consumer_release::declare(tx, reaction.release()).await?;
                    let is_ours = checkpoint::unpark(tx, known, event.position).await?;
                    if is_ours {
                        take_in(reaction.as_ref(), tx, (source, &event)).await?;
                    }
                    Ok::<bool, ReactionError>(is_ours)
                })
            })
            .await
    }
}

fn to_wire(consumer: &str, source: &str, parked: Parked) -> ParkedEvent {
    ParkedEvent {
        consumer: consumer.to_owned(),
        source: source.to_owned(),
        position: parked.event.position,
        event_type: parked.event.event_type,
        stream_id: parked.event.stream_id,
        error: parked.error,
        parked_at: Some(contract::convert::to_wire(parked.parked_at)),
    }
}
