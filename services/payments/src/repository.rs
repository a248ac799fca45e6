//! Loads a collection for update under its lock, and writes its events and rows.

use eventstore::{Store, StoreError, Tx, id_of, new_id};
use kernel::id::{Booking, Refund as RefundKind};
use kernel::{CommandError, Decider, Id, Timestamp, fold};

use crate::contract;
use crate::domain::collection::{
    Collection, CollectionLife, Command, Effect, Event, State, effects,
};
use crate::domain::dispute::Dispute;
use crate::domain::fact::{OrderId, PaymentId};
use crate::domain::ledger::Books;
use crate::domain::refund::{LOST_TO_A_DISPUTE, OVERTAKEN};
use crate::error::Error;
use crate::read_model::{inbox, project, query, receipts, unowned_disputes};
use crate::timers::kinds;
use crate::timers::polling::{self, Bounds, PollSchedule};
use crate::timers::sold_orders;

pub mod call_pace;
pub mod leases;
pub mod posting;
pub mod refund_requests;
pub mod timers;

/// The collection of a booking, locked until the transaction ends.
#[derive(Debug)]
pub struct LockedCollection {
    booking_id: Id<Booking>,
    version: i64,
    state: State,
    books: Books,
    /// The one clock, read under the lock.
    pub now: Timestamp,
    /// Until when the booking's time is held, where webhooks are heard: then a new order is polled
    /// later at first.
    pub unhurried_until: Option<Timestamp>,
}

impl LockedCollection {
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
            .map_err(StoreError::from)?;
        let state = fold::<CollectionLife>(&events);
        let books = Books::of(&events);
        let (version, now) = (loaded.version, loaded.now);
        Ok(Self { booking_id, version, state, books, now, unhurried_until: None })
    }

    /// What it pays for.
    #[must_use]
    pub fn booking_id(&self) -> Id<Booking> {
        self.booking_id
    }

    /// What is known, once the intent was recorded.
    #[must_use]
    pub fn collection(&self) -> Option<&Collection> {
        match &self.state {
            State::Absent => None,
            State::Open(collection) => Some(collection),
        }
    }

    /// What is known at this moment, without a lock.
    ///
    /// # Errors
    /// When the database does not answer or holds an event that cannot be read.
    pub async fn peek(store: &Store, booking_id: Id<Booking>) -> Result<State, Error> {
        let stored = store.load(&contract::collection_stream(booking_id)).await?;
        let events = stored.iter().map(contract::read_collection_event);
        let events = events.collect::<Result<Vec<_>, _>>().map_err(StoreError::from)?;
        Ok(fold::<CollectionLife>(&events))
    }

    /// The id of a refund, derived from the strings that name its cause. The same strings give the
    /// same id, so that a decision repeated after a lost commit is the same refund for the provider
    /// too; unless the collection already has a refund with that id.
    #[must_use]
    pub fn refund_id(&self, words: &[&str]) -> Id<RefundKind> {
        let booking = self.booking_id.to_string();
        let words: Vec<&str> =
            std::iter::once(booking.as_str()).chain(words.iter().copied()).collect();
        let id = id_of(&words);
        let is_used = self.collection().is_some_and(|known| known.refunds.contains_key(&id));
        if is_used { new_id() } else { id }
    }

    /// Decides, appends the events, writes the rows, and sets the timers of calls to the provider.
    ///
    /// # Errors
    /// Why the collection rejects the command.
    pub async fn apply(&mut self, tx: &mut Tx, command: Command) -> Result<Vec<Event>, Error> {
        let (events, identified) = self.apply_one(tx, command).await?;
        // What disputes did while the owner of these payments was not known.
        for payment in &identified {
            for known in unowned_disputes::of_payment(tx, payment).await? {
                self.apply_one(tx, Command::ObserveDispute(known.dispute)).await?;
            }
        }
        Ok(events)
    }

    /// The same; also returns the payments that were of an unknown owner until now.
    async fn apply_one(
        &mut self,
        tx: &mut Tx,
        command: Command,
    ) -> Result<(Vec<Event>, Vec<PaymentId>), Error> {
        let events = CollectionLife::decide(&self.state, command)
            .map_err(|rejection| CommandError::Rejected(rejection.into()))?;
        if events.is_empty() {
            return Ok((events, Vec::new()));
        }
        let was_undecided = self.has_undecided();
        let mut new = Vec::with_capacity(events.len());
        let known = self.collection();
        let provider = known.map(|known| known.provider.clone()).unwrap_or_default();
        for event in &events {
            self.state = CollectionLife::evolve(std::mem::take(&mut self.state), event);
        }
        let after = self.collection();
        for event in &events {
            new.push(contract::collection_event(self.booking_id, &provider, event, after)?);
        }
        let stream = contract::collection_stream(self.booking_id);
        self.version = tx.append(&stream, self.version, &new).await?;
        if let State::Open(collection) = &self.state {
            project::collection(tx, collection, self.now).await?;
        }
        let entries = self.books.enter(&events);
        let identified = posting::post(tx, Some(self.booking_id), &entries).await?;
        events.iter().for_each(|event| self.log(event));
        let follow = |known| effects(was_undecided, known, &events);
        for effect in self.collection().map(follow).unwrap_or_default() {
            self.carry_out(tx, effect).await?;
        }
        Ok((events, identified))
    }

    fn has_undecided(&self) -> bool {
        self.collection().is_some_and(|known| known.undecided().next().is_some())
    }

    async fn restart_polling(
        &self,
        tx: &mut Tx,
        held_until: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        let payable_until = self.collection().and_then(Collection::payable_until);
        let schedule = match held_until {
            Some(_) => PollSchedule::unhurried(self.now),
            None => PollSchedule::first(self.now),
        };
        let bounds = Bounds { held_until, payable_until };
        polling::set(tx, self.booking_id, schedule, self.now, bounds).await
    }

    /// Schedules the webhooks that wait for an order that is ours. One that is about to wait for it
    /// holds the same lock while it looks for the order.
    async fn fold_waiting(&self, tx: &mut Tx, order: &OrderId) -> Result<(), StoreError> {
        tx.lock(&[kinds::order_lock(order)]).await?;
        for event_id in inbox::waiting_for(tx, order).await? {
            kinds::schedule_fold(tx, &event_id, self.now).await?;
        }
        Ok(())
    }

    /// Logs that verified money was refunded without us: an error while the booking is live,
    /// because a person has to look at it, else a warning.
    async fn report_return(&self, tx: &mut Tx, payment: &PaymentId) -> Result<(), Error> {
        let booking_id = self.booking_id;
        if query::booking_state(tx.connection(), booking_id).await?.is_live() {
            tracing::error!(%booking_id, %payment, "verified money was given back without us");
        } else {
            tracing::warn!(%booking_id, %payment, "money was given back without us");
        }
        Ok(())
    }

    /// Schedules the tax documents that follow a receipt voucher. A timer issues them, because the
    /// lock of their numbers has to be acquired last.
    async fn schedule_papers(&self, tx: &mut Tx) -> Result<(), StoreError> {
        if receipts::has_voucher(tx.connection(), self.booking_id).await? {
            kinds::schedule_receipt(tx, self.booking_id, self.now).await?;
        }
        Ok(())
    }

    /// Carries out what follows from the events of a decision, in its transaction.
    async fn carry_out(&self, tx: &mut Tx, effect: Effect) -> Result<(), Error> {
        let (booking_id, now) = (self.booking_id, self.now);
        match effect {
            Effect::RestartPolling => self.restart_polling(tx, None).await?,
            Effect::BeginPolling => self.restart_polling(tx, self.unhurried_until).await?,
            Effect::FoldWaiting(order) => self.fold_waiting(tx, &order).await?,
            Effect::RecheckSoldOrder => sold_orders::begin(tx, booking_id, now).await?,
            Effect::RequestRefund(id) => kinds::schedule_refund(tx, id, now).await?,
            Effect::PollRefund(id) => kinds::schedule_refund_poll(tx, id, 1, now).await?,
            Effect::EndRefund(id) => kinds::end_refund(tx, id).await?,
            Effect::RenewRefund(failed) => kinds::schedule_renewal(tx, failed, now).await?,
            Effect::CloseLink(id) => kinds::schedule_close_link(tx, id, now).await?,
            Effect::EndCloseLink(id) => kinds::end_close_link(tx, id).await?,
            Effect::ExpectWebhook(payment) => {
                if !inbox::has_reported(tx.connection(), &payment).await? {
                    kinds::expect_webhook(tx, &payment, now).await?;
                }
            }
            Effect::ReportReturn(payment) => self.report_return(tx, &payment).await?,
            Effect::IssuePapers => self.schedule_papers(tx).await?,
        }
        Ok(())
    }

    /// Logs what a person has to look at.
    fn log(&self, event: &Event) {
        let booking_id = self.booking_id;
        match event {
            Event::Verified { payment, .. } => {
                tracing::info!(%booking_id, %payment, "money verified");
            }
            Event::Mismatched { payment, reason, .. } => {
                let reason = reason.word();
                tracing::error!(%booking_id, %payment, reason, "money that does not match");
            }
            Event::RefundFailed { refund_id, reason } => {
                let renewed = self.collection().is_some_and(|it| it.is_renewable(*refund_id));
                if [OVERTAKEN, LOST_TO_A_DISPUTE].contains(&reason.as_str()) {
                    tracing::warn!(%booking_id, %refund_id, reason, "a refund was overtaken");
                } else {
                    tracing::error!(%booking_id, %refund_id, reason, renewed, "a refund failed");
                }
            }
            Event::DisputeObserved(Dispute { payment, fact, .. }) => {
                let state = fact.state.word();
                tracing::error!(%booking_id, %payment, state, "a payment is disputed");
            }
            _ => {}
        }
    }
}
