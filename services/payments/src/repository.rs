//! Loads a collection for update under its lock, and writes its events and rows.

use eventstore::{StoreError, Tx, id_of, new_id};
use kernel::id::{Booking, PaymentLink, Refund as RefundKind};
use kernel::{CommandError, Decider, Id, Timestamp, fold};

use crate::contract;
use crate::domain::collection::{Collection, CollectionLife, Command, Event, LinkChange, State};
use crate::domain::dispute::Dispute;
use crate::domain::fact::{OrderId, Payment, PaymentId, Source, Status};
use crate::domain::ledger::Books;
use crate::domain::link::Link;
use crate::domain::refund::{LOST_TO_A_DISPUTE, OVERTAKEN};
use crate::error::Error;
use crate::read_model::{inbox, project, query, receipts, unowned_disputes};
use crate::timers::kinds;
use crate::timers::polling::{self, Bounds, PollSchedule};
use crate::timers::sold_orders;

pub mod call_pace;
pub mod leases;
pub mod posting;
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
        Ok(Self { booking_id, version: loaded.version, state, books, now: loaded.now })
    }

    /// What is known, once the intent was recorded.
    #[must_use]
    pub fn collection(&self) -> Option<&Collection> {
        match &self.state {
            State::Absent => None,
            State::Open(collection) => Some(collection),
        }
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
        for event in &events {
            self.schedule_follow_ups(tx, event).await?;
        }
        if self.has_undecided() && !was_undecided {
            // The order is polled together with its payments.
            self.restart_polling(tx).await?;
        }
        Ok((events, identified))
    }

    /// Whether a refund ended in the append in which it was requested.
    fn is_ended(&self, refund_id: Id<RefundKind>) -> bool {
        let refund = self.collection().and_then(|known| known.refunds.get(&refund_id));
        refund.is_some_and(|refund| refund.end.is_some())
    }

    fn is_at_desk(&self, payment: &PaymentId) -> bool {
        self.collection().is_some_and(|known| known.is_at_desk(payment))
    }

    fn has_undecided(&self) -> bool {
        self.collection().is_some_and(|known| known.undecided().next().is_some())
    }

    async fn restart_polling(&self, tx: &mut Tx) -> Result<(), StoreError> {
        let payable_until = self.collection().and_then(Collection::payable_until);
        let bounds = Bounds { held_until: None, payable_until };
        let schedule = PollSchedule::first(self.now);
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

    /// Schedules what follows for a payment link.
    async fn follow_link(
        &self,
        tx: &mut Tx,
        link_id: Id<PaymentLink>,
        change: &LinkChange,
    ) -> Result<(), Error> {
        let link = self.collection().and_then(|known| known.links.get(&link_id));
        let is_over = link.is_none_or(Link::is_over);
        match change {
            LinkChange::Opened { .. } => {}
            LinkChange::Created { .. } => {
                self.restart_polling(tx).await?;
                // Its creation was answered after it had been withdrawn.
                if link.is_some_and(|link| link.withdrawn.is_some()) {
                    kinds::schedule_close_link(tx, link_id, self.now).await?;
                }
            }
            LinkChange::Observed { fact, .. } => {
                if let Some(order) = &fact.order {
                    self.fold_waiting(tx, order).await?;
                }
                if is_over {
                    kinds::end_close_link(tx, link_id).await?;
                }
            }
            LinkChange::Withdrawn(_) => kinds::schedule_close_link(tx, link_id, self.now).await?,
            LinkChange::Absent => kinds::end_close_link(tx, link_id).await?,
        }
        Ok(())
    }

    /// Logs that verified money was refunded without us: an error while the booking is live,
    /// because a person has to look at it, else a warning.
    async fn alarm_on_external_refund(
        &self,
        tx: &mut Tx,
        payment: &PaymentId,
    ) -> Result<(), Error> {
        if self.collection().is_some_and(|it| it.went_back_without_us(payment)) {
            let booking_id = self.booking_id;
            if query::booking_state(tx.connection(), booking_id).await?.is_live() {
                tracing::error!(%booking_id, %payment, "verified money was given back without us");
            } else {
                tracing::warn!(%booking_id, %payment, "money was given back without us");
            }
        }
        Ok(())
    }

    /// Sets a timer that reports a missing webhook of a captured payment that was found by polling.
    async fn expect_webhook(&self, tx: &mut Tx, payment: &Payment) -> Result<(), Error> {
        if payment.fact.status == Status::Captured
            && !inbox::has_reported(tx.connection(), &payment.id).await?
        {
            kinds::expect_webhook(tx, &payment.id, self.now).await?;
        }
        Ok(())
    }

    /// Logs a dispute as an error, because a person has to answer it. Refunds that waited for its
    /// end are requested at once.
    async fn handle_dispute(&self, tx: &mut Tx, dispute: &Dispute) -> Result<(), Error> {
        let (booking_id, payment, state) = (self.booking_id, &dispute.payment, dispute.fact.state);
        tracing::error!(%booking_id, %payment, state = state.word(), "a payment is disputed");
        if state.is_open() {
            return Ok(());
        }
        let refunds = self.collection().into_iter().flat_map(|it| it.refunds_of(payment));
        for (refund_id, _) in refunds.filter(|(_, refund)| refund.is_unaccepted()) {
            kinds::schedule_refund(tx, refund_id, self.now).await?;
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

    /// Schedules what follows from an event, in the same transaction.
    async fn schedule_follow_ups(&self, tx: &mut Tx, event: &Event) -> Result<(), Error> {
        match event {
            Event::OrderCreated { order, .. } => {
                self.restart_polling(tx).await?;
                self.fold_waiting(tx, order).await?;
            }
            Event::Link { link_id, change } => self.follow_link(tx, *link_id, change).await?,
            Event::RefundRequested { refund_id, .. } if self.is_ended(*refund_id) => {}
            // The provider has not got it: a person gives it back.
            Event::RefundRequested { refund, .. } if self.is_at_desk(&refund.payment) => {}
            Event::RefundRequested { refund_id, .. } | Event::RefundReleased { refund_id } => {
                kinds::schedule_refund(tx, *refund_id, self.now).await?;
            }
            Event::Verified { payment, .. } => {
                tracing::info!(booking_id = %self.booking_id, %payment, "money verified");
                sold_orders::begin(tx, self.booking_id, self.now).await?;
            }
            Event::Mismatched { payment, reason, .. } => {
                let (booking_id, reason) = (self.booking_id, reason.word());
                tracing::error!(%booking_id, %payment, reason, "money that does not match");
            }
            Event::RefundFailed { refund_id, reason } => {
                let booking_id = self.booking_id;
                let renewed = self.collection().is_some_and(|it| it.is_renewable(*refund_id));
                if [OVERTAKEN, LOST_TO_A_DISPUTE].contains(&reason.as_str()) {
                    tracing::warn!(%booking_id, %refund_id, reason, "a refund was overtaken");
                } else {
                    tracing::error!(%booking_id, %refund_id, reason, renewed, "a refund failed");
                }
                kinds::end_refund(tx, *refund_id).await?;
                // Also refunds that became renewable while this one covered their money.
                let known = self.collection();
                let payment = known.and_then(|it| Some(it.refunds.get(refund_id)?.payment.clone()));
                for failed in known.into_iter().flat_map(|it| it.renewable(payment.as_ref())) {
                    kinds::schedule_renewal(tx, failed, self.now).await?;
                }
            }
            Event::Observed { payment, source } => {
                self.alarm_on_external_refund(tx, &payment.id).await?;
                match source {
                    Source::Webhook => {}
                    Source::Checkout | Source::Poll => self.expect_webhook(tx, payment).await?,
                }
            }
            Event::RefundDiscovered { refund_id, refund } => {
                self.alarm_on_external_refund(tx, &refund.payment).await?;
                kinds::schedule_refund_poll(tx, *refund_id, 1, self.now).await?;
            }
            Event::DisputeObserved(dispute) => self.handle_dispute(tx, dispute).await?,
            Event::RefundProcessed { refund_id } => {
                kinds::end_refund(tx, *refund_id).await?;
                self.schedule_papers(tx).await?;
            }
            Event::Earned { .. } | Event::Retained { .. } => self.schedule_papers(tx).await?,
            Event::Opened(_)
            | Event::OrderObserved { .. }
            | Event::PaidAtDesk { .. }
            | Event::GivenBackAtDesk { .. }
            | Event::Claimed
            | Event::Failed { .. }
            | Event::RefundAccepted { .. } => {}
        }
        Ok(())
    }
}
