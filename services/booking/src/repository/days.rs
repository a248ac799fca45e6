//! Loads practitioners' days for update, from their first events or from their snapshots on, and
//! appends their events.

use std::sync::Arc;

use eventstore::{Loaded, Recorded, StoreError, Tx};
use jiff::civil::Date;
use kernel::id::Block;
use kernel::{CommandError, Decider, Id, Timestamp};
use moka::sync::Cache;
use uuid::Uuid;

use crate::contract;
use crate::domain::availability::Rules;
use crate::domain::day::{self, PractitionerDay};
use crate::domain::span::Span;
use crate::error::{Error, Rejection};
use crate::read_model::project::{self, DayKey};
use crate::repository::waiting_offers::{self, Outcome};

/// The maximum number of cached days; bookings are taken for at most a year ahead.
const CACHED_DAYS_MAX: u64 = 400;

/// Snapshots of days as they were last read, so that only the new events of a busy day are loaded.
/// The event log stays the source of truth: the snapshot's last event is loaded again with the new
/// ones, and if it differs, as after a restore, the day is loaded from its first event.
#[derive(Debug, Clone)]
pub struct DaySnapshotCache(Cache<String, Arc<DaySnapshot>>);

/// A day's state at a version of its stream.
#[derive(Debug)]
pub struct DaySnapshot {
    version: i64,
    last: Uuid,
    state: day::State,
}

impl DaySnapshot {
    /// The snapshot's version.
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
    /// An empty cache.
    #[must_use]
    pub fn new() -> Self {
        Self(Cache::new(CACHED_DAYS_MAX))
    }

    /// The snapshot of a day's stream.
    #[must_use]
    pub fn get(&self, stream: &str) -> Option<Arc<DaySnapshot>> {
        self.0.get(stream)
    }

    /// Stores a day as it was read, before anything is decided about it.
    pub fn insert(&self, day: &LockedDay) {
        if let Some(last) = day.last {
            let snapshot = DaySnapshot { version: day.version, last, state: day.state.clone() };
            self.0.insert(day.stream.clone(), Arc::new(snapshot));
        }
    }
}

/// A practitioner's day, loaded for update under its lock.
#[derive(Debug)]
pub struct LockedDay {
    pub(super) key: DayKey,
    stream: String,
    version: i64,
    /// The id of the last event, at `version`.
    last: Option<Uuid>,
    /// The state at `version`.
    pub state: day::State,
}

impl LockedDay {
    /// Loads a day whose lock the transaction holds, and reads the clock.
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

    /// The same from the day's snapshot on, which is the newer for it.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub(super) async fn load_since(
        tx: &mut Tx,
        (rules, snapshots): (&Rules, &DaySnapshotCache),
        practitioner_id: &str,
        date: Date,
    ) -> Result<Self, Error> {
        let stream = contract::day_stream(practitioner_id, date);
        let snapshot = snapshots.get(&stream);
        let from = snapshot.as_ref().map_or(0, |snapshot| snapshot.version());
        let loaded = tx.load_from(&stream, from).await?;
        let known =
            Self::from_snapshot(snapshot.as_deref(), &loaded, rules, (practitioner_id, date));
        let day = match known? {
            Some(day) => day,
            None => Self::load(tx, rules, practitioner_id, date).await?.0,
        };
        snapshots.insert(&day);
        Ok(day)
    }

    /// Folds the events loaded since a snapshot into a day. `None` when the log doesn't match the
    /// snapshot and the day must be loaded from its first event.
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

    /// Whether it is the day of a practitioner's session.
    pub(super) fn is(&self, practitioner_id: &str, span: &Span) -> bool {
        self.key.practitioner_id == practitioner_id && self.has(span)
    }

    /// Whether a session is on this day.
    pub(super) fn has(&self, span: &Span) -> bool {
        (self.key.from..self.key.to).contains(&span.starts_at())
    }

    /// Decides, appends and updates the read model. A time that becomes free is noted for the wait
    /// list.
    ///
    /// # Errors
    /// `SlotTaken` when the day rejects the command or the exclusion constraint is violated.
    pub async fn apply(&mut self, tx: &mut Tx, command: day::Command) -> Result<(), Error> {
        let (events, freed) = self.decide(tx, command).await?;
        for event in events {
            project::day(tx, &self.key, &event).await.map_err(slot_taken_when_excluded)?;
        }
        Ok(waiting_offers::note_freed(tx, &self.key.practitioner_id, &freed).await?)
    }

    /// The same of a new booking; the rows of the time that it takes are left to the caller.
    pub(super) async fn take(&mut self, tx: &mut Tx, command: day::Command) -> Result<(), Error> {
        let (events, freed) = self.decide(tx, command).await?;
        for event in events {
            if !matches!(event, day::Event::Held { .. } | day::Event::Booked { .. }) {
                project::day(tx, &self.key, &event).await.map_err(slot_taken_when_excluded)?;
            }
        }
        Ok(waiting_offers::note_freed(tx, &self.key.practitioner_id, &freed).await?)
    }

    /// Opens the time that is held for a client on the wait list, so that the client can take it in
    /// the same transaction.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn give(&mut self, tx: &mut Tx, offer: Id<Block>) -> Result<(), Error> {
        let command = day::Command::Unblock { block_id: offer };
        for event in self.decide(tx, command).await?.0 {
            project::day(tx, &self.key, &event).await?;
        }
        waiting_offers::end(tx, offer, Outcome::Taken).await?;
        Ok(())
    }

    /// Decides and appends, and returns the events and what they free; the caller updates the read
    /// model.
    async fn decide(
        &mut self,
        tx: &mut Tx,
        command: day::Command,
    ) -> Result<(Vec<day::Event>, Vec<Span>), Error> {
        let events = PractitionerDay::decide(&self.state, command).map_err(day_rejection)?;
        let mut new = Vec::with_capacity(events.len());
        let mut freed = Vec::new();
        for event in &events {
            new.push(contract::day_event(event)?);
            freed.extend(self.state.freed_by(event));
            self.state = PractitionerDay::evolve(std::mem::take(&mut self.state), event);
        }
        // What is closed at once is never offered.
        for event in &events {
            if let day::Event::Blocked { span: closed, .. } = event {
                freed.retain(|span| span != closed);
            }
        }
        self.version = tx.append(&self.stream, self.version, &new).await?;
        Ok((events, freed))
    }
}

fn day_rejection(rejection: day::Rejection) -> Error {
    CommandError::Rejected(match rejection {
        day::Rejection::SlotTaken => Rejection::SlotTaken,
        day::Rejection::NotHeld => Rejection::HoldEnded,
        day::Rejection::Booked => Rejection::CheckoutOpened,
    })
}

/// The exclusion constraint was violated: the rows have a session that the day's state lacks.
pub(super) fn slot_taken_when_excluded(error: StoreError) -> Error {
    match error {
        StoreError::Excluded => {
            tracing::error!("the exclusion constraint refused what the day had decided");
            CommandError::Rejected(Rejection::SlotTaken)
        }
        other => other.into(),
    }
}
