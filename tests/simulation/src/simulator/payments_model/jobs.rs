//! What payments does outside of transactions: it asks the provider, and writes down what it said
//! some time later, when much may have happened.

use futures::FutureExt as _;
use kernel::id::{Booking, Customer};
use kernel::{Id, Money};
use payments::app::ensure_order::order;
use payments::app::fold::{CompletedPoll, PollDirective, ProviderReport};
use payments::domain::collection::{Command, Terms};
use payments::domain::fact::{Amount, Fact, OrderId, PaymentId, Source, Status};
use payments::providers::{OrderRequest, PaymentReport, Provider as _, ProviderError};
use payments::timers::kinds::{CLOSE_LINK, FOLD_WEBHOOK, REFUND, RENEW_REFUND};
use payments::timers::polling::{POLL_ORDER, PollSchedule};
use payments::timers::sold_orders::{ASK_SOLD_ORDER, RecheckSchedule};

use super::super::coverage::Fault;
use super::super::job::Job;
use super::super::provider::PROVIDER;
use super::super::scenario::Step;
use super::super::service::{Error, Service};
use super::super::store::{Batch, TimerKey};
use super::super::world::{Task, World};
use super::tables::{OrderLease, PaymentsTables};

/// How long the lease on an order's creation lasts when its process dies.
const ORDER_LEASE_SECONDS: i64 = 5;
/// How long a caller waits for another one's lease.
const WAIT_SECONDS: i64 = 9;

/// What cannot be: the model answers at once.
pub(super) fn never<T>() -> Result<T, ProviderError> {
    Err(ProviderError::InvalidAnswer("the model did not answer"))
}

impl World {
    /// How long the provider takes to answer, in milliseconds.
    pub(super) fn latency(&mut self) -> i64 {
        if self.rng.chance(20) {
            self.rng.between(3_000, 20_000)
        } else {
            self.rng.between(20, 900)
        }
    }

    /// `StartPayment`. An order that is known is answered at once, another one later.
    pub(crate) fn start_payment(
        &mut self,
        saga: usize,
        customer_id: Id<Customer>,
        booking_id: Id<Booking>,
    ) -> Result<Option<OrderId>, Error> {
        self.answers(Service::Payments)?;
        let facts = self.facts_of(booking_id)?;
        let facts = facts.filter(|facts| facts.customer_id == customer_id);
        let Some(facts) = facts else { return Err(Error::Refused("BookingNotFound".to_owned())) };
        if facts.held_until.is_none_or(|until| until <= self.now) {
            return Err(Error::Refused("HoldEnded".to_owned()));
        }
        let (collection_id, amount) = (self.new_id(), facts.price);
        let terms = Terms { collection_id, booking_id, customer_id, amount };
        let mut locked = self.lock_collection(booking_id);
        locked.refuse_if_paid_at_desk()?;
        let mut batch = Batch::by(customer_id.to_string());
        self.apply(&mut batch, &mut locked, Command::Open(terms))?;
        self.commit(batch)?;
        self.turn_to_checkout(booking_id)?;
        if let Some(order) = self.order_of(booking_id) {
            return Ok(Some(order));
        }
        let deadline = self.now.plus_seconds(WAIT_SECONDS);
        self.defer(Service::Payments, 1, Job::AcquireOrderLease { booking_id, saga, deadline });
        Ok(None)
    }

    fn order_of(&self, booking_id: Id<Booking>) -> Option<OrderId> {
        self.lock_collection(booking_id).collection()?.order.clone()
    }

    fn reply(&mut self, saga: usize, order: Option<OrderId>) {
        self.after(20, Task::Customer { saga, step: Step::Ordered(order) });
    }

    /// Acquires the lease for creating an order, or waits for it.
    pub(crate) fn acquire_order_lease(
        &mut self,
        booking_id: Id<Booking>,
        saga: usize,
        deadline: kernel::Timestamp,
    ) {
        let known = self.lock_collection(booking_id);
        let Some(known) = known.collection() else { return };
        if known.order.is_some() {
            let order = known.order.clone();
            return self.reply(saga, order);
        }
        let lease = self.payments.tables.leases.get(&booking_id).copied();
        if lease.is_some_and(|lease| lease.until > self.now) {
            if self.now >= deadline {
                return self.reply(saga, None);
            }
            let job = Job::AcquireOrderLease { booking_id, saga, deadline };
            return self.defer(Service::Payments, 200, job);
        }
        let number = lease.map_or(1, |lease| lease.number + 1);
        let (receipt, amount) = (known.terms.collection_id, known.terms.amount);
        let wanted = OrderRequest { receipt, booking_id, amount };
        let asked = self.at_provider(|provider| {
            order(provider, wanted, number > 1).now_or_never().unwrap_or_else(never)
        });
        let pause = self.latency();
        // A live process extends the lease until the answer is stored.
        let until = self.now.plus_seconds(ORDER_LEASE_SECONDS + pause / 1000);
        self.payments.tables.leases.insert(booking_id, OrderLease { until, number });
        if self.fault(Fault::CrashAfterEffect, 15) {
            return self.crash(Service::Payments);
        }
        let job = Job::Ordered { booking_id, saga, order: asked.ok(), lease: number };
        self.defer(Service::Payments, pause, job);
    }

    /// Writes down which order the provider has.
    pub(crate) fn record_order(
        &mut self,
        booking_id: Id<Booking>,
        (saga, lease): (usize, i32),
        order: Option<OrderId>,
    ) {
        let Some(order) = order else {
            let mine = |known: &&mut OrderLease| known.number == lease;
            if let Some(known) = self.payments.tables.leases.get_mut(&booking_id).filter(mine) {
                known.until = self.now;
            }
            return self.reply(saga, None);
        };
        let mut locked = self.lock_collection(booking_id);
        if self.hears_webhooks() {
            let facts = self.facts_of(booking_id).ok().flatten();
            locked.unhurried_until = facts.and_then(|facts| facts.held_until);
        }
        let mut batch = Batch::by("payments");
        let recorded = self
            .apply(
                &mut batch,
                &mut locked,
                Command::RecordOrder { provider: PROVIDER.to_owned(), order: order.clone() },
            )
            .and_then(|_| self.commit(batch));
        match recorded {
            Ok(()) => self.reply(saga, Some(order)),
            Err(Error::Died) => {}
            Err(_) => self.reply(saga, None),
        }
    }

    /// The checkout's answer: the provider is asked for that payment.
    pub(crate) fn submit_answer(&mut self, booking_id: Id<Booking>, payment: &PaymentId) {
        if !self.is_up(Service::Payments) || self.order_of(booking_id).is_none() {
            return;
        }
        let asked = self
            .at_provider(|provider| provider.payment(payment).now_or_never().unwrap_or_else(never));
        let report = self.fetch_missing_refunds(asked.into_iter().collect());
        let way = (Source::Checkout, PollDirective::Restart);
        let job = Job::Fold { booking_id, report, way, timer: None };
        let pause = self.latency();
        self.defer(Service::Payments, pause, job);
    }

    /// Asks the provider about an order because a client waits.
    pub(crate) fn poll_provider(&mut self, booking_id: Id<Booking>, next: PollDirective) {
        if !self.is_up(Service::Payments) || !self.is_at_provider(booking_id) {
            return;
        }
        let (report, _) = self.ask_provider(booking_id);
        let job = Job::Fold { booking_id, report, way: (Source::Poll, next), timer: None };
        let pause = self.latency();
        self.defer(Service::Payments, pause, job);
    }

    /// Takes payments as they are reported, and asks for the refunds of those of which more has
    /// gone back than we know.
    pub(crate) fn fetch_missing_refunds(&mut self, reports: Vec<PaymentReport>) -> ProviderReport {
        let mut report = ProviderReport::default();
        for PaymentReport { payment, refunded_minor } in reports {
            let id = payment.id.clone();
            report.payments.push(payment);
            let refunds = self.payments.tables.refunds.values();
            let taken_back = refunds
                .filter(|row| row.payment_id == id.as_str())
                .filter(|row| row.state == "accepted" || row.state == "processed")
                .fold(0_i64, |sum, row| sum.saturating_add(row.amount_minor));
            if refunded_minor <= taken_back {
                continue;
            }
            let asked = self.at_provider(|provider| {
                provider.refunds_of(&id).now_or_never().unwrap_or_else(never)
            });
            match asked {
                Ok(refunds) => report.refunds.extend(refunds),
                Err(_) => report.is_partial = true,
            }
        }
        report
    }

    /// A timer of payments has fallen due.
    pub(crate) fn fire_payments_timer(&mut self, key: &TimerKey) {
        let Some((payload, attempts)) = self.claim::<PaymentsTables>(key) else { return };
        self.trace.note(self.now, "fires", &format_args!("{} {}", key.0, key.1));
        let timer = (key, attempts);
        let outcome = match key.0 {
            POLL_ORDER => self.poll_order(timer, PollSchedule::from_payload(&payload)),
            ASK_SOLD_ORDER => self.poll_sold_order(timer, RecheckSchedule::from_payload(&payload)),
            REFUND => self.request_refund(timer, &payload),
            RENEW_REFUND => self.renew_refund(key),
            CLOSE_LINK => self.close_link(key, &payload),
            FOLD_WEBHOOK => self.fold_webhook(key),
            _ => Ok(()),
        };
        self.conclude::<PaymentsTables>(timer, outcome);
    }

    fn poll_order(&mut self, timer: (&TimerKey, i32), schedule: PollSchedule) -> Result<(), Error> {
        let booking_id: Id<Booking> = timer.0.1.parse().map_err(Error::broken)?;
        if !self.is_at_provider(booking_id) {
            let mut batch = Batch::<PaymentsTables>::by("payments");
            batch.end_timer(POLL_ORDER, &timer.0.1);
            return self.commit(batch);
        }
        let (mut report, is_answered) = self.ask_provider(booking_id);
        if schedule.is_past_capture(self.now) {
            self.capture_authorized(booking_id, &mut report);
        }
        let next =
            if is_answered && !report.is_partial { schedule.answered() } else { schedule.failed() };
        let facts = if next.is_slow(self.now) { self.facts_of(booking_id).ok() } else { None };
        let held_until = facts.flatten().and_then(|facts| facts.held_until);
        let next = PollDirective::Advance(CompletedPoll { schedule, next, held_until });
        let timer = Some((timer.0.clone(), timer.1));
        let job = Job::Fold { booking_id, report, way: (Source::Poll, next), timer };
        let pause = self.latency();
        self.defer(Service::Payments, pause, job);
        Ok(())
    }

    /// Captures a payment of our order that the provider left authorised, if no other money was
    /// captured.
    fn capture_authorized(&mut self, booking_id: Id<Booking>, report: &mut ProviderReport) {
        let locked = self.lock_collection(booking_id);
        let Some(known) = locked.collection() else { return };
        if report.payments.iter().any(|it| it.fact.status >= Status::Captured) {
            return;
        }
        let (price, amount) = (known.terms.amount, Amount::from(known.terms.amount));
        let is_ours = |fact: &Fact| {
            let order = fact.order.as_ref();
            fact.status == Status::Authorized
                && fact.amount.currency == amount.currency
                && order.is_some_and(|order| known.is_own_order(order))
        };
        let Some(left) = report.payments.iter_mut().find(|it| is_ours(&it.fact)) else { return };
        let (id, minor) = (left.id.clone(), left.fact.amount.minor);
        let asked = self.at_provider(|provider| {
            let left = Money { minor, ..price };
            provider.capture(&id, left).now_or_never().unwrap_or_else(never)
        });
        // The next poll tries again.
        if let Ok(captured) = asked {
            *left = captured.payment;
        }
    }

    /// Asks again for the order of a sold booking. There is no pace here: one practice's world has
    /// far fewer than one question a second.
    fn poll_sold_order(
        &mut self,
        timer: (&TimerKey, i32),
        ask: RecheckSchedule,
    ) -> Result<(), Error> {
        let booking_id: Id<Booking> = timer.0.1.parse().map_err(Error::broken)?;
        let facts = self.facts_of(booking_id)?;
        let (report, is_answered) = self.ask_provider(booking_id);
        let next = if is_answered && !report.is_partial { ask.answered() } else { ask.failed() };
        let starts_at = facts.and_then(|facts| facts.starts_at);
        let timer = (timer.0.clone(), timer.1);
        let job = Job::FoldSold { booking_id, report, next: (next, starts_at), timer };
        let pause = self.latency();
        self.defer(Service::Payments, pause, job);
        Ok(())
    }

    /// Writes down what the provider said of a sold order.
    pub(crate) fn apply_sold_order_reports(
        &mut self,
        booking_id: Id<Booking>,
        report: &ProviderReport,
        (next, starts_at): (RecheckSchedule, Option<kernel::Timestamp>),
    ) -> Result<(), Error> {
        let mut locked = self.lock_collection(booking_id);
        let mut batch = Batch::by("payments");
        self.fold(&mut batch, &mut locked, report, (Source::Poll, PollDirective::Keep))?;
        self.ask_sold_next(&mut batch, booking_id, next, starts_at);
        self.commit(batch)
    }

    /// Writes down what the provider said.
    pub(crate) fn apply_reports(
        &mut self,
        booking_id: Id<Booking>,
        report: &ProviderReport,
        way: (Source, PollDirective),
    ) -> Result<(), Error> {
        let mut locked = self.lock_collection(booking_id);
        let mut batch = Batch::by("payments");
        self.fold(&mut batch, &mut locked, report, way)?;
        self.commit(batch)
    }

    /// The booking whose money a payment is, by what was seen of it.
    pub(crate) fn booking_of(&self, payment: &PaymentId) -> Option<Id<Booking>> {
        let mut states = self.payments.tables.states.keys();
        states
            .find(|id| {
                let locked = self.lock_collection(**id);
                locked.collection().is_some_and(|it| it.payments.contains_key(payment))
            })
            .copied()
    }
}
