//! The simulated world: one clock, one queue of tasks, three services with a database
//! each, and all outside parties. One thread runs it, and all randomness comes from
//! one generator.

use std::collections::BTreeMap;
use std::sync::Arc;

use kernel::id::{Kind, Refund};
use kernel::{Id, Timestamp};
use uuid::Uuid;

use super::booking_model::tables::BookingTables;
use super::consumer::Consumer;
use super::coverage::{Coverage, Fault, TargetedFault};
use super::job::Job;
use super::mail_server::MailServer;
use super::mutant::Mutant;
use super::notifications_model::tables::NotificationsTables;
use super::payments_model::tables::PaymentsTables;
use super::provider::Provider;
use super::rng::Rng;
use super::scenario::{Scenario, Step};
use super::service::{Error, Service};
use super::store::{Batch, Store, Tables, TimerKey};
use super::trace::Trace;
use checker::snapshot::Ack;

/// How long a claimed timer is left alone.
const LEASE_SECONDS: i64 = 25;

/// A process of a service.
#[derive(Debug, Clone, Copy, Default)]
struct Node {
    is_down: bool,
    /// How often it died; jobs that an earlier life began are lost.
    life: u32,
}

/// A scheduled task.
#[derive(Debug)]
pub(crate) enum Task {
    /// A service starts again.
    Restart(Service),
    /// A relay's pass.
    Relay(Service),
    /// NATS brings a message.
    Deliver(Consumer, i64),
    /// A consumer asks its source.
    CatchUp(Consumer),
    /// A timer may be due.
    Fire(Service, TimerKey),
    /// A job continues after an external party has answered.
    Work { service: Service, life: u32, job: Job },
    /// A customer does the next thing.
    Customer { saga: usize, step: Step },
    /// Something happens at the provider.
    Provider(super::provider::Change),
    /// The provider delivers a webhook, for the so-many-th time.
    Webhook { notice: super::provider::WebhookDelivery, tries: u32 },
    /// A payment arrives that isn't for an order of ours.
    PaidElsewhere,
    /// payments compares a page of the provider's list with its book; then `nights_left` more runs.
    Nightly { nights_left: u32, skip: usize },
    /// It is looked whether a refund that staff released was asked for.
    Released { refund_id: Id<Refund>, since: Timestamp },
    /// Faults end.
    Heal,
}

/// The state of a run.
pub(crate) struct World {
    pub(crate) now: Timestamp,
    pub(crate) rng: Rng,
    pub(crate) mutant: Option<Mutant>,
    pub(crate) coverage: Coverage,
    pub(crate) trace: Trace,
    pub(crate) booking: Store<BookingTables>,
    pub(crate) payments: Store<PaymentsTables>,
    pub(crate) notifications: Store<NotificationsTables>,
    pub(crate) provider: Arc<Provider>,
    pub(crate) mail_server: MailServer,
    pub(crate) rooms: BTreeMap<String, String>,
    pub(crate) scenario: Scenario,
    pub(crate) acks: Vec<Ack>,
    /// Contradictions found by the simulator itself.
    pub(crate) broken: Vec<String>,
    /// The one fault that happens, when a run is not left to chance.
    pub(crate) targeted_fault: Option<TargetedFault>,
    /// Whether payments compares the provider's list every night. Half of the runs do without, so
    /// that it hides nothing that polling and webhooks have to find.
    pub(crate) compares_lists: bool,
    /// How many of a thousand webhooks are lost.
    pub(crate) webhook_loss: u64,
    /// When the provider was last asked about each refund.
    pub(crate) refund_asks: BTreeMap<Id<Refund>, Timestamp>,
    /// Until when consumers reach neither NATS nor their sources.
    pub(crate) cut_off: BTreeMap<Consumer, Timestamp>,
    queue: BTreeMap<(Timestamp, u64), Task>,
    nodes: [Node; 3],
    is_healed: bool,
    tasks: u64,
    ids: u128,
}

/// Tables that a world has a store of.
pub(crate) trait Stored: Tables {
    /// Where they are.
    fn store(world: &mut World) -> &mut Store<Self>;
}

impl Stored for BookingTables {
    fn store(world: &mut World) -> &mut Store<Self> {
        &mut world.booking
    }
}

impl Stored for PaymentsTables {
    fn store(world: &mut World) -> &mut Store<Self> {
        &mut world.payments
    }
}

impl Stored for NotificationsTables {
    fn store(world: &mut World) -> &mut Store<Self> {
        &mut world.notifications
    }
}

impl World {
    /// A world at its beginning.
    pub(crate) fn new(seed: u64, start: Timestamp, mutant: Option<Mutant>, trace: Trace) -> Self {
        Self {
            now: start,
            rng: Rng::new(seed),
            mutant,
            coverage: Coverage::default(),
            trace,
            booking: Store::default(),
            payments: Store::default(),
            notifications: Store::default(),
            provider: Arc::new(Provider::new(seed)),
            mail_server: MailServer::default(),
            rooms: BTreeMap::new(),
            scenario: Scenario::default(),
            acks: Vec::new(),
            broken: Vec::new(),
            targeted_fault: None,
            compares_lists: seed.is_multiple_of(2),
            webhook_loss: 120,
            refund_asks: BTreeMap::new(),
            cut_off: BTreeMap::new(),
            queue: BTreeMap::new(),
            nodes: [Node::default(); 3],
            is_healed: false,
            tasks: 0,
            ids: 1 << 64,
        }
    }

    /// Schedules a task in `millis` milliseconds.
    pub(crate) fn after(&mut self, millis: i64, task: Task) {
        let micros = self.now.micros().saturating_add(millis.max(0).saturating_mul(1000));
        let at = Timestamp::from_micros(micros).unwrap_or(self.now);
        self.at(at, task);
    }

    /// Schedules a task at an instant, or now if that is in the past.
    pub(crate) fn at(&mut self, at: Timestamp, task: Task) {
        self.tasks += 1;
        self.queue.insert((at.max(self.now), self.tasks), task);
    }

    /// Takes the next task and moves the clock to it.
    pub(crate) fn next(&mut self) -> Option<Task> {
        let ((at, _), task) = self.queue.pop_first()?;
        self.now = at;
        Some(task)
    }

    /// Whether this fault happens now; so often of a thousand times, until everything is healed.
    pub(crate) fn fault(&mut self, fault: Fault, per_mille: u64) -> bool {
        let happens = match &mut self.targeted_fault {
            Some(targeted_fault) => targeted_fault.hits(fault),
            None => !self.is_healed && self.rng.chance(per_mille),
        };
        if happens {
            self.coverage.fault(fault);
            self.trace.note(self.now, "fault", &format_args!("{fault:?}"));
        }
        happens
    }

    /// Whether this mutant is enabled.
    pub(crate) fn has(&self, mutant: Mutant) -> bool {
        self.mutant == Some(mutant)
    }

    /// Ends the injection of faults.
    pub(crate) fn heal(&mut self) {
        self.is_healed = true;
        self.provider.heal();
        self.reconnect();
        self.trace.note(self.now, "healed", &"");
    }

    /// A new, unused id.
    pub(crate) fn new_id<K: Kind>(&mut self) -> Id<K> {
        self.ids += 1;
        Id::from_uuid(Uuid::from_u128(self.ids))
    }

    /// Whether a service answers.
    pub(crate) fn is_up(&self, service: Service) -> bool {
        !self.node(service).is_down
    }

    fn node(&self, service: Service) -> Node {
        let [booking, payments, notifications] = self.nodes;
        match service {
            Service::Booking => booking,
            Service::Payments => payments,
            Service::Notifications => notifications,
        }
    }

    fn node_mut(&mut self, service: Service) -> &mut Node {
        let [booking, payments, notifications] = &mut self.nodes;
        match service {
            Service::Booking => booking,
            Service::Payments => payments,
            Service::Notifications => notifications,
        }
    }

    /// Kills a service; it starts again some time later.
    pub(crate) fn crash(&mut self, service: Service) {
        let node = self.node_mut(service);
        if node.is_down {
            return;
        }
        node.is_down = true;
        node.life += 1;
        self.trace.note(self.now, "died", &service.name());
        let away = self.rng.between(200, 40_000);
        self.after(away, Task::Restart(service));
    }

    /// Restarts a service: its relay, its consumers and its timers continue.
    pub(crate) fn restart(&mut self, service: Service) {
        self.node_mut(service).is_down = false;
        self.trace.note(self.now, "started", &service.name());
        self.after(50, Task::Relay(service));
        for consumer in Consumer::of(service) {
            self.after(100, Task::CatchUp(consumer));
        }
        let log = match service {
            Service::Booking => &self.booking.log,
            Service::Payments => &self.payments.log,
            Service::Notifications => &self.notifications.log,
        };
        let timers: Vec<(TimerKey, Timestamp)> = log
            .timers
            .iter()
            .map(|(key, timer)| (key.clone(), timer.due_at.max(timer.lease_until)))
            .collect();
        for (key, due) in timers {
            self.at(due, Task::Fire(service, key));
        }
    }

    /// Continues a job of a service after a delay, unless the service dies before.
    pub(crate) fn defer(&mut self, service: Service, millis: i64, job: Job) {
        let life = self.node(service).life;
        let standstill = self.fault(Fault::Zombie, 4);
        let millis = if standstill { millis + self.rng.between(25_000, 90_000) } else { millis };
        self.after(millis, Task::Work { service, life, job });
    }

    /// Whether a job's process is still the one that began it.
    pub(crate) fn is_alive(&self, service: Service, life: u32) -> bool {
        let node = self.node(service);
        !node.is_down && node.life == life
    }

    /// Writes a batch in a transaction, with everything that can go wrong around a commit.
    pub(crate) fn commit<T: Stored>(&mut self, batch: Batch<T>) -> Result<(), Error> {
        if batch.is_empty() {
            return Ok(());
        }
        if self.fault(Fault::CrashBeforeCommit, 4) {
            self.crash(T::SERVICE);
            return Err(Error::Died);
        }
        if self.fault(Fault::CommitRefused, 5) {
            return Err(Error::Unavailable);
        }
        let (now, mutant, mut ids) = (self.now, self.mutant, self.ids);
        let written = T::store(self).write(batch, now, (&mut ids, mutant));
        self.ids = ids;
        let written = written?;
        for (key, due) in written.due {
            self.at(due, Task::Fire(T::SERVICE, key));
        }
        if written.appended {
            let pause = self.rng.between(1, 250);
            self.after(pause, Task::Relay(T::SERVICE));
        }
        if self.fault(Fault::CrashAfterCommit, 4) {
            self.crash(T::SERVICE);
            return Err(Error::Died);
        }
        if self.fault(Fault::UnknownCommit, 5) {
            return Err(Error::Unavailable);
        }
        Ok(())
    }

    /// Claims a timer that is due. The attempt that it is comes with it.
    pub(crate) fn claim<T: Stored>(&mut self, key: &TimerKey) -> Option<(serde_json::Value, i32)> {
        let now = self.now;
        let timer = T::store(self).log.timers.get_mut(key)?;
        if timer.due_at > now || timer.lease_until > now {
            return None;
        }
        timer.lease_until = now.plus_seconds(LEASE_SECONDS);
        timer.attempts += 1;
        let claimed = (timer.payload.clone(), timer.attempts);
        self.at(now.plus_seconds(LEASE_SECONDS), Task::Fire(T::SERVICE, key.clone()));
        Some(claimed)
    }

    /// Frees a timer whose handler failed, for a later try.
    pub(crate) fn retry_later<T: Stored>(&mut self, key: &TimerKey, attempts: i32) {
        let exponent = u32::try_from(attempts.clamp(1, 7) - 1).unwrap_or(0);
        let seconds = 2_i64.saturating_pow(exponent).min(60);
        let later = self.now.plus_seconds(seconds);
        let Some(timer) = T::store(self).log.timers.get_mut(key) else { return };
        if timer.attempts == attempts {
            timer.lease_until = later;
            self.at(later, Task::Fire(T::SERVICE, key.clone()));
        }
    }

    /// Handles the outcome of a timer's handler: a failure is retried.
    pub(crate) fn conclude<T: Stored>(
        &mut self,
        (key, attempts): (&TimerKey, i32),
        outcome: Result<(), Error>,
    ) {
        match outcome {
            Ok(()) | Err(Error::Died) => {}
            Err(Error::Unavailable | Error::Refused(_)) => self.retry_later::<T>(key, attempts),
            Err(Error::Broken(why)) => self.broken.push(why),
        }
    }
}
