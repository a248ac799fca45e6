//! payments' links in the simulation: handed out one at a time, cancelled when they are withdrawn,
//! and asked for together with the orders.

mod asking;

use futures::FutureExt as _;
use kernel::Id;
use kernel::id::{Booking, Customer, PaymentLink};
use payments::app::ensure_link::{create_or_find, expires_at};
use payments::app::fold::PollDirective;
use payments::domain::booking_status::BookingStatus;
use payments::domain::collection::{Collection, Command, Terms};
use payments::domain::fact::{LinkId, Source};
use payments::domain::link::{Link, LinkFact, LinkStatus, Withdrawal};
use payments::providers::{LinkReport, LinkRequest, Provider as _};
use payments::timers::kinds::CLOSE_LINK;
use serde_json::{Value, json};

use super::super::coverage::Fault;
use super::super::job::{Job, LinkCaller};
use super::super::mutant::Mutant;
use super::super::provider::PROVIDER;
use super::super::scenario::Step;
use super::super::service::{Error, Service};
use super::super::store::{Batch, TimerKey};
use super::super::world::{Task, World};
use super::jobs::never;
use super::locked::LockedCollection;
use super::tables::{OrderLease, PaymentsTables};

/// How long a lease lasts when its process dies, and how long a caller waits for another one's.
const LEASE_SECONDS: i64 = 5;
const WAIT_SECONDS: i64 = 9;
/// Of the service: how soon a link may end when it is created, how long one without an answer is
/// looked for, and how long after its end one that cannot be cancelled is tried.
const CREATABLE_SECONDS: i64 = 15 * 60 + 20;
const LOOK_FOR_SECONDS: i64 = 3_600;
const GIVE_UP_SECONDS: i64 = 3_600;
/// The pauses between attempts to cancel, shortened.
const PAUSE_SECONDS: i64 = 60;

impl World {
    /// `StartPayment` by a link. One that is usable is answered at once, another one later.
    pub(crate) fn start_link(
        &mut self,
        saga: usize,
        customer_id: Id<Customer>,
        booking_id: Id<Booking>,
    ) -> Result<Option<LinkId>, Error> {
        self.answers(Service::Payments)?;
        let facts = self.facts_of(booking_id)?;
        let facts = facts.filter(|facts| facts.customer_id == customer_id);
        let Some(facts) = facts else { return Err(Error::Refused("BookingNotFound".to_owned())) };
        let Some(held_until) = facts.held_until.filter(|until| *until > self.now) else {
            return Err(Error::Refused("HoldEnded".to_owned()));
        };
        let (collection_id, amount) = (self.new_id(), facts.price);
        let terms = Terms { collection_id, booking_id, customer_id, amount };
        let mut locked = self.lock_collection(booking_id);
        locked.refuse_if_paid_at_desk()?;
        let mut batch = Batch::by(customer_id.to_string());
        self.apply(&mut batch, &mut locked, Command::Open(terms))?;
        self.commit(batch)?;
        if let Some(link) = self.usable_link(booking_id) {
            return Ok(Some(link));
        }
        let deadline = self.now.plus_seconds(WAIT_SECONDS);
        let caller = LinkCaller { booking_id, saga, deadline, held_until };
        self.defer(Service::Payments, 1, Job::AcquireLinkLease(caller));
        Ok(None)
    }

    /// The link that is handed out now, by the provider's id.
    fn usable_link(&self, booking_id: Id<Booking>) -> Option<LinkId> {
        let locked = self.lock_collection(booking_id);
        let known = locked.collection()?;
        let link = known.links.get(&known.usable_link(self.now)?)?;
        link.created.as_ref().map(|created| created.id.clone())
    }

    fn reply_link(&mut self, saga: usize, link: Option<LinkId>) {
        self.after(20, Task::Customer { saga, step: Step::Linked(link) });
    }

    /// Acquires the lease for creating a link, or waits for it.
    pub(crate) fn acquire_link_lease(&mut self, caller: LinkCaller) {
        let LinkCaller { booking_id, saga, deadline, .. } = caller;
        let is_paid = |known: &Collection| known.verified.is_some();
        let known = self.lock_collection(booking_id);
        if known.collection().is_none_or(is_paid) {
            return;
        }
        if let Some(link) = self.usable_link(booking_id) {
            return self.reply_link(saga, Some(link));
        }
        let lease = self.payments.tables.link_leases.get(&booking_id).copied();
        if lease.is_some_and(|lease| lease.until > self.now) {
            if self.now >= deadline {
                return self.reply_link(saga, None);
            }
            return self.defer(Service::Payments, 200, Job::AcquireLinkLease(caller));
        }
        let number = lease.map_or(1, |lease| lease.number + 1);
        let pause = self.latency();
        let until = self.now.plus_seconds(LEASE_SECONDS + pause / 1000);
        self.payments.tables.link_leases.insert(booking_id, OrderLease { until, number });
        let made = self.make_link(caller);
        if self.fault(Fault::CrashAfterEffect, 15) {
            return self.crash(Service::Payments);
        }
        let job = Job::Linked { booking_id, saga, made: made.unwrap_or(None), lease: number };
        self.defer(Service::Payments, pause, job);
    }

    /// Ends the other links, records the intent and asks the provider.
    fn make_link(
        &mut self,
        caller: LinkCaller,
    ) -> Result<Option<(Id<PaymentLink>, LinkReport)>, Error> {
        let LinkCaller { booking_id, held_until, .. } = caller;
        self.end_payable_links(booking_id)?;
        let (link_id, now) = (self.new_id(), self.now);
        let expires_at = expires_at(now, held_until);
        if !self.status_of(booking_id).takes_money() {
            return Err(Error::Refused("HoldEnded".to_owned()));
        }
        let mut locked = self.lock_collection(booking_id);
        let mut batch = Batch::by("payments");
        let open = Command::OpenLink { link_id, expires_at, now };
        let was_open = self.apply(&mut batch, &mut locked, open)?.is_empty();
        self.commit(batch)?;
        let known = locked.collection();
        let Some((link_id, link, amount)) = known.and_then(|known| {
            let link_id = known.usable_link(now)?;
            Some((link_id, known.links.get(&link_id)?.clone(), known.terms.amount))
        }) else {
            return Ok(None);
        };
        let expires_at = link.expires_at;
        let wanted = LinkRequest { reference: link_id, booking_id, amount, expires_at };
        let how = (was_open, expires_at >= now.plus_seconds(CREATABLE_SECONDS));
        let asked = self.at_provider(|provider| {
            create_or_find(provider, wanted, how).now_or_never().unwrap_or_else(never)
        });
        match asked {
            Ok(Some(report)) => Ok(Some((link_id, report))),
            Ok(None) => {
                self.withdraw_links(booking_id, Withdrawal::Expired)?;
                Ok(None)
            }
            Err(_) => Err(Error::Unavailable),
        }
    }

    /// Cancels every link that can be paid and is not handed out, before another way of paying is.
    fn end_payable_links(&mut self, booking_id: Id<Booking>) -> Result<(), Error> {
        let (locked, now) = (self.lock_collection(booking_id), self.now);
        let links = locked.collection().into_iter().flat_map(|known| &known.links);
        let payable = links.filter(|(_, link)| link.is_payable() && !link.is_usable(now));
        let payable: Vec<(Id<PaymentLink>, Link)> =
            payable.map(|(link_id, link)| (*link_id, link.clone())).collect();
        for (link_id, link) in payable {
            if self.cancel_link(booking_id, link_id, &link)? == LinkStatus::Created {
                return Err(Error::Unavailable);
            }
        }
        Ok(())
    }

    /// `StartPayment` by the checkout first ends the links. One that was paid by a payment that is
    /// not known yet is waited for.
    pub(crate) fn turn_to_checkout(&mut self, booking_id: Id<Booking>) -> Result<(), Error> {
        self.withdraw_links(booking_id, Withdrawal::Checkout)?;
        self.end_payable_links(booking_id)?;
        let locked = self.lock_collection(booking_id);
        let is_waited_for = locked.collection().is_some_and(|known| {
            let is_paid = |link: &Link| link.status == LinkStatus::Paid;
            known.verified.is_none() && known.links.values().any(is_paid)
        });
        if is_waited_for { Err(Error::Unavailable) } else { Ok(()) }
    }

    fn withdraw_links(&mut self, booking_id: Id<Booking>, why: Withdrawal) -> Result<(), Error> {
        let mut locked = self.lock_collection(booking_id);
        if locked.collection().is_none() {
            return Ok(());
        }
        let mut batch = Batch::by("payments");
        self.apply(&mut batch, &mut locked, Command::WithdrawLinks { why })?;
        self.commit(batch)
    }

    /// Cancels a link and folds what the provider says then.
    fn cancel_link(
        &mut self,
        booking_id: Id<Booking>,
        link_id: Id<PaymentLink>,
        link: &Link,
    ) -> Result<LinkStatus, Error> {
        let Some(created) = &link.created else { return Ok(LinkStatus::Cancelled) };
        if self.has(Mutant::BelieveCancelled) {
            let mut locked = self.lock_collection(booking_id);
            let fact = LinkFact { status: LinkStatus::Cancelled, order: None };
            let mut batch = Batch::by("payments");
            let source = Source::Poll;
            let observe = Command::ObserveLink { link_id, fact, source };
            self.apply(&mut batch, &mut locked, observe)?;
            self.commit(batch)?;
            return Ok(LinkStatus::Cancelled);
        }
        let asked = self.at_provider(|provider| {
            provider.cancel_link(&created.id).now_or_never().unwrap_or_else(never)
        });
        let report = asked.map_err(|_silent| Error::Unavailable)?;
        let status = report.fact.status;
        let orders = report.fact.order.iter().cloned().collect();
        let (mut told, _) = self.ask_payments(&orders);
        told.links = vec![report];
        self.apply_reports(booking_id, &told, (Source::Poll, PollDirective::Keep))?;
        Ok(status)
    }

    /// Writes down which link the provider has.
    pub(crate) fn record_link(
        &mut self,
        booking_id: Id<Booking>,
        (saga, lease): (usize, i32),
        made: Option<(Id<PaymentLink>, LinkReport)>,
    ) {
        let mine = |known: &&mut OrderLease| known.number == lease;
        let leases = &mut self.payments.tables.link_leases;
        if let Some(known) = leases.get_mut(&booking_id).filter(mine) {
            known.until = self.now;
        }
        let Some((link_id, report)) = made else { return self.reply_link(saga, None) };
        match self.write_link(booking_id, link_id, &report) {
            Err(Error::Died) => {}
            Err(_) => self.reply_link(saga, None),
            Ok(()) => {
                let link = self.usable_link(booking_id).filter(|it| *it == report.link.id);
                self.reply_link(saga, link);
            }
        }
    }

    /// Records a link; withdrawn at once if its booking has ended meanwhile.
    fn write_link(
        &mut self,
        booking_id: Id<Booking>,
        link_id: Id<PaymentLink>,
        report: &LinkReport,
    ) -> Result<(), Error> {
        let mut locked = self.lock_collection(booking_id);
        let mut batch = Batch::by("payments");
        let (provider, created) = (PROVIDER.to_owned(), report.link.clone());
        let record = Command::RecordLink { provider, link_id, created };
        self.apply(&mut batch, &mut locked, record)?;
        self.withdraw_if_over(&mut batch, &mut locked)?;
        self.commit(batch)
    }

    /// Withdraws the links of a booking that is over.
    pub(super) fn withdraw_if_over(
        &self,
        batch: &mut Batch<PaymentsTables>,
        locked: &mut LockedCollection,
    ) -> Result<(), Error> {
        let status = self.status_of(locked.booking_id);
        self.withdraw_after(batch, locked, status)
    }

    /// What booking has told of a booking.
    fn status_of(&self, booking_id: Id<Booking>) -> BookingStatus {
        let known = self.payments.tables.known.get(&booking_id);
        known.map_or(BookingStatus::Unknown, |(_, intent)| intent.status)
    }

    pub(super) fn withdraw_after(
        &self,
        batch: &mut Batch<PaymentsTables>,
        locked: &mut LockedCollection,
        status: BookingStatus,
    ) -> Result<(), Error> {
        if !status.takes_money() && locked.collection().is_some() {
            self.apply(batch, locked, Command::WithdrawLinks { why: Withdrawal::Ended })?;
        }
        Ok(())
    }

    /// The next step for a link that was withdrawn.
    pub(super) fn close_link(&mut self, key: &TimerKey, payload: &Value) -> Result<(), Error> {
        let link_id: Id<PaymentLink> = key.1.parse().map_err(Error::broken)?;
        let Some((booking_id, link)) = self.link_of(link_id).filter(|(_, it)| !it.is_over()) else {
            return self.end_timer(CLOSE_LINK, &key.1);
        };
        if link.created.is_none() {
            return self.look_for_link(booking_id, link_id, &link, key);
        }
        let is_given_up = self.now >= link.expires_at.plus_seconds(GIVE_UP_SECONDS);
        match self.cancel_link(booking_id, link_id, &link)? {
            LinkStatus::Created if !is_given_up => {
                let step = payload.get("step").and_then(Value::as_u64).unwrap_or(0);
                self.close_later(key, step)
            }
            _ => self.end_timer(CLOSE_LINK, &key.1),
        }
    }

    fn look_for_link(
        &mut self,
        booking_id: Id<Booking>,
        link_id: Id<PaymentLink>,
        link: &Link,
        key: &TimerKey,
    ) -> Result<(), Error> {
        let mut locked = self.lock_collection(booking_id);
        let Some(amount) = locked.collection().map(|known| known.terms.amount) else {
            return Ok(());
        };
        let expires_at = link.expires_at;
        let wanted = LinkRequest { reference: link_id, booking_id, amount, expires_at };
        let asked = self.at_provider(|provider| {
            provider.find_link(wanted).now_or_never().unwrap_or_else(never)
        });
        if let Some(report) = asked.map_err(|_silent| Error::Unavailable)? {
            return self.write_link(booking_id, link_id, &report);
        }
        // It was opened at most this long before its end.
        if self.now < link.expires_at.plus_seconds(LOOK_FOR_SECONDS) {
            return self.close_later(key, 0);
        }
        let mut batch = Batch::by("payments");
        self.apply(&mut batch, &mut locked, Command::RecordAbsentLink { link_id })?;
        self.commit(batch)
    }

    fn close_later(&mut self, key: &TimerKey, step: u64) -> Result<(), Error> {
        let mut batch = Batch::<PaymentsTables>::by("payments");
        let due = self.now.plus_seconds(PAUSE_SECONDS);
        batch.set_timer(CLOSE_LINK, &key.1, due, json!({ "step": step + 1 }));
        self.commit(batch)
    }

    fn end_timer(&mut self, kind: &'static str, subject: &str) -> Result<(), Error> {
        let mut batch = Batch::<PaymentsTables>::by("payments");
        batch.end_timer(kind, subject);
        self.commit(batch)
    }
}
