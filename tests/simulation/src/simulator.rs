//! A whole practice in one thread: its services' real decisions on models of everything that they
//! stand on, with faults of every kind, from one seed.

pub mod coverage;
pub mod mutant;
mod rng;
mod trace;
mod offerings;
mod provider;
mod scenario;
mod service;
mod store;
mod consumer;
mod mail_server;
mod job;
mod world;
mod bus;
mod work;
mod booking_model;
mod payments_model;
mod nightly;
mod notifications_model;
mod customers;
mod snapshot;

pub use coverage::{Coverage, End, Fault, TargetedFault};
pub use mutant::Mutant;

use checker::{HumanTask, Snapshot, Violation};
use scenario::start_of_run;
use service::Service;
use trace::Trace;
use world::{Task, World};

/// How many bookings are attempted in a run.
pub const SAGAS: usize = 8;
/// When everything is healed, after the beginning: all that customers do is done by then.
const HEALED_AFTER_MILLIS: i64 = 5 * 24 * 60 * 60 * 1000;
/// How many nights payments compares its book, in the runs in which it does; the last ones lie
/// behind the healing.
const NIGHTS: u32 = 9;
/// A run that does more than this does not come to rest.
const TASKS_MAX: u64 = 60_000;

/// The outcome of a run.
#[derive(Debug)]
pub struct Outcome {
    /// The seed, with which it can be run again.
    pub seed: u64,
    /// The hash of the run's trace.
    pub trace_hash: u64,
    /// What is wrong.
    pub violations: Vec<Violation>,
    /// What waits for a person.
    pub human_tasks: Vec<HumanTask>,
    /// What it went through.
    pub coverage: Coverage,
    /// Contradictions found by the simulator itself, apart from the invariants.
    pub broken: Vec<String>,
    /// How often the one fault could have happened, when a run is not left to chance.
    pub opportunities: u64,
    /// What happened, line by line, when that was asked for.
    pub lines: Vec<String>,
    /// What it left behind.
    pub snapshot: Snapshot,
}

impl Outcome {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.violations.is_empty() && self.broken.is_empty()
    }
}

/// The options of a run.
#[derive(Debug, Clone, Copy, Default)]
pub struct RunOptions {
    /// A deliberate defect that the checker must report.
    pub mutant: Option<Mutant>,
    /// Whether everything that happens is kept as lines.
    pub keeps_lines: bool,
    /// The one fault that happens; without it faults are left to chance.
    pub targeted_fault: Option<TargetedFault>,
    /// How many bookings are attempted, if not [`SAGAS`].
    pub sagas: Option<usize>,
}

/// Runs one seed to its end and checks what it left behind.
#[must_use]
pub fn run(seed: u64, options: RunOptions) -> Outcome {
    let trace = Trace::new(options.keeps_lines);
    let mut world = World::new(seed, start_of_run(), options.mutant, trace);
    world.targeted_fault = options.targeted_fault;
    if options.targeted_fault.is_some() {
        world.provider.heal();
    }
    world.plan_scenario(options.sagas.unwrap_or(SAGAS));
    world.after(HEALED_AFTER_MILLIS, Task::Heal);
    if world.compares_lists {
        let first = Task::Nightly { nights_left: NIGHTS, skip: 0 };
        world.after(17 * 60 * 60 * 1000, first);
    }
    let mut tasks = 0_u64;
    while let Some(task) = world.next() {
        tasks += 1;
        if tasks > TASKS_MAX {
            world.broken.push("it does not come to rest".to_owned());
            break;
        }
        world.do_task(task);
    }
    world.compare_disputes();
    world.count_ends();
    let snapshot = world.snapshot();
    let violations = checker::check(&snapshot);
    let human_tasks = checker::human_tasks(&snapshot);
    let mut coverage = world.coverage;
    coverage.human_tasks = u64::try_from(human_tasks.len()).unwrap_or(0);
    for task in &human_tasks {
        match task {
            HumanTask::RefundFailed(_) => coverage.end(End::RefundForAPerson),
            HumanTask::EventParked(what) => world.broken.push(format!("{what} is parked")),
            HumanTask::MailFailed(_) | HumanTask::OwedAtDesk(_) => {}
        }
    }
    Outcome {
        seed,
        trace_hash: world.trace.hash(),
        violations,
        human_tasks,
        coverage,
        broken: world.broken,
        opportunities: world.targeted_fault.map_or(0, |targeted_fault| targeted_fault.seen),
        lines: world.trace.into_lines(),
        snapshot,
    }
}

impl World {
    fn do_task(&mut self, task: Task) {
        match task {
            Task::Restart(service) => self.restart(service),
            Task::Relay(service) => self.relay(service),
            Task::Deliver(consumer, position) => self.deliver(consumer, position),
            Task::CatchUp(consumer) => self.catch_up(consumer),
            Task::Fire(service, key) => {
                if self.is_up(service) {
                    match service {
                        Service::Booking => self.fire_booking_timer(&key),
                        Service::Payments => self.fire_payments_timer(&key),
                        Service::Notifications => self.fire_notifications_timer(&key),
                    }
                }
            }
            Task::Work { service, life, job } => self.work(service, life, job),
            Task::Customer { saga, step } => self.step(saga, step),
            Task::Provider(change) => self.advance_provider(&change),
            Task::Webhook { notice, tries } => self.deliver_webhook(&notice, tries),
            Task::PaidElsewhere => self.pay_elsewhere(),
            Task::Nightly { nights_left, skip } => self.nightly(nights_left, skip),
            Task::Released { refund_id, since } => self.check_released(refund_id, since),
            Task::Heal => self.heal(),
        }
    }
}
