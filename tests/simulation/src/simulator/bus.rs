//! The way from one service's log to another's consumers: the relay that assigns positions, NATS
//! that loses, repeats and delays messages, and consumers that know their position in a feed and
//! fetch missing events from its source.

use eventstore::checkpoint::FAILURES_MAX;
use eventstore::{Metadata, Recorded};

use super::booking_model::{self, BookingTables};
use super::consumer::Consumer;
use super::coverage::Fault;
use super::mutant::Mutant;
use super::notifications_model::{self, NotificationsTables};
use super::payments_model::{self, PaymentsTables};
use super::service::{Error, Service};
use super::store::{Batch, Checkpoint, LogModel, Parked};
use super::world::{Stored, Task, World};

/// The outcome of offering an event to a consumer, which decides whether it may continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HandleOutcome {
    Done,
    Hole,
    Again,
    Died,
}

impl World {
    fn log(&self, service: Service) -> &LogModel {
        match service {
            Service::Booking => &self.booking.log,
            Service::Payments => &self.payments.log,
            Service::Notifications => &self.notifications.log,
        }
    }

    fn log_mut(&mut self, service: Service) -> &mut LogModel {
        match service {
            Service::Booking => &mut self.booking.log,
            Service::Payments => &mut self.payments.log,
            Service::Notifications => &mut self.notifications.log,
        }
    }

    /// Numbers what was committed and publishes what was numbered.
    pub(crate) fn relay(&mut self, service: Service) {
        if !self.is_up(service) {
            return;
        }
        let skips = self.has(Mutant::NumberInFlight) && self.rng.chance(30);
        let log = self.log_mut(service);
        let mut position = log.last_position() + i64::from(skips);
        for seq in std::mem::take(&mut log.outbox) {
            position += 1;
            log.feed.push((position, seq));
        }
        let unpublished: Vec<i64> =
            log.feed.iter().skip(log.published).map(|(position, _)| *position).collect();
        if unpublished.is_empty() {
            return;
        }
        // Independent of NATS, a consumer that receives nothing asks its source.
        for consumer in Consumer::reading(service) {
            self.cut_off_by_chance(consumer);
            let quiet = self.rng.between(2_000, 3_000);
            self.after(quiet, Task::CatchUp(consumer));
        }
        if self.fault(Fault::RelayDied, 5) {
            self.crash(service);
            return;
        }
        let log = self.log_mut(service);
        log.published = log.feed.len();
        for position in unpublished {
            for consumer in Consumer::reading(service) {
                self.publish(consumer, position);
            }
        }
    }

    fn publish(&mut self, consumer: Consumer, position: i64) {
        if self.fault(Fault::MessageLost, 20) {
            return;
        }
        let pause = if self.fault(Fault::MessageLate, 25) {
            self.rng.seconds_of_any_size(72 * 60 * 60) * 1000
        } else {
            self.rng.between(1, 40)
        };
        self.after(pause, Task::Deliver(consumer, position));
        if self.fault(Fault::MessageRepeated, 40) {
            let pause = self.rng.seconds_of_any_size(72 * 60 * 60) * 1000;
            self.after(pause, Task::Deliver(consumer, position));
        }
    }

    /// Cuts a consumer off from NATS and from its source, so that it really falls hours behind;
    /// otherwise a catch-up repairs every loss within seconds.
    fn cut_off_by_chance(&mut self, consumer: Consumer) {
        if !self.is_cut_off(consumer) && self.fault(Fault::ConsumerCutOff, 5) {
            let seconds = self.rng.seconds_of_any_size(72 * 60 * 60);
            self.cut_off.insert(consumer, self.now.plus_seconds(seconds));
            self.after(seconds * 1000, Task::CatchUp(consumer));
        }
    }

    fn is_cut_off(&self, consumer: Consumer) -> bool {
        self.cut_off.get(&consumer).is_some_and(|until| *until > self.now)
    }

    /// Reconnects all cut-off consumers, which then ask for the missing events.
    pub(crate) fn reconnect(&mut self) {
        for consumer in std::mem::take(&mut self.cut_off).into_keys() {
            self.after(100, Task::CatchUp(consumer));
        }
    }

    /// A message has come.
    pub(crate) fn deliver(&mut self, consumer: Consumer, position: i64) {
        if !self.is_up(consumer.reader()) || self.is_cut_off(consumer) {
            // It catches up when it starts, or is connected again.
            return;
        }
        let Some(event) = self.log(consumer.source()).at(position) else { return };
        match self.offer(consumer, &event) {
            HandleOutcome::Done | HandleOutcome::Died => {}
            HandleOutcome::Hole | HandleOutcome::Again => self.catch_up(consumer),
        }
    }

    /// Reads what is missing from the source until nothing is newer.
    pub(crate) fn catch_up(&mut self, consumer: Consumer) {
        if !self.is_up(consumer.reader()) || self.is_cut_off(consumer) {
            return;
        }
        loop {
            let position = self.position(consumer);
            let feed = self.log(consumer.source());
            // What comes behind is what is offered, also when a number is missing in between.
            let next = feed.feed.iter().find(|(at, _)| *at > position).map(|(at, _)| *at);
            let Some(next) = next else { return };
            if !self.is_up(consumer.source()) {
                self.after(1_000, Task::CatchUp(consumer));
                return;
            }
            let Some(event) = self.log(consumer.source()).at(next) else { return };
            match self.offer(consumer, &event) {
                HandleOutcome::Done => {}
                HandleOutcome::Died => return,
                // A source whose own feed has a hole cannot help.
                HandleOutcome::Hole => return,
                HandleOutcome::Again => {
                    self.after(300, Task::CatchUp(consumer));
                    return;
                }
            }
        }
    }

    fn position(&self, consumer: Consumer) -> i64 {
        let checkpoint = self.log(consumer.reader()).checkpoints.get(consumer.name());
        checkpoint.map_or(0, |checkpoint| checkpoint.position)
    }

    /// Handles one event in the transaction that moves the checkpoint.
    fn offer(&mut self, consumer: Consumer, event: &Recorded) -> HandleOutcome {
        match consumer {
            Consumer::BookingOnPayments => {
                self.take::<BookingTables>(consumer, event, booking_model::on_payments)
            }
            Consumer::BookingOnNotifications => {
                self.take::<BookingTables>(consumer, event, booking_model::on_notifications)
            }
            Consumer::PaymentsOnBooking => {
                self.take::<PaymentsTables>(consumer, event, payments_model::on_booking)
            }
            Consumer::NotificationsOnBooking => {
                self.take::<NotificationsTables>(consumer, event, notifications_model::on_booking)
            }
            Consumer::NotificationsOnPayments => {
                self.take::<NotificationsTables>(consumer, event, notifications_model::on_payments)
            }
        }
    }

    fn take<T: Stored>(
        &mut self,
        consumer: Consumer,
        event: &Recorded,
        react: fn(&mut Self, &mut Batch<T>, &Recorded) -> Result<(), Error>,
    ) -> HandleOutcome {
        let position = self.position(consumer);
        let is_repeat = event.position <= position;
        if is_repeat && !(self.has(Mutant::ForgetInbox) && self.rng.chance(300)) {
            return HandleOutcome::Done;
        }
        if event.position > position + 1 {
            return HandleOutcome::Hole;
        }
        let name = consumer.name();
        let mut batch = Batch::new(Metadata::because_of(event, name));
        if self.has(Mutant::CheckpointFirst) {
            let mut alone = Batch::<T>::by(name);
            alone.checkpoint(name, Checkpoint { position: event.position, failures: 0 });
            if self.commit(alone) == Err(Error::Died) {
                return HandleOutcome::Died;
            }
        } else if !is_repeat {
            batch.checkpoint(name, Checkpoint { position: event.position, failures: 0 });
        }
        let waits = self
            .log(T::SERVICE)
            .parked
            .iter()
            .any(|it| it.consumer == name && it.stream_id == event.stream_id);
        let reacted = if waits {
            batch.park(parked(consumer, event, "an earlier event of this stream is parked"));
            Ok(())
        } else {
            react(self, &mut batch, event)
        };
        let what = format_args!("{name} {} {}", event.position, event.event_type);
        self.trace.note(self.now, "takes", &what);
        match reacted.and_then(|()| self.commit(batch)) {
            Ok(()) => {
                self.coverage.is_behind(name, self.now.seconds_since(event.recorded_at));
                HandleOutcome::Done
            }
            Err(Error::Died) => HandleOutcome::Died,
            Err(Error::Unavailable) => HandleOutcome::Again,
            Err(Error::Refused(why)) => self.count_failure::<T>(consumer, event, &why),
            Err(Error::Broken(why)) => {
                self.broken.push(why);
                HandleOutcome::Died
            }
        }
    }

    fn count_failure<T: Stored>(
        &mut self,
        consumer: Consumer,
        event: &Recorded,
        why: &str,
    ) -> HandleOutcome {
        let name = consumer.name();
        let known = self.log(T::SERVICE).checkpoints.get(name).copied().unwrap_or_default();
        let failures = known.failures + 1;
        let gives_up = failures >= FAILURES_MAX;
        let mut batch = Batch::<T>::new(Metadata::because_of(event, name));
        if gives_up {
            batch.checkpoint(name, Checkpoint { position: event.position, failures: 0 });
            batch.park(parked(consumer, event, why));
        } else {
            batch.checkpoint(name, Checkpoint { failures, ..known });
        }
        self.trace.note(self.now, "failed", &format_args!("{name} {} {why}", event.position));
        match self.commit(batch) {
            Ok(()) if gives_up => HandleOutcome::Done,
            Err(Error::Died) => HandleOutcome::Died,
            Ok(()) | Err(_) => HandleOutcome::Again,
        }
    }
}

fn parked(consumer: Consumer, event: &Recorded, error: &str) -> Parked {
    Parked {
        consumer: consumer.name(),
        source: consumer.source(),
        position: event.position,
        stream_id: event.stream_id.clone(),
        error: error.to_owned(),
    }
}
