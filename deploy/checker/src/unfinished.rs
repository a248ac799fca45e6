//! I7: everything unfinished is in progress, with a timer of its own that is not late, or is a
//! person's task that is listed as one.

use std::collections::{BTreeMap, BTreeSet};

use booking::domain::booking::{Mode, State, Timer};
use booking::timers::kinds::{CANCELLATION_EFFECT, CREATE_MEETING, HOLD_END, PROPOSAL_END, key};
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use notifications::timers::kinds::SEND_MAIL;
use payments::domain::collection::{Collection, Event as MoneyEvent, LinkChange};
use payments::domain::refund::{Cause, End};
use payments::timers::kinds::{CLOSE_LINK, FOLD_WEBHOOK, REFUND, RENEW_REFUND};
use payments::timers::polling::POLL_ORDER;

use crate::history::History;
use crate::snapshot::{Log, Snapshot};
use crate::violation::{Finding, Invariant, Violation};

/// How late something may be.
pub(crate) const GRACE_SECONDS: i64 = 60;
/// How long an order or a link is asked for after it was made.
const POLLED_SECONDS: i64 = 72 * 60 * 60;
/// How long after its end a link that cannot be cancelled is tried.
const CLOSED_SECONDS: i64 = 60 * 60;
/// Consumers with their source and reader.
pub(crate) const CONSUMERS: [(&str, &str, &str); 8] = [
    ("booking", "booking-on-payments", "payments"),
    ("booking", "booking-on-notifications", "notifications"),
    ("payments", "payments-on-booking", "booking"),
    ("notifications", "notifications-on-booking", "booking"),
    ("notifications", "notifications-on-payments", "payments"),
    ("notifications", "notifications-on-identity", "identity"),
    ("notifications", "notifications-on-reviews", "reviews"),
    ("reviews", "reviews-on-booking", "booking"),
];

/// Something that only a person can end, and that is listed where people look.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum HumanTask {
    /// A refund came to nothing for good.
    RefundFailed(String),
    /// What was paid at the desk is to be given back there.
    OwedAtDesk(String),
    /// An event could not be handled.
    EventParked(String),
    /// A mail could not be delivered.
    MailFailed(String),
}

/// Everything that waits for a person.
#[must_use]
pub fn human_tasks(snapshot: &Snapshot) -> Vec<HumanTask> {
    let mut tasks = Vec::new();
    for (_, log) in snapshot.logs() {
        tasks.extend(
            log.parked
                .iter()
                .map(|row| HumanTask::EventParked(format!("{} at {}", row.consumer, row.position))),
        );
    }
    for collection in History::read(snapshot).collections.values() {
        let owed = collection.owed_at_desk();
        tasks.extend(owed.map(|(id, _)| HumanTask::OwedAtDesk(id.to_string())));
        for (id, refund) in &collection.refunds {
            let failed = refund.end == Some(End::Failed) && refund.cause != Cause::Elsewhere;
            let is_renewed = collection.refunds.values().any(|it| it.renews == Some(*id));
            if failed && !is_renewed && !collection.is_renewable(*id) {
                tasks.push(HumanTask::RefundFailed(id.to_string()));
            }
        }
    }
    let mails = snapshot.notifications.mails.iter().filter(|row| row.state == "failed");
    tasks.extend(mails.map(|row| HumanTask::MailFailed(format!("{} {}", row.kind, row.subject))));
    tasks
}

/// Checks that no timer, relay or consumer is late.
pub(crate) fn late(snapshot: &Snapshot) -> Vec<Violation> {
    let mut rest = Unfinished::new(snapshot);
    rest.timers();
    rest.feeds();
    rest.found.violations
}

/// Checks that everything unfinished has something that continues it.
pub(crate) fn check(snapshot: &Snapshot, history: &History) -> Vec<Violation> {
    let mut rest = Unfinished::new(snapshot);
    rest.bookings(history);
    rest.money(history);
    for webhook in &snapshot.payments.webhooks {
        match &webhook.waits_for_order_id {
            None if !webhook.folded => rest.needs("payments", FOLD_WEBHOOK, &webhook.event_id),
            Some(order) if is_known(snapshot, order) => {
                rest.found.add(format!("a webhook waits for {order}, which we know"));
            }
            None | Some(_) => {}
        }
    }
    for mail in &snapshot.notifications.mails {
        if !["sent", "failed", "dropped", "settled"].contains(&mail.state.as_str()) {
            rest.needs("notifications", SEND_MAIL, &mail.mail_id.to_string());
        }
    }
    rest.found.violations
}

/// Whether an order is a collection's own, or beneath a link.
fn is_known(snapshot: &Snapshot, order: &String) -> bool {
    let payments = &snapshot.payments;
    payments.collections.iter().any(|it| it.order_id.as_ref() == Some(order))
        || payments.links.iter().any(|it| it.order_ids.contains(order))
}

struct Unfinished<'s> {
    snapshot: &'s Snapshot,
    set: BTreeSet<(&'static str, &'s str, &'s str)>,
    found: Finding,
}

impl<'s> Unfinished<'s> {
    fn new(snapshot: &'s Snapshot) -> Self {
        let mut set = BTreeSet::new();
        for (name, log) in snapshot.logs() {
            let timers = log.timers.iter();
            set.extend(timers.map(|it| (name, it.kind.as_str(), it.subject.as_str())));
        }
        Self { snapshot, set, found: Finding::of(Invariant::I7) }
    }

    fn is_late(&self, due: Timestamp) -> bool {
        self.snapshot.taken_at.seconds_since(due) > GRACE_SECONDS
    }

    fn needs(&mut self, service: &'static str, kind: &str, subject: &str) {
        if !self.set.contains(&(service, kind, subject)) {
            self.found.add(format!("{service}: no timer is left for {kind} of {subject}"));
        }
    }

    fn timers(&mut self) {
        for (name, log) in self.snapshot.logs() {
            for timer in &log.timers {
                if !self.is_late(timer.due_at) {
                    continue;
                }
                let (kind, subject, due) = (&timer.kind, &timer.subject, timer.due_at);
                self.found.add(format!("{name}: {kind} of {subject} was due at {due}"));
            }
        }
    }

    fn feeds(&mut self) {
        let snapshot = self.snapshot;
        for (name, log) in snapshot.logs() {
            let unseen = log.events.iter().filter(|row| row.position.is_none());
            if unseen.filter(|row| self.is_late(row.event.recorded_at)).count() > 0 {
                self.found.add(format!("{name}: the relay is behind"));
            }
        }
        for (reader, consumer, source) in CONSUMERS {
            let (Some(own), Some(log)) = (snapshot.log_of(reader), snapshot.log_of(source)) else {
                continue;
            };
            let at = position(own, consumer);
            let behind = log.events.iter().filter(|row| row.position.is_some_and(|it| it > at));
            if behind.filter(|row| self.is_late(row.event.recorded_at)).count() > 0 {
                self.found.add(format!("{consumer} is behind at {at}"));
            }
        }
    }

    fn bookings(&mut self, history: &History) {
        for (id, state) in &history.states {
            let subject = id.to_string();
            if let Some(until) = state.held_until() {
                self.needs("booking", HOLD_END, &subject);
                if self.is_late(until) {
                    self.found.add(format!("{id} is held since {until}"));
                }
            }
            // Its time is held until it takes effect, as that of any placed booking is.
            if state.pending_cancellation().is_some() {
                self.needs("booking", CANCELLATION_EFFECT, &subject);
            }
            // Without a choice everything goes back by itself.
            if state.move_proposal().is_some() {
                self.needs("booking", PROPOSAL_END, &subject);
            }
            if let State::Confirmed { facts, .. } | State::MeetingScheduled { facts, .. } = state {
                for number in facts.numbers() {
                    let number = facts.package.is_some().then_some(number);
                    if state.expects(number) {
                        let (kind, subject) = key(*id, Timer::SessionEnd(number));
                        self.needs("booking", kind, &subject);
                    }
                }
                let waits = matches!(state, State::Confirmed { .. }) && facts.mode == Mode::Online;
                if waits {
                    self.needs("booking", CREATE_MEETING, &subject);
                }
            }
        }
    }

    fn money(&mut self, history: &History) {
        let parked: BTreeSet<&str> =
            self.snapshot.booking.log.parked.iter().map(|row| row.stream_id.as_str()).collect();
        for (id, collection) in &history.collections {
            let past = history.money.get(id).map(Vec::as_slice).unwrap_or_default();
            let at = |is: fn(&MoneyEvent) -> bool| past.iter().find(|it| is(&it.event));
            let ordered = past.iter().rfind(|it| is_payable_since(&it.event));
            let age = ordered.map(|it| self.snapshot.taken_at.seconds_since(it.at));
            if !collection.is_settled() && age.is_some_and(|age| age < POLLED_SECONDS) {
                self.needs("payments", POLL_ORDER, &id.to_string());
            }
            let verified = at(|it| matches!(it, MoneyEvent::Verified { .. }));
            let is_parked = parked.contains(format!("collection-{}", id.uuid()).as_str());
            if verified.is_some_and(|it| self.is_late(it.at)) && !is_parked {
                self.taken_in(*id, history.states.get(id));
            }
            self.links(collection);
            for (refund_id, refund) in &collection.refunds {
                if refund.end.is_none() && collection.is_at_desk(&refund.payment) {
                    self.asks_for_desk_money(&refund_id.to_string());
                } else if refund.end.is_none() {
                    self.needs("payments", REFUND, &refund_id.to_string());
                } else if collection.is_renewable(*refund_id) {
                    self.needs("payments", RENEW_REFUND, &refund_id.to_string());
                }
            }
        }
    }

    /// A person gives back what was paid at the desk: the provider has not got it.
    fn asks_for_desk_money(&mut self, refund_id: &str) {
        if self.set.contains(&("payments", REFUND, refund_id)) {
            self.found.add(format!("the provider is asked for {refund_id}, paid at the desk"));
        }
    }

    /// A link that was withdrawn and may still take money is being cancelled.
    fn links(&mut self, collection: &Collection) {
        let withdrawn = collection.links.iter();
        let withdrawn = withdrawn.filter(|(_, link)| link.withdrawn.is_some() && !link.is_over());
        for (link_id, link) in withdrawn {
            let late = self.snapshot.taken_at.seconds_since(link.expires_at);
            if late < CLOSED_SECONDS {
                self.needs("payments", CLOSE_LINK, &link_id.to_string());
            }
        }
    }

    /// Money that was verified has made something of its booking.
    fn taken_in(&mut self, id: Id<Booking>, state: Option<&State>) {
        let is_open = match state {
            None => true,
            Some(state) => matches!(
                state,
                State::Absent
                    | State::Held { .. }
                    | State::AwaitingPayment { .. }
                    | State::Expired { .. }
                    | State::Released { .. }
            ),
        };
        if is_open {
            self.found.add(format!("{id} is paid and neither placed nor unplaced"));
        }
    }
}

/// Whether an event begins a time in which something can be paid.
fn is_payable_since(event: &MoneyEvent) -> bool {
    matches!(
        event,
        MoneyEvent::OrderCreated { .. }
            | MoneyEvent::Link { change: LinkChange::Created { .. }, .. }
    )
}

fn position(log: &Log, consumer: &str) -> i64 {
    let known: BTreeMap<&str, i64> =
        log.checkpoints.iter().map(|row| (row.consumer.as_str(), row.position)).collect();
    known.get(consumer).copied().unwrap_or(0)
}
