//! A booking with the practitioner's days of its sessions, read and written under their locks.

use std::sync::Arc;

use eventstore::{Loaded, Recorded, StoreError, Tx};
use jiff::civil::Date;
use kernel::id::{Booking, Customer};
use kernel::{CommandError, Decider, Id, Timestamp, fold};
use moka::sync::Cache;
use runtime::practice::Practice;
use uuid::Uuid;

use crate::app::{Error, Rejection};
use crate::contract;
use crate::domain::availability::Rules;
use crate::domain::booking::{self, BookingLife};
use crate::domain::day::{self, PractitionerDay};
use crate::domain::span::Span;
use crate::read_model::project::{self, DayKey};
use crate::read_model::query;
use crate::read_model::view::{self, Hold, View};

/// The name of a day's lock.
#[must_use]
pub fn day_lock(practitioner_id: &str, date: Date) -> String {
    format!("day {practitioner_id} {date}")
}

/// The name of a customer's lock.
#[must_use]
pub fn customer_lock(customer_id: Id<Customer>) -> String {
    format!("customer {customer_id}")
}

/// How many days are known at once; a practice takes bookings for a year at most.
const CACHED_DAYS_MAX: u64 = 400;

/// Days as they were last read, so that of a day that many book only what is new has to be read.
/// The log stays the truth: the last event that is known is read with those behind it, and where
/// the log has another one, as after a restore, the day is read whole.
#[derive(Debug, Clone)]
pub struct DaySnapshotCache(Cache<String, Arc<DaySnapshot>>);

/// A day at a version of its log.
#[derive(Debug)]
pub struct DaySnapshot {
    version: i64,
    last: Uuid,
    state: day::State,
}

impl DaySnapshot {
    /// The version at which it is known.
    #[must_use]
    pub fn version(&self) -> i64 {
        self.version
    }

    fn is_at(&self, event: &Recorded) -> bool {
        (event.version, event.event_id) == (self.version, self.last)
    }
}

impl Default for DaySnapshotCache {
    fn default() -> Self {
        Self::new()
    }
}

impl DaySnapshotCache {
    /// None yet.
    #[must_use]
    pub fn new() -> Self {
        Self(Cache::new(CACHED_DAYS_MAX))
    }

    /// What is known of a day's stream.
    #[must_use]
    pub fn get(&self, stream: &str) -> Option<Arc<DaySnapshot>> {
        self.0.get(stream)
    }

    /// Remembers a day as it was read, before anything is decided about it.
    pub fn insert(&self, day: &LockedDay) {
        if let Some(last) = day.last {
            let snapshot = DaySnapshot { version: day.version, last, state: day.state.clone() };
            self.0.insert(day.stream.clone(), Arc::new(snapshot));
        }
    }
}

/// A practitioner's day under its lock.
#[derive(Debug)]
pub struct LockedDay {
    key: DayKey,
    stream: String,
    version: i64,
    /// The event at this version.
    last: Option<Uuid>,
    /// Its state.
    pub state: day::State,
}

impl LockedDay {
    /// Reads a day whose lock the transaction has, and the clock.
    ///
    /// # Errors
    /// When the database does not answer or holds an event that cannot be read.
    pub async fn load(
        tx: &mut Tx,
        rules: &Rules,
        practitioner_id: &str,
        date: Date,
    ) -> Result<(Self, Timestamp), Error> {
        let loaded = tx.load(&contract::day_stream(practitioner_id, date)).await?;
        let begin = (day::State::default(), loaded.events.as_slice());
        let day = Self::of(begin, &loaded, rules, (practitioner_id, date))?;
        Ok((day, loaded.now))
    }

    /// A day that was read under its lock from the version on at which it was known, if it was;
    /// nothing when its log is not the one that was known, and the whole has to be read.
    ///
    /// # Errors
    /// When an event cannot be read.
    pub fn from_snapshot(
        snapshot: Option<&DaySnapshot>,
        loaded: &Loaded,
        rules: &Rules,
        day: (&str, Date),
    ) -> Result<Option<Self>, Error> {
        let begin = match (snapshot, loaded.events.split_first()) {
            (None, _) => (day::State::default(), loaded.events.as_slice()),
            (Some(snapshot), Some((first, new))) if snapshot.is_at(first) => {
                (snapshot.state.clone(), new)
            }
            (Some(_), _) => return Ok(None),
        };
        Self::of(begin, loaded, rules, day).map(Some)
    }

    fn of(
        (state, new): (day::State, &[Recorded]),
        loaded: &Loaded,
        rules: &Rules,
        (practitioner_id, date): (&str, Date),
    ) -> Result<Self, Error> {
        let events = new.iter().map(contract::read_day_event).collect::<Result<Vec<_>, _>>();
        let (from, to) = rules.bounds(date);
        Ok(Self {
            key: DayKey { practitioner_id: practitioner_id.to_owned(), from, to },
            stream: contract::day_stream(practitioner_id, date),
            version: loaded.version,
            last: loaded.events.last().map(|event| event.event_id),
            state: events.map_err(StoreError::from)?.iter().fold(state, PractitionerDay::evolve),
        })
    }

    /// Whether a session belongs to this day.
    fn has(&self, span: &Span) -> bool {
        (self.key.from..self.key.to).contains(&span.starts_at())
    }

    /// Decides, appends and writes down.
    ///
    /// # Errors
    /// `SlotTaken` when the day refuses, or when the database knows better.
    pub async fn apply(&mut self, tx: &mut Tx, command: day::Command) -> Result<(), Error> {
        for event in self.decide(tx, command).await? {
            project::day(tx, &self.key, &event).await.map_err(slot_taken_when_excluded)?;
        }
        Ok(())
    }

    /// Decides and appends; what follows is written down by the caller.
    async fn decide(
        &mut self,
        tx: &mut Tx,
        command: day::Command,
    ) -> Result<Vec<day::Event>, Error> {
        let events = PractitionerDay::decide(&self.state, command).map_err(day_rejection)?;
        let mut new = Vec::with_capacity(events.len());
        for event in &events {
            new.push(contract::day_event(event)?);
            self.state = PractitionerDay::evolve(std::mem::take(&mut self.state), event);
        }
        self.version = tx.append(&self.stream, self.version, &new).await?;
        Ok(events)
    }
}

fn day_rejection(rejection: day::Rejection) -> Error {
    CommandError::Rejected(match rejection {
        day::Rejection::SlotTaken => Rejection::SlotTaken,
        day::Rejection::NotHeld => Rejection::HoldEnded,
        day::Rejection::Booked => Rejection::CheckoutOpened,
    })
}

/// The second lock spoke: the rows know of a session that the day did not.
fn slot_taken_when_excluded(error: StoreError) -> Error {
    match error {
        StoreError::Excluded => {
            tracing::error!("the exclusion constraint refused what the day had decided");
            CommandError::Rejected(Rejection::SlotTaken)
        }
        other => other.into(),
    }
}

/// Writes down what [`LockedBooking::hold`] has decided, for several bookings at once, and reads
/// them.
///
/// # Errors
/// `SlotTaken` when the database knows of a session that a day did not.
pub async fn insert_holds(
    tx: &mut Tx,
    practice: &Practice,
    holds: &[Hold<'_>],
    now: Timestamp,
) -> Result<Vec<View>, Error> {
    view::insert_holds(tx, practice, holds, now).await.map_err(slot_taken_when_excluded)
}

/// A booking and the days of its sessions, under their locks.
#[derive(Debug)]
pub struct LockedBooking {
    id: Id<Booking>,
    version: i64,
    /// Where it stands.
    pub state: booking::State,
    /// The days of its sessions.
    pub days: Vec<LockedDay>,
    /// The one clock, read under the locks.
    pub now: Timestamp,
}

impl LockedBooking {
    /// One that does not exist yet, on days whose locks the transaction has.
    #[must_use]
    pub fn new(id: Id<Booking>, days: Vec<LockedDay>, now: Timestamp) -> Self {
        Self { id, version: 0, state: booking::State::Absent, days, now }
    }

    /// Takes the locks of a booking's days and customer and reads it; `None` when there is none.
    ///
    /// # Errors
    /// When the database does not answer or holds an event that cannot be read.
    pub async fn load(tx: &mut Tx, rules: &Rules, id: Id<Booking>) -> Result<Option<Self>, Error> {
        let Some(location) = query::locate(tx, id).await? else { return Ok(None) };
        let mut dates: Vec<Date> =
            location.starts.iter().map(|start| rules.date_of(*start)).collect();
        dates.dedup();
        let mut locks = vec![customer_lock(location.customer_id)];
        locks.extend(dates.iter().map(|date| day_lock(&location.practitioner_id, *date)));
        tx.lock(&locks).await?;
        let loaded = tx.load(&contract::booking_stream(id)).await?;
        let events = loaded
            .events
            .iter()
            .map(contract::read_booking_event)
            .collect::<Result<Vec<_>, _>>()
            .map_err(StoreError::from)?;
        let mut days = Vec::with_capacity(dates.len());
        for date in dates {
            days.push(LockedDay::load(tx, rules, &location.practitioner_id, date).await?.0);
        }
        Ok(Some(Self {
            id,
            version: loaded.version,
            state: fold::<BookingLife>(&events),
            days,
            now: loaded.now,
        }))
    }

    /// Decides, appends and writes down what happens to the booking itself; its days are separate.
    ///
    /// # Errors
    /// Why the booking refuses.
    pub async fn apply(
        &mut self,
        tx: &mut Tx,
        command: booking::Command,
    ) -> Result<Vec<booking::Event>, Error> {
        let events = self.decide(tx, command).await?;
        for event in &events {
            project::booking(tx, self.id, event).await?;
        }
        Ok(events)
    }

    /// Asks for the booking and holds its time on its day. Its own rows are written by the caller,
    /// by [`keep`], because each statement is a round trip under the day's lock.
    ///
    /// # Errors
    /// `SlotTaken` when the day refuses, or when the database knows better.
    pub async fn hold(&mut self, tx: &mut Tx, hold: &Hold<'_>) -> Result<(), Error> {
        let (booking_id, now, until) = (self.id, self.now, hold.until);
        let request = booking::Command::Request { facts: hold.facts.clone(), until };
        self.decide(tx, request).await?;
        let span = hold.span;
        let day = self.days.iter_mut().find(|day| day.has(&span));
        let day = day.ok_or(CommandError::Rejected(Rejection::InvalidStart))?;
        for event in day.decide(tx, day::Command::Hold { booking_id, span, until, now }).await? {
            if !matches!(event, day::Event::Held { .. }) {
                project::day(tx, &day.key, &event).await.map_err(slot_taken_when_excluded)?;
            }
        }
        Ok(())
    }

    /// Decides and appends; what follows is written down by the caller.
    async fn decide(
        &mut self,
        tx: &mut Tx,
        command: booking::Command,
    ) -> Result<Vec<booking::Event>, Error> {
        let events = BookingLife::decide(&self.state, command)
            .map_err(|rejection| CommandError::Rejected(rejection.into()))?;
        let mut new = Vec::with_capacity(events.len());
        for event in &events {
            new.push(contract::booking_event(self.id, event)?);
            self.state = BookingLife::evolve(std::mem::take(&mut self.state), event);
        }
        let stream = contract::booking_stream(self.id);
        self.version = tx.append(&stream, self.version, &new).await?;
        Ok(events)
    }

    /// Whether all of its sessions could be had now: by their days, and by the rows behind the
    /// exclusion constraint, which would refuse what a day that errs had decided.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn is_free(&self, tx: &mut Tx) -> Result<bool, Error> {
        for span in self.sessions() {
            let Some(day) = self.days.iter().find(|day| day.has(&span)) else { return Ok(false) };
            if !day.state.is_free_for(self.id, span, self.now) {
                return Ok(false);
            }
            let others =
                query::overlapping_reservations(tx, &day.key.practitioner_id, span, self.id)
                    .await?;
            let is_expired_hold = |other: Option<Id<Booking>>| {
                other.is_some_and(|other| day.state.is_expired_hold(other, self.now))
            };
            if !others.into_iter().all(is_expired_hold) {
                tracing::error!(booking_id = %self.id, "the rows have a session more than the day");
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Asks the day of each session.
    ///
    /// # Errors
    /// The first refusal of a day.
    pub async fn apply_to_days(
        &mut self,
        tx: &mut Tx,
        command: impl Fn(Span) -> day::Command,
    ) -> Result<(), Error> {
        for span in self.sessions() {
            if let Some(day) = self.days.iter_mut().find(|day| day.has(&span)) {
                day.apply(tx, command(span)).await?;
            }
        }
        Ok(())
    }

    fn sessions(&self) -> Vec<Span> {
        self.state.facts().map(|facts| facts.sessions.clone()).unwrap_or_default()
    }
}
