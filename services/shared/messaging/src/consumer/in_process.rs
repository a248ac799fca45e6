//! A consumer whose source runs in the same process: events are handed over there, and never over
//! NATS.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use eventstore::{Numbered, Store};
use runtime::{BoxError, Shutdown};
use tokio::sync::broadcast::error::RecvError;
use tokio::time::timeout;

use super::{Consumer, POLL_WITHOUT_NATS, Subscription};
use crate::handling::EventHandler;
use crate::in_process::numbered_by;
use crate::nats::Nats;
use crate::reaction::Reaction;
use crate::wire::ReceivedEvent;

/// How often the source is read although nothing was handed over. The relay that numbers its events
/// is in this process, so that none is missed; a copy that was restored is noticed so.
const IDLE_POLL: Duration = Duration::from_secs(5);

/// Takes in events until the process stops: over NATS, or from the source in this process if there
/// is none.
///
/// # Errors
/// Never; it waits for a source that does not answer.
pub async fn run_consumer(
    store: Store,
    nats: Nats,
    subscription: Subscription,
    reaction: Arc<dyn Reaction>,
    shutdown: Shutdown,
) -> Result<(), BoxError> {
    if !nats.is_none() {
        return super::run_consumer(store, nats, subscription, reaction, shutdown).await;
    }
    let handler = EventHandler { store, subscription, reaction };
    let consumer = Consumer { handler, deferred: Mutex::default() };
    tokio::select! {
        () = shutdown.wait() => {}
        () = consumer.in_process() => {}
    }
    Ok(())
}

impl Consumer {
    async fn in_process(&self) {
        // No program of another release runs beside this one, so that once is enough.
        self.take_over().await;
        // What is numbered from here on is handed over, also while the source is read.
        let mut numbered = numbered_by(self.handler.subscription.source);
        let mut is_complete = self.catch_up().await;
        loop {
            if !is_complete {
                tokio::time::sleep(POLL_WITHOUT_NATS).await;
                is_complete = self.catch_up().await;
                continue;
            }
            let due_in = self.deferred().due_in();
            is_complete = match timeout(due_in.unwrap_or(IDLE_POLL), numbered.recv()).await {
                Ok(Ok(events)) => self.handle_new(&mut received(&events)).await,
                Ok(Err(RecvError::Lagged(_))) => self.catch_up().await,
                // The sender is never dropped.
                Ok(Err(RecvError::Closed)) => return,
                Err(_elapsed) if due_in.is_some() => self.handle_deferred().await,
                Err(_elapsed) => {
                    self.deferred().forget_place();
                    self.catch_up().await
                }
            };
        }
    }
}

fn received(events: &[Numbered]) -> Vec<Option<ReceivedEvent>> {
    let one = |Numbered { event, previous }: &Numbered| {
        Some(ReceivedEvent { event: event.clone(), previous: *previous })
    };
    events.iter().map(one).collect()
}
