//! A database of one service as a model: an event log with versions, outbox, feed, checkpoints,
//! parked events and timers, and the service's own tables. A batch is written whole or not at all.

use std::collections::{BTreeMap, BTreeSet};

use eventstore::{Metadata, NewEvent, Recorded};
use kernel::Timestamp;
use serde_json::Value;
use uuid::Uuid;

use super::mutant::Mutant;
use super::service::{Error, Service};

/// A service's own tables.
pub(crate) trait Tables: Default + 'static {
    /// Whose they are.
    const SERVICE: Service;
    /// Writes down an event that was just appended, as the service's projection does.
    fn project(&mut self, event: &Recorded, mutant: Option<Mutant>) -> Result<(), Error>;
}

/// One service's database.
#[derive(Debug, Default)]
pub(crate) struct Store<T> {
    pub(crate) log: LogModel,
    pub(crate) tables: T,
}

/// What every service's database has.
#[derive(Debug, Default)]
pub(crate) struct LogModel {
    /// Events in the order of `seq`, which begins at 1.
    pub(crate) events: Vec<Recorded>,
    heads: BTreeMap<String, i64>,
    pub(crate) outbox: BTreeSet<i64>,
    /// Position and `seq`, in the order of positions.
    pub(crate) feed: Vec<(i64, i64)>,
    /// How far the relay has published.
    pub(crate) published: usize,
    pub(crate) checkpoints: BTreeMap<&'static str, Checkpoint>,
    pub(crate) parked: Vec<Parked>,
    pub(crate) timers: BTreeMap<TimerKey, TimerModel>,
}

/// A consumer's place.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Checkpoint {
    pub(crate) position: i64,
    pub(crate) failures: i32,
}

/// An event that failed too often.
#[derive(Debug, Clone)]
pub(crate) struct Parked {
    pub(crate) consumer: &'static str,
    pub(crate) source: Service,
    pub(crate) position: i64,
    pub(crate) stream_id: String,
    pub(crate) error: String,
}

/// What a timer is for.
pub(crate) type TimerKey = (&'static str, String);

/// A timer.
#[derive(Debug, Clone)]
pub(crate) struct TimerModel {
    pub(crate) due_at: Timestamp,
    pub(crate) payload: Value,
    pub(crate) attempts: i32,
    pub(crate) lease_until: Timestamp,
}

/// What is to happen to a timer.
#[derive(Debug)]
enum TimerChange {
    Set(TimerKey, Timestamp, Value),
    End(TimerKey),
}

/// A change of the tables that no event stands for.
type Change<T> = Box<dyn FnOnce(&mut T)>;

/// Everything that one transaction writes.
pub(crate) struct Batch<T> {
    metadata: Metadata,
    events: Vec<(String, NewEvent)>,
    changes: Vec<Change<T>>,
    timers: Vec<TimerChange>,
    checkpoint: Option<(&'static str, Checkpoint)>,
    parks: Option<Parked>,
}

/// What a batch left to be woken.
#[derive(Debug, Default)]
pub(crate) struct Written {
    /// Whether events wait for the relay.
    pub(crate) appended: bool,
    /// Timers that were set, and when they fall due.
    pub(crate) due: Vec<(TimerKey, Timestamp)>,
}

impl<T> Batch<T> {
    /// An empty one.
    pub(crate) fn new(metadata: Metadata) -> Self {
        Self {
            metadata,
            events: Vec::new(),
            changes: Vec::new(),
            timers: Vec::new(),
            checkpoint: None,
            parks: None,
        }
    }

    /// One of a timer or a caller.
    pub(crate) fn by(actor: impl Into<String>) -> Self {
        Self::new(Metadata::by(actor, None))
    }

    /// Appends an event to a stream.
    pub(crate) fn append(&mut self, stream: &str, event: NewEvent) {
        self.events.push((stream.to_owned(), event));
    }

    /// Changes the tables.
    pub(crate) fn change(&mut self, change: impl FnOnce(&mut T) + 'static) {
        self.changes.push(Box::new(change));
    }

    /// Sets a timer, or moves it.
    pub(crate) fn set_timer(
        &mut self,
        kind: &'static str,
        subject: &str,
        due: Timestamp,
        payload: Value,
    ) {
        self.timers.push(TimerChange::Set((kind, subject.to_owned()), due, payload));
    }

    /// Ends a timer.
    pub(crate) fn end_timer(&mut self, kind: &'static str, subject: &str) {
        self.timers.push(TimerChange::End((kind, subject.to_owned())));
    }

    /// Moves a consumer's checkpoint.
    pub(crate) fn checkpoint(&mut self, consumer: &'static str, to: Checkpoint) {
        self.checkpoint = Some((consumer, to));
    }

    /// Parks an event.
    pub(crate) fn park(&mut self, parked: Parked) {
        self.parks = Some(parked);
    }

    /// Whether it would change nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.events.is_empty()
            && self.changes.is_empty()
            && self.timers.is_empty()
            && self.checkpoint.is_none()
    }
}

impl<T: Tables> Store<T> {
    /// Writes a batch. Ids of events are numbered, so that a run is the same each time.
    pub(crate) fn write(
        &mut self,
        batch: Batch<T>,
        now: Timestamp,
        (ids, mutant): (&mut u128, Option<Mutant>),
    ) -> Result<Written, Error> {
        let mut written = Written { appended: !batch.events.is_empty(), due: Vec::new() };
        for (stream_id, new) in batch.events {
            *ids += 1;
            let version = self.log.heads.entry(stream_id.clone()).or_default();
            *version += 1;
            let recorded = Recorded {
                event_id: Uuid::from_u128(*ids),
                version: *version,
                stream_id,
                position: 0,
                event_type: new.event_type,
                payload: new.payload,
                metadata: batch.metadata.clone(),
                recorded_at: now,
            };
            self.tables.project(&recorded, mutant)?;
            self.log.events.push(recorded);
            self.log.outbox.insert(i64::try_from(self.log.events.len()).unwrap_or(i64::MAX));
        }
        for change in batch.changes {
            change(&mut self.tables);
        }
        for timer in batch.timers {
            match timer {
                TimerChange::End(key) => drop(self.log.timers.remove(&key)),
                TimerChange::Set(key, due_at, payload) => {
                    if mutant == Some(Mutant::LoseTimer) && self.log.events.len() % 11 == 3 {
                        continue;
                    }
                    let lease_until = Timestamp::EPOCH;
                    let timer = TimerModel { due_at, payload, attempts: 0, lease_until };
                    self.log.timers.insert(key.clone(), timer);
                    written.due.push((key, due_at));
                }
            }
        }
        if let Some((consumer, checkpoint)) = batch.checkpoint {
            self.log.checkpoints.insert(consumer, checkpoint);
        }
        self.log.parked.extend(batch.parks);
        Ok(written)
    }
}

impl LogModel {
    /// The event at a position of the feed.
    pub(crate) fn at(&self, position: i64) -> Option<Recorded> {
        let index = self.feed.binary_search_by_key(&position, |(at, _)| *at).ok()?;
        let (_, seq) = self.feed.get(index)?;
        let event = self.events.get(usize::try_from(seq.checked_sub(1)?).ok()?)?;
        Some(Recorded { position, ..event.clone() })
    }

    /// The last position of the feed.
    pub(crate) fn last_position(&self) -> i64 {
        self.feed.last().map_or(0, |(position, _)| *position)
    }
}
