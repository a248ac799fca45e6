//! payments as it runs in the simulation: its real decisions, its schedule and the two of its jobs
//! that speak to a provider, with the little that stands around them written for the model.

mod desk;
mod jobs;
mod links;
mod locked;
mod refunds;
pub(super) mod tables;
mod webhooks;

use booking::domain::span::Span;
use eventstore::Recorded;
use kernel::id::{Booking, Customer, Refund as RefundKind};
use kernel::{Decider, Id};
use payments::app::fold::{PollDirective, ProviderReport};
use payments::consumers::booking::step;
use payments::contract::{collection_event, collection_stream};
use payments::domain::booking_intent::{BookingIntent, Step, command};
use payments::domain::booking_status::BookingStatus;
use payments::domain::collection::{Collection, CollectionLife, Command, Effect, Event, effects};
use payments::domain::fact::{Amount, OrderId, Source};
use payments::domain::refund::Cause;
use payments::timers::kinds::{
    CLOSE_LINK, FOLD_WEBHOOK, REFUND, RENEW_AFTER, RENEW_REFUND, refund_pause,
};
use payments::timers::polling::{Bounds, POLL_ORDER, PollSchedule};
use payments::timers::sold_orders::{ASK_SOLD_ORDER, RecheckSchedule};
use serde_json::json;

use super::mutant::Mutant;
use super::service::{Error, Service};
use super::store::Batch;
use super::world::World;

use locked::LockedCollection;
use refunds::without_loss;

pub(crate) use tables::PaymentsTables;

/// When polls end by mistake.
const STOPPED_AFTER_MICROS: i64 = 26 * 60 * 1_000_000;

impl World {
    pub(crate) fn lock_collection(&self, booking_id: Id<Booking>) -> LockedCollection {
        let state = self.payments.tables.states.get(&booking_id).cloned().unwrap_or_default();
        let books = self.payments.tables.ledger_of(booking_id);
        LockedCollection { booking_id, state, books, unhurried_until: None }
    }

    /// Decides, appends, and sets the timers of what has to be done outside.
    pub(crate) fn apply(
        &self,
        batch: &mut Batch<PaymentsTables>,
        locked: &mut LockedCollection,
        command: Command,
    ) -> Result<Vec<Event>, Error> {
        let command = match command {
            Command::ObserveDispute(dispute) if self.has(Mutant::ForgetLosses) => {
                Command::ObserveDispute(without_loss(dispute))
            }
            command => command,
        };
        let decided = CollectionLife::decide(&locked.state, command);
        let mut events = decided.map_err(|rejection| Error::Refused(format!("{rejection:?}")))?;
        if self.has(Mutant::KeepDoublePayment) {
            events.retain(|event| !is_double(event));
        }
        let was_undecided = locked.has_undecided();
        let provider = locked.collection().map(|known| known.provider.clone()).unwrap_or_default();
        for event in &events {
            locked.state = CollectionLife::evolve(std::mem::take(&mut locked.state), event);
        }
        for event in &events {
            let after = locked.collection();
            let new = collection_event(locked.booking_id, &provider, event, after);
            batch.append(&collection_stream(locked.booking_id), new.map_err(Error::broken)?);
        }
        let mut entries = locked.books.enter(&events);
        let goes_back = |event: &Event| matches!(event, Event::RefundProcessed { .. });
        if self.has(Mutant::ForgetLedger) && events.iter().any(goes_back) {
            entries.clear();
        }
        if self.has(Mutant::DeskAtProvider) {
            entries = desk::at_provider(entries);
        }
        let (booking_id, books, now) = (locked.booking_id, locked.books.clone(), self.now);
        batch.change(move |tables| {
            tables.keep(booking_id, books, entries);
            tables.issue(booking_id, now);
        });
        let follow = |known| effects(was_undecided, known, &events);
        let mut effects = locked.collection().map(follow).unwrap_or_default();
        if self.has(Mutant::AskProviderForDesk) {
            effects.extend(events.iter().filter_map(|event| locked.asks_for_desk(event)));
        }
        for effect in effects {
            self.carry_out(batch, locked, effect);
        }
        Ok(events)
    }

    /// Carries out what follows from events, in the same transaction.
    fn carry_out(
        &self,
        batch: &mut Batch<PaymentsTables>,
        locked: &LockedCollection,
        effect: Effect,
    ) {
        let (booking_id, now) = (locked.booking_id, self.now);
        let first = || json!({ "step": 0 });
        match effect {
            Effect::RestartPolling => self.restart_polling(batch, locked),
            Effect::BeginPolling => self.begin_polling(batch, locked),
            Effect::FoldWaiting(order) => self.fold_waiting(batch, &order),
            Effect::RecheckSoldOrder => {
                self.ask_sold_next(batch, booking_id, RecheckSchedule::first(now), None);
            }
            Effect::RequestRefund(id) => batch.set_timer(REFUND, &id.to_string(), now, first()),
            Effect::PollRefund(id) => self.ask_refund_in(batch, id, (1, refund_pause(1))),
            Effect::EndRefund(id) => batch.end_timer(REFUND, &id.to_string()),
            Effect::RenewRefund(failed) => {
                let due = now.plus_seconds(RENEW_AFTER);
                batch.set_timer(RENEW_REFUND, &failed.to_string(), due, json!({}));
            }
            Effect::CloseLink(id) => batch.set_timer(CLOSE_LINK, &id.to_string(), now, first()),
            Effect::EndCloseLink(id) => batch.end_timer(CLOSE_LINK, &id.to_string()),
            // Receipts are issued by the tables, and a late webhook is only told of.
            Effect::ExpectWebhook(_) | Effect::ReportReturn(_) | Effect::IssuePapers => {}
        }
    }

    fn restart_polling(&self, batch: &mut Batch<PaymentsTables>, locked: &LockedCollection) {
        let bounds = Bounds { held_until: None, payable_until: locked.payable_until() };
        self.poll_next(batch, locked.booking_id, PollSchedule::first(self.now), bounds);
    }

    fn begin_polling(&self, batch: &mut Batch<PaymentsTables>, locked: &LockedCollection) {
        let Some(held_until) = locked.unhurried_until else {
            return self.restart_polling(batch, locked);
        };
        let payable_until = locked.payable_until();
        let bounds = Bounds { held_until: Some(held_until), payable_until };
        self.poll_next(batch, locked.booking_id, PollSchedule::unhurried(self.now), bounds);
    }

    fn fold_waiting(&self, batch: &mut Batch<PaymentsTables>, order: &OrderId) {
        for (event_id, webhook) in &self.payments.tables.webhooks {
            if webhook.waits_for.as_ref() == Some(order) {
                batch.set_timer(FOLD_WEBHOOK, event_id, self.now, json!({}));
            }
        }
    }

    fn ask_refund_in(
        &self,
        batch: &mut Batch<PaymentsTables>,
        refund_id: Id<RefundKind>,
        (step, seconds): (usize, i64),
    ) {
        let due = self.now.plus_seconds(seconds);
        batch.set_timer(REFUND, &refund_id.to_string(), due, json!({ "step": step }));
    }

    fn poll_next(
        &self,
        batch: &mut Batch<PaymentsTables>,
        booking_id: Id<Booking>,
        turn: PollSchedule,
        bounds: Bounds,
    ) {
        let subject = booking_id.to_string();
        let since = turn.payload().get("since").and_then(serde_json::Value::as_i64).unwrap_or(0);
        let is_old = self.now.micros().saturating_sub(since) > STOPPED_AFTER_MICROS;
        let due = turn.due(self.now, bounds);
        match due.filter(|_| !(is_old && self.has(Mutant::StopPolling))) {
            Some(due) => batch.set_timer(POLL_ORDER, &subject, due, turn.payload()),
            None => batch.end_timer(POLL_ORDER, &subject),
        }
    }

    fn ask_sold_next(
        &self,
        batch: &mut Batch<PaymentsTables>,
        booking_id: Id<Booking>,
        ask: RecheckSchedule,
        starts_at: Option<kernel::Timestamp>,
    ) {
        let subject = booking_id.to_string();
        let due = ask.due(booking_id, self.now, starts_at);
        match due.filter(|_| !self.has(Mutant::ForgetSoldOrders)) {
            Some(due) => batch.set_timer(ASK_SOLD_ORDER, &subject, due, ask.payload()),
            None => batch.end_timer(ASK_SOLD_ORDER, &subject),
        }
    }

    /// Folds the provider's report about one booking's money.
    fn fold(
        &mut self,
        batch: &mut Batch<PaymentsTables>,
        locked: &mut LockedCollection,
        report: &ProviderReport,
        (source, next): (Source, PollDirective),
    ) -> Result<(), Error> {
        for link in &report.links {
            self.fold_link(batch, locked, link, source)?;
        }
        let mut is_verified = false;
        for payment in &report.payments {
            let (mut payment, refund_id) = (payment.clone(), self.new_id());
            if let Some(known) = locked.collection().filter(|_| self.has(Mutant::TrustAnyAmount)) {
                payment.fact.amount = Amount::from(known.terms.amount);
            }
            let command = Command::Observe { payment, source, refund_id };
            let events = self.apply(batch, locked, command)?;
            is_verified |= events.iter().any(|event| matches!(event, Event::Verified { .. }));
        }
        for refund in &report.refunds {
            self.fold_refund(batch, locked, refund)?;
        }
        let refund_ids = locked
            .collection()
            .into_iter()
            .flat_map(Collection::undecided)
            .map(|id| (id.clone(), self.new_id()))
            .collect();
        let (orders, are_links_known) = (report.orders.clone(), report.are_links_known);
        let command = Command::ResolveUndecided { orders, are_links_known, refund_ids };
        let judged = self.apply(batch, locked, command)?;
        is_verified |= judged.iter().any(|event| matches!(event, Event::Verified { .. }));
        if is_verified || !report.refunds.is_empty() {
            self.reapply_booking_intent(batch, locked)?;
        }
        let Some(collection) = locked.collection() else {
            return Err(Error::Refused("PaymentNotStarted".to_owned()));
        };
        if collection.is_settled() && !report.is_partial {
            batch.end_timer(POLL_ORDER, &locked.booking_id.to_string());
            return Ok(());
        }
        match next {
            PollDirective::Keep => {}
            PollDirective::Restart => self.restart_polling(batch, locked),
            PollDirective::Advance(asked) => {
                let key = (POLL_ORDER, locked.booking_id.to_string());
                let timer = self.payments.log.timers.get(&key);
                if timer.is_some_and(|timer| {
                    PollSchedule::from_payload(&timer.payload) == asked.schedule
                }) {
                    let payable_until = locked.payable_until();
                    let bounds = Bounds { held_until: asked.held_until, payable_until };
                    self.poll_next(batch, locked.booking_id, asked.next, bounds);
                }
            }
        }
        Ok(())
    }

    /// Applies again what booking wants done with the money.
    fn reapply_booking_intent(
        &mut self,
        batch: &mut Batch<PaymentsTables>,
        locked: &mut LockedCollection,
    ) -> Result<(), Error> {
        let known = self.payments.tables.known.get(&locked.booking_id);
        let intent = known.map(|(_, intent)| intent.clone()).unwrap_or_default();
        self.follow_booking(batch, locked, &intent)
    }

    fn follow_booking(
        &mut self,
        batch: &mut Batch<PaymentsTables>,
        locked: &mut LockedCollection,
        intent: &BookingIntent,
    ) -> Result<(), Error> {
        let refund_id = self.new_id();
        let command = locked.collection().and_then(|known| command(known, intent, |_| refund_id));
        if let Some(command) = command {
            self.apply(batch, locked, command)?;
        }
        Ok(())
    }

    /// What booking wants after a step.
    fn intent_of(&self, id: Id<Booking>, step: &Step) -> BookingIntent {
        let known = self.payments.tables.known.get(&id);
        step.intent_after(known.map(|(_, intent)| intent.clone()).unwrap_or_default())
    }

    /// `ClaimPayment`, up to the point where the provider is asked.
    pub(crate) fn claim_payment(&mut self, booking_id: Id<Booking>) -> Result<(), Error> {
        self.answers(Service::Payments)?;
        let mut locked = self.lock_collection(booking_id);
        if !self.is_at_provider(booking_id) {
            return Err(Error::Refused("PaymentNotStarted".to_owned()));
        }
        let mut batch = Batch::by("usr");
        self.apply(&mut batch, &mut locked, Command::Claim)?;
        self.commit(batch)?;
        self.poll_provider(booking_id, PollDirective::Restart);
        Ok(())
    }

    /// The customer that a booking belongs to, as booking says, and until when it is held.
    fn facts_of(&self, id: Id<Booking>) -> Result<Option<tables::BookingFacts>, Error> {
        self.answers(Service::Booking)?;
        Ok(self.booking.tables.states.get(&id).and_then(|state| {
            let facts = state.facts()?;
            let (customer_id, price) = (facts.customer_id, facts.price);
            let held_until = state.held_until();
            let starts_at = facts.sessions.last().map(Span::starts_at);
            Some(tables::BookingFacts { customer_id, price, held_until, starts_at })
        }))
    }
}

/// Whether money is asked back because it came a second time.
fn is_double(event: &Event) -> bool {
    match event {
        Event::RefundRequested { refund, .. } => refund.cause == Cause::Double,
        _ => false,
    }
}

/// payments takes an event of booking in.
pub(crate) fn on_booking(
    world: &mut World,
    batch: &mut Batch<PaymentsTables>,
    event: &Recorded,
) -> Result<(), Error> {
    let Some(step) = step(event)? else { return Ok(()) };
    match &step {
        Step::RecordBooking { id, customer_id } => store_idempotency_key(batch, *id, *customer_id),
        // Clients of the simulation have accounts.
        Step::RecordAdopter { .. } => {}
        Step::RecordStatus { id, status } => {
            store_intent(world, batch, *id, &step);
            let mut locked = world.lock_collection(*id);
            world.withdraw_after(batch, &mut locked, *status)?;
        }
        Step::Refund { id, .. } if world.has(Mutant::ForgetUnplacedMoney) => {
            store_intent(world, batch, *id, &step);
        }
        Step::EndSession { id, with_all: true, .. } => store_intent(world, batch, *id, &step),
        Step::Place { id, .. }
        | Step::Refund { id, .. }
        | Step::Cancel { id, .. }
        | Step::Keep { id, .. }
        | Step::EndSession { id, .. }
        | Step::Complete { id } => {
            store_intent(world, batch, *id, &step);
            let mut locked = world.lock_collection(*id);
            let wanted = world.intent_of(*id, &step);
            world.follow_booking(batch, &mut locked, &wanted)?;
            world.withdraw_after(batch, &mut locked, wanted.status)?;
        }
    }
    Ok(())
}

fn store_idempotency_key(
    batch: &mut Batch<PaymentsTables>,
    id: Id<Booking>,
    customer_id: Id<Customer>,
) {
    batch.change(move |tables| {
        tables.known.entry(id).or_insert_with(|| {
            (
                customer_id,
                BookingIntent { status: BookingStatus::Requested, ..BookingIntent::default() },
            )
        });
    });
}

/// Remembers what booking wants, and issues the receipt that is due.
fn store_intent(world: &World, batch: &mut Batch<PaymentsTables>, id: Id<Booking>, step: &Step) {
    let (intent, now) = (world.intent_of(id, step), world.now);
    batch.change(move |tables| {
        if let Some(payment) = &intent.placed {
            tables.place(id, payment.clone(), now);
        }
        if let Some(known) = tables.known.get_mut(&id) {
            known.1 = intent;
        }
    });
}
