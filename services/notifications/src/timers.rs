//! What a timer does when it is due: it sends a mail, erases what a visitor typed, or queues the
//! daily sheet.

pub mod kinds;
pub mod day_sheet;
pub mod maintenance;

use std::sync::Arc;

use eventstore::{Store, Timer, TimerHandler};
use futures::future::BoxFuture;
use practice::Practice;
use runtime::BoxError;

use crate::delivery::DeliveryWorker;
use crate::delivery::message_builder::MessageBuilder;
use crate::retention;
use crate::timers::kinds::{DAY_SHEET, ERASE_GUIDE_REQUEST, ERASE_MESSAGE, SEND_MAIL};

/// The timers of this service.
#[derive(Debug, Clone)]
pub struct Timers {
    store: Store,
    practice: Arc<Practice>,
    worker: Arc<DeliveryWorker>,
}

impl Timers {
    /// The timers of a practice, whose mails `worker` sends.
    #[must_use]
    pub fn new(store: Store, practice: Practice, worker: DeliveryWorker) -> Self {
        Self { store, practice: Arc::new(practice), worker: Arc::new(worker) }
    }

    /// The same for another revision of the practice's files. What is on its way stays known.
    #[must_use]
    pub fn after(&self, practice: Practice, message_builder: MessageBuilder) -> Self {
        let worker = Arc::new(self.worker.after(message_builder));
        Self { store: self.store.clone(), practice: Arc::new(practice), worker }
    }

    /// The practice's file.
    #[must_use]
    pub fn practice(&self) -> &Arc<Practice> {
        &self.practice
    }

    /// Waits for the mails in flight, after timers have stopped firing. Bounded, so that the
    /// process stops in time.
    pub async fn drain(&self) {
        self.worker.drain().await;
    }
}

impl TimerHandler for Timers {
    fn fire(&self, timer: Timer) -> BoxFuture<'_, Result<(), BoxError>> {
        Box::pin(async move {
            match timer.kind.as_str() {
                SEND_MAIL => Arc::clone(&self.worker).process_timer(timer).await,
                ERASE_MESSAGE | ERASE_GUIDE_REQUEST => retention::erase(&self.store, timer).await,
                DAY_SHEET => {
                    Ok(day_sheet::fire(&self.store, &self.practice, timer.metadata).await?)
                }
                unknown => Err(format!("there is no timer {unknown}").into()),
            }
        })
    }
}
