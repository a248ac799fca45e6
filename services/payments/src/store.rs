//! A collection, read and written under its lock.

use eventstore::Tx;
use kernel::id::Booking;
use kernel::{CommandError, Decider, Id, Timestamp, fold};

use crate::app::Error;
use crate::contract;
use crate::domain::collection::{Collection, CollectionLife, Command, Event, State};
use crate::domain::fact::PaymentId;
use crate::polling::{self, Turn};
use crate::read_model::{inbox, project};
use crate::timers;

/// The collection of a booking under its lock.
#[derive(Debug)]
pub struct OpenCollection {
    booking_id: Id<Booking>,
    version: i64,
    state: State,
    /// The one clock, read under the lock.
    pub now: Timestamp,
}

impl OpenCollection {
    /// Takes the lock and reads the stream.
    ///
    /// # Errors
    /// When the database does not answer or holds an event that cannot be read.
    pub async fn load(tx: &mut Tx, booking_id: Id<Booking>) -> Result<Self, Error> {
        let stream = contract::collection_stream(booking_id);
        tx.lock(std::slice::from_ref(&stream)).await?;
        let loaded = tx.load(&stream).await?;
        let events = loaded
            .events
            .iter()
            .map(contract::read_collection_event)
            .collect::<Result<Vec<_>, _>>()
            .map_err(Error::unavailable)?;
        let state = fold::<CollectionLife>(&events);
        Ok(Self { booking_id, version: loaded.version, state, now: loaded.now })
    }

    /// What is known, once the intent was recorded.
    #[must_use]
    pub fn collection(&self) -> Option<&Collection> {
        match &self.state {
            State::Absent => None,
            State::Open(collection) => Some(collection),
        }
    }

    /// Decides, appends, writes the rows, and sets the timers of what has to be done outside.
    ///
    /// # Errors
    /// Why the collection refuses.
    pub async fn apply(&mut self, tx: &mut Tx, command: Command) -> Result<Vec<Event>, Error> {
        let events = CollectionLife::decide(&self.state, command)
            .map_err(|rejection| CommandError::Rejected(rejection.into()))?;
        if events.is_empty() {
            return Ok(events);
        }
        let mut new = Vec::with_capacity(events.len());
        for event in &events {
            new.push(contract::collection_event(self.booking_id, event)?);
            self.state = CollectionLife::evolve(std::mem::take(&mut self.state), event);
        }
        let stream = contract::collection_stream(self.booking_id);
        self.version = tx.append(&stream, self.version, &new).await?;
        if let State::Open(collection) = &self.state {
            project::collection(tx, collection, self.now).await?;
        }
        for event in &events {
            self.follow(tx, event).await?;
        }
        Ok(events)
    }

    /// Money that counts and that we did not give back: a person has to look at the booking.
    fn alarm(&self, payment: &PaymentId) {
        if self.collection().is_some_and(|it| it.went_back_without_us(payment)) {
            let booking_id = self.booking_id;
            tracing::error!(%booking_id, %payment, "verified money was given back without us");
        }
    }

    /// What an event leaves to do, in the same transaction.
    async fn follow(&self, tx: &mut Tx, event: &Event) -> Result<(), Error> {
        match event {
            Event::OrderCreated { order } => {
                let turn = Turn::first(self.now);
                polling::set(tx, self.booking_id, turn, self.now, None).await?;
                // Who tells of an order before we know it holds this lock while looking for it.
                tx.lock(&[timers::order_lock(order)]).await?;
                for event_id in inbox::waiting_for(tx, order).await? {
                    timers::fold_webhook(tx, &event_id, self.now).await?;
                }
            }
            Event::RefundRequested { refund_id, .. } => {
                timers::ask_refund(tx, *refund_id, self.now).await?;
            }
            Event::Verified { payment, .. } => {
                tracing::info!(booking_id = %self.booking_id, %payment, "money verified");
            }
            Event::Mismatched { payment, reason, .. } => {
                let (booking_id, reason) = (self.booking_id, reason.word());
                tracing::warn!(%booking_id, %payment, reason, "money that does not match");
            }
            Event::RefundFailed { refund_id, reason } => {
                let booking_id = self.booking_id;
                let renewed = self.collection().is_some_and(|it| it.is_renewable(*refund_id));
                tracing::error!(%booking_id, %refund_id, reason, renewed, "a refund failed");
                if renewed {
                    timers::renew_refund(tx, *refund_id, self.now).await?;
                }
            }
            Event::Observed { payment, .. } => self.alarm(&payment.id),
            Event::Opened(_)
            | Event::Claimed
            | Event::Failed { .. }
            | Event::RefundAccepted { .. }
            | Event::RefundProcessed { .. } => {}
        }
        Ok(())
    }
}
